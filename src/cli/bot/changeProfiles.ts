import { join } from 'node:path';
import { errorCodeOf, makeFolder } from '../../machine/disk.ts';
import { whileLocked } from '../../machine/fileLock.ts';
import { originOf, parseBaseUrl } from '../../once/entry/baseUrl.ts';
import { Failure, failureWith } from '../../once/failures.ts';
import { diskTrouble, formatDuration } from '../../once/phrases.ts';
import { reservedMeaning } from '../wording/profiles.ts';
import { checkProfile } from './chooseBot.ts';
import {
  findProfile,
  type ProfileRecord,
  type ProfilesFile,
  type ProfilesPaths,
  profileOf,
  readProfiles,
} from './profiles.ts';

const lockWaitMs = 5000;

/** Reads, changes and writes the profiles under one lock, which conf lacks: no other writer's change is lost. */
export async function changeProfiles(
  paths: ProfilesPaths,
  change: (file: ProfilesFile) => ProfilesFile,
): Promise<ProfilesFile> {
  const { default: Conf } = await import('conf');
  const { folder } = paths;
  try {
    makeFolder(folder);
    return whileLocked(join(folder, 'config.lock'), lockWaitMs, profilesBusy, () => {
      // A damaged file is refused here: conf would empty it or show a part of it.
      const changed = change(readProfiles(paths));
      const conf = new Conf({ cwd: folder, configFileMode: 0o600, accessPropertiesByDotNotation: false });
      conf.store = changed;
      return changed;
    });
  } catch (error) {
    if (error instanceof Failure || errorCodeOf(error) === undefined) throw error;
    throw failureWith('config-not-writable')`The profiles could not be written: ${diskTrouble(error)}
      Make sure that you can write to ${folder} and that its disk has space. Then run the same command again.`;
  }
}

function profilesBusy(): Failure {
  return failureWith('config-not-writable')`
    Another botctl process has been writing the profiles for ${formatDuration(lockWaitMs)}
    Run the same command again.`;
}

/** Refuses a name that is taken or not allowed. Checked before the token is asked for, and again under the lock. */
export function checkFree(file: ProfilesFile, name: string): void {
  checkNewName(name);
  if (profileOf(file, name) === undefined) return;
  throw failureWith('not-allowed-now')`The profile ${name} already exists
    Change it, or remove it first:
    $ config set ${name} SETTING VALUE
    $ config remove ${name}`;
}

/** The first profile is used from the start; a later one only on request. */
export function addProfile(
  file: ProfilesFile,
  name: string,
  profile: ProfileRecord,
  use: boolean,
): ProfilesFile {
  checkFree(file, name);
  const inUse = use || Object.keys(file.profiles).length === 0 ? name : file['in-use'];
  return { ...withProfile(file, name, profile), 'in-use': inUse };
}

export function removeProfile(file: ProfilesFile, name: string): ProfilesFile {
  findProfile(file, name);
  const { [name]: _removed, ...profiles } = file.profiles;
  return { ...file, 'in-use': file['in-use'] === name ? undefined : file['in-use'], profiles };
}

export function useProfile(file: ProfilesFile, name: string): ProfilesFile {
  findProfile(file, name);
  return { ...file, 'in-use': name };
}

/** Changes some settings of a profile. A setting that becomes undefined has its default again. */
export function changeProfile(
  file: ProfilesFile,
  name: string,
  change: Partial<ProfileRecord>,
): ProfilesFile {
  const before = findProfile(file, name);
  const { 'base-url': baseUrl, token } = change;
  if (baseUrl !== undefined && token === undefined && needsTokenAgain(before, baseUrl))
    throw tokenOfOtherOrigin(name, before);
  return withProfile(file, name, { ...before, ...change });
}

/** Whether the profile's token is for an origin other than this base URL's. */
export function needsTokenAgain(profile: ProfileRecord, baseUrl: string): boolean {
  return originOf(parseBaseUrl(profile['base-url'])) !== originOf(baseUrl);
}

export function tokenOfOtherOrigin(name: string, profile: ProfileRecord): Failure {
  return failureWith(
    'base-url',
  )`The token of profile ${name} is for ${profile['base-url']} and is never sent elsewhere
    Give the token for the new address too: --token-stdin, --token-env, --token-file or --token-command. On a terminal, botctl asks for it.`;
}

function withProfile(file: ProfilesFile, name: string, profile: ProfileRecord): ProfilesFile {
  checkProfile(name, profile);
  return { ...file, profiles: { ...file.profiles, [name]: profile } };
}

const longestName = 64;

/** Refuses a name that a new profile cannot have. */
function checkNewName(name: string): void {
  const meaning = reservedMeaning(name);
  if (meaning !== undefined)
    throw failureWith('bad-input')`A profile cannot be called ${name}: that name ${meaning}
      Choose another name, such as the bot’s own.`;
  if (name.length <= longestName && /^[A-Za-z0-9][A-Za-z0-9._-]*$/u.test(name)) return;
  throw failureWith('bad-input')`${JSON.stringify(name)} cannot be the name of a profile
    Use letters, digits, dots, underscores and hyphens, starting with a letter or digit, at most ${longestName} characters.`;
}
