import { type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { errorCodeOf } from '../../machine/disk.ts';
import { configFolder, type Env } from '../../machine/folders.ts';
import { readSmall } from '../../machine/smallFile.ts';
import { Failure, failureWith } from '../../once/failures.ts';
import { diskTrouble, listed } from '../../once/phrases.ts';
import { addingProfile, reservedMeaning } from '../wording/profiles.ts';

const text = z.string();
const optionalText = z.optional(text);

const source = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('stored'), secret: text }),
  z.strictObject({ kind: z.literal('env'), variable: text }),
  z.strictObject({ kind: z.literal('file'), path: text }),
  z.strictObject({ kind: z.literal('command'), command: text }),
]);

const profile = z.strictObject({
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

const profilesFile = z.strictObject({
  version: z.literal(1),
  'in-use': optionalText,
  /** The journal of every command that names no other: a file, or a URL without a password. */
  journal: optionalText,
  profiles: z.record(text, profile),
});

/** Where a secret comes from: it is stored here, or read from another place each time. */
export type TokenSource = z.infer<typeof source>;

/** One profile as stored. Its values are checked when they are used, so one bad value affects no other profile. */
export type ProfileRecord = z.infer<typeof profile>;

export type ProfilesFile = z.infer<typeof profilesFile>;

export type ProfilesPaths = { readonly folder: string; readonly file: string };

export function profilesPaths(env: Env): ProfilesPaths {
  const folder = configFolder(env);
  return { folder, file: join(folder, 'config.json') };
}

export const noProfiles: ProfilesFile = { version: 1, profiles: {} };

/** The stored profiles; a missing file means none. Importing conf would take 19 ms on Node 20. */
export function readProfiles({ folder, file }: ProfilesPaths): ProfilesFile {
  try {
    refuseUnsafe(folder, statSync(folder));
    const { bytes, stats } = readSmall(file);
    refuseUnsafe(file, stats);
    return parseProfiles(bytes, file);
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return noProfiles;
    if (error instanceof Failure) throw error;
    throw failureWith('config-unsafe', { next: [{ shell: [['ls', '-ld', file]] }] })`
      ${file} cannot be read: ${diskTrouble(error)}
      Check its type and its permissions:`;
  }
}

/** The text may contain tokens, so it is never quoted. */
function parseProfiles(bytes: Buffer, path: string): ProfilesFile {
  const parsed = profilesFile.safeParse(parsedJson(bytes));
  if (parsed.success) return parsed.data;
  const place = parsed.error.issues[0]?.path.join('.') || 'its top level';
  const problem = parsedJson(bytes) === undefined ? 'is not JSON' : `has an unexpected value at ${place}`;
  throw failureWith('config-damaged', { next: [{ shell: [['mv', path, `${path}.damaged`]] }] })`
    The profiles in ${path} cannot be read: the file ${problem}
    Fix it by hand: it may also name the journal, and another journal knows no earlier payment. If it cannot be fixed, move it out of the way, and set the profiles and the journal again:`;
}

function parsedJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

/** Refuses a file or folder that others can read or change. */
function refuseUnsafe(path: string, { uid, mode }: Stats): void {
  const me = process.getuid?.() ?? uid;
  const why =
    uid === me
      ? (mode & 0o077) !== 0 && `is open to other users (mode ${(mode & 0o777).toString(8)})`
      : `belongs to another user (uid ${uid}; you are ${me})`;
  if (why === false) return;
  const mended =
    uid === me ? ['chmod', 'go=', path] : [...(me === 0 ? [] : ['sudo']), 'chown', `${me}`, path];
  throw failureWith('config-unsafe', { next: [{ shell: [mended] }] })`${path} ${why}, so it was not read
    Make it yours alone:`;
}

export function profileOf(file: ProfilesFile, name: string): ProfileRecord | undefined {
  return Object.hasOwn(file.profiles, name) ? file.profiles[name] : undefined;
}

/** The profile with that name, or a failure that lists the existing ones. `source` says where the name came from. */
export function findProfile(file: ProfilesFile, name: string, source?: string): ProfileRecord {
  const profile = profileOf(file, name);
  if (profile !== undefined) return profile;
  const meaning = reservedMeaning(name);
  const names = Object.keys(file.profiles);
  throw new Failure(
    'no-such-profile',
    `There is no profile ${name}${source === undefined ? '' : ` (${source})`}`,
    {
      ...(meaning !== undefined
        ? { hint: `${name} ${meaning}.` }
        : names.length === 0
          ? { hint: 'There are no profiles yet. Add one:', next: addingProfile }
          : { hint: `The profiles are ${listed(names)}.` }),
    },
  );
}
