import { join } from 'node:path';
import type { Env } from '../machine/folders.ts';
import { configFolder } from '../machine/folders.ts';
import { profilesDamaged } from '../words/profilesFile.ts';
import { checkFolder, readPrivate } from './privateFiles.ts';
import { noProfiles, type ProfilesFile, parseProfiles } from './profilesFile.ts';

export type ProfilesPaths = { readonly folder: string; readonly file: string };

export function profilesPaths(env: Env): ProfilesPaths {
  const folder = configFolder(env);
  return { folder, file: join(folder, 'config.json') };
}

/** The profiles as they stand. Reading loads nothing of conf, and a file that is not there is no profiles. */
export function readProfiles(paths: ProfilesPaths): ProfilesFile {
  checkFolder(paths.folder);
  const bytes = readPrivate(paths.file);
  if (bytes === undefined) return noProfiles;
  const parsed = parseProfiles(decode(bytes) ?? '');
  if (parsed.kind === 'profiles') return parsed.file;
  throw profilesDamaged(paths.file, parsed.problem);
}

function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
