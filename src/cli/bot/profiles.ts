import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { configFolder, type Env } from '../../machine/folders.ts';
import { diskTrouble, listed } from '../say/phrases.ts';
import { addingProfile, reservedMeaning } from '../say/profiles.ts';
import { Told, type ToldDetails, told } from '../say/told.ts';
import type { TokenSource } from './tokenSource.ts';

export type ProfilesPaths = { readonly folder: string; readonly file: string };

export function profilesPaths(env: Env): ProfilesPaths {
  const folder = configFolder(env);
  return { folder, file: join(folder, 'config.json') };
}

/** The stored profiles. Reading does not load conf. A missing file means no profiles. */
export function readProfiles(paths: ProfilesPaths): ProfilesFile {
  checkFolder(paths.folder);
  const bytes = readPrivate(paths.file);
  if (bytes === undefined) return noProfiles;
  const parsed = parseProfiles(decode(bytes) ?? '');
  if (parsed.kind === 'profiles') return parsed.file;
  throw told('config-damaged', { next: [{ shell: [['mv', paths.file, `${paths.file}.damaged`]] }] })`
    The profiles in ${paths.file} cannot be read: the file ${parsed.problem}
    Fix it by hand, or move it out of the way and add the profiles again:`;
}

function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The profile with that name, or a failure that lists the existing ones. `source` says where the name came from. */
export function findProfile(file: ProfilesFile, name: string, source?: string): ProfileRecord {
  const profile = profileOf(file, name);
  if (profile === undefined) throw noSuchProfile(name, Object.keys(file.profiles), source);
  return profile;
}

const text = z.string();
const optionalText = z.optional(text);

const source: z.ZodMiniType<TokenSource> = z.discriminatedUnion('kind', [
  z.looseObject({ kind: z.literal('stored'), secret: text }),
  z.looseObject({ kind: z.literal('env'), variable: text }),
  z.looseObject({ kind: z.literal('file'), path: text }),
  z.looseObject({ kind: z.literal('command'), command: text }),
]);

// Loose, so that fields written by a newer botctl survive when this one rewrites the file.
const profile = z.looseObject({
  'base-url': text,
  token: source,
  timeout: optionalText,
  'max-wait': optionalText,
  policy: optionalText,
  'rpc-url': z.optional(source),
  cluster: optionalText,
  wallet: optionalText,
  assets: z.optional(z.record(text, text)),
});

const profilesFile = z.looseObject({
  version: z.literal(1),
  'in-use': optionalText,
  /** The journal of every command that names no other: a file, or a URL without a password. */
  journal: optionalText,
  profiles: z.record(text, profile),
});

/** One profile as stored. Its values are checked when they are used, so one bad value affects no other profile. */
export type ProfileRecord = z.infer<typeof profile>;

export type ProfilesFile = z.infer<typeof profilesFile>;

const noProfiles: ProfilesFile = { version: 1, profiles: {} };

/** The parsed file, or why it cannot be parsed. The text may hold secrets, so it is never quoted. */
type Parsed =
  | { readonly kind: 'profiles'; readonly file: ProfilesFile }
  | { readonly kind: 'damaged'; readonly problem: string };

function parseProfiles(content: string): Parsed {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch (error) {
    return { kind: 'damaged', problem: jsonProblem(error, content) };
  }
  const parsed = profilesFile.safeParse(value);
  if (parsed.success) return { kind: 'profiles', file: parsed.data };
  const path = parsed.error.issues[0]?.path.join('.') ?? '';
  return {
    kind: 'damaged',
    problem: profilesProblems.unexpected(path),
  };
}

function jsonProblem(error: unknown, content: string): string {
  const [, digits] = /position (\d+)/u.exec(error instanceof Error ? error.message : '') ?? [];
  if (digits === undefined) return profilesProblems[content.trim() === '' ? 'empty' : 'notJson'];
  const before = content.slice(0, Number(digits)).split('\n');
  return profilesProblems.notJsonAt(before.length, (before.at(-1)?.length ?? 0) + 1);
}

export function profileOf(file: ProfilesFile, name: string): ProfileRecord | undefined {
  return Object.hasOwn(file.profiles, name) ? file.profiles[name] : undefined;
}

const groupAndOthers = 0o077;

function ownerDanger(path: string, uid: number): Danger | undefined {
  const me = process.getuid?.();
  if (me === undefined || uid === me) return undefined;
  return ownedByAnother(path, uid, me);
}

function modeDanger(path: string, stats: Stats, mode: number): Danger | undefined {
  if ((stats.mode & groupAndOthers) === 0) return undefined;
  return openToOthers(path, stats.mode & 0o777, mode);
}

export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Refuses a folder that others can read or change, or that is a link. An absent folder is fine. */
export function checkFolder(path: string): void {
  let stats: Stats;
  try {
    stats = lstatSync(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return;
    throw unreadablePlace(path, diskTrouble(error));
  }
  const danger = stats.isSymbolicLink()
    ? symbolicLink(path, 0o700)
    : stats.isDirectory()
      ? (ownerDanger(path, stats.uid) ?? modeDanger(path, stats, 0o700))
      : notA('folder', path);
  if (danger !== undefined) throw unsafePlace(path, danger);
}

/** Reads a file that only its user may read; undefined if there is no such file. */
export function readPrivate(path: string): Buffer | undefined {
  let descriptor: number;
  try {
    // The checks use the opened file itself. O_NONBLOCK: a pipe at this path must not hang the command.
    descriptor = openSync(
      path,
      constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
    );
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    if (errorCode(error) === 'ELOOP') throw unsafePlace(path, symbolicLink(path, 0o600));
    throw unreadablePlace(path, diskTrouble(error));
  }
  try {
    const stats = fstatSync(descriptor);
    const danger = stats.isFile()
      ? (ownerDanger(path, stats.uid) ?? modeDanger(path, stats, 0o600))
      : notA('file', path);
    if (danger !== undefined) throw unsafePlace(path, danger);
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function noSuchProfile(name: string, names: readonly string[], source?: string): Told {
  const meaning = reservedMeaning(name);
  const found = source === undefined ? '' : ` (${source})`;
  return new Told('no-such-profile', `There is no profile ${name}${found}`, {
    ...(meaning === undefined ? knownProfiles(names) : { hint: `${name} ${meaning}.` }),
  });
}

function knownProfiles(names: readonly string[]): ToldDetails {
  if (names.length === 0) return { hint: 'There are no profiles yet. Add one:', next: addingProfile };
  return {
    hint: names.length === 1 ? `The only profile is ${names[0]}.` : `The profiles are ${listed(names)}.`,
  };
}

const profilesProblems = {
  empty: 'is not JSON: it is empty',
  notJson: 'is not JSON',
  notJsonAt: (line: number, column: number) => `is not JSON (line ${line}, column ${column})`,
  unexpected: (path: string) => `has an unexpected value at ${path === '' ? 'its top level' : path}`,
} as const;

/** What makes a file or folder unsafe for a token, with the commands that fix it. */
type Danger = {
  readonly problem: string;
  readonly fix: readonly (readonly string[])[];
  readonly hint?: string;
};

function ownedByAnother(path: string, uid: number, me: number): Danger {
  const chown = ['chown', String(me), path];
  return {
    problem: `belongs to another user (uid ${uid}; you are ${me})`,
    ...(me === 0
      ? { hint: 'Run botctl as that user, without sudo. Or change its owner to root:', fix: [chown] }
      : { hint: 'Change its owner to you:', fix: [['sudo', ...chown]] }),
  };
}

function openToOthers(path: string, mode: number, privateMode: number): Danger {
  return {
    problem: `is open to other users (mode ${mode.toString(8)})`,
    fix: [chmod(privateMode, path)],
  };
}

function symbolicLink(path: string, privateMode: number): Danger {
  const aside = `${path}.link`;
  return {
    problem: 'is a symbolic link',
    hint: 'Replace it with a copy of what it points to:',
    fix: [['mv', path, aside], ['cp', '-RH', aside, path], chmod(privateMode, path)],
  };
}

function notA(what: 'file' | 'folder', path: string): Danger {
  return {
    problem: `is not a ${what}`,
    hint: 'Move it out of the way:',
    fix: [['mv', path, `${path}.old`]],
  };
}

function chmod(mode: number, path: string): string[] {
  return ['chmod', mode.toString(8), path];
}

function unsafePlace(path: string, { problem, fix, hint = 'Make it private:' }: Danger): Told {
  return told('config-unsafe', { hint, next: [{ shell: fix }] })`${path} ${problem}, so it was not read`;
}

function unreadablePlace(path: string, reason: string): Told {
  return told('config-unsafe', { next: [{ shell: [['ls', '-ld', path]] }] })`${path} cannot be read: ${reason}
    Check its permissions:`;
}
