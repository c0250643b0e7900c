import { join } from 'node:path';
import type { Env } from '../context.ts';
import { Failure } from '../errors.ts';
import { configFolder } from '../folders.ts';
import { checkFolder, quoted, readPrivate } from './guard.ts';
import { noProfiles, type ProfilesFile, parseProfiles } from './profilesFile.ts';

export type StorePlace = { readonly folder: string; readonly file: string };

export function storePlace(env: Env): StorePlace {
  const folder = configFolder(env);
  return { folder, file: join(folder, 'config.json') };
}

/** The profiles as they stand. Reading loads nothing of conf, and a file that is not there is no profiles. */
export function readProfiles(place: StorePlace): ProfilesFile {
  checkFolder(place.folder);
  const bytes = readPrivate(place.file);
  if (bytes === undefined) return noProfiles;
  const parsed = parseProfiles(decode(bytes) ?? '');
  if (parsed.kind === 'profiles') return parsed.file;
  throw new Failure(
    'config-damaged',
    `The profiles in ${place.file} cannot be read: the file ${parsed.problem}. It was left as it is; nothing was sent.`,
    {
      hint: `Mend it by hand, or set it aside and add the profiles again: mv ${quoted(place.file)} ${quoted(`${place.file}.damaged`)}`,
    },
  );
}

function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
