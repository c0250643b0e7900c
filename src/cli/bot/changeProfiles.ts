import { accessSync, chmodSync, constants, existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { makeFolder, syncFolder } from '../../machine/disk.ts';
import { type HeldLock, takeLock } from '../../machine/fileLock.ts';
import { Failure } from '../../once/failures.ts';
import { type BaseUrl, originOf, parseBaseUrl } from '../../once/intent/baseUrl.ts';
import { type ChainKey, chainKeys, type SettingKey, settingKeys } from '../parse/setUpSpecs.ts';
import {
  interruptedBeforeChange,
  profilesBusy,
  profilesNotWritable,
  tokenOfOtherOrigin,
} from '../say/config.ts';
import { diskTrouble } from '../say/phrases.ts';
import { reservedMeaning } from '../say/profiles.ts';
import { told } from '../say/told.ts';
import { parseAssets, readCluster, readWallet } from './profileBot.ts';
import {
  checkFolder,
  errorCode,
  findProfile,
  type ProfileRecord,
  type ProfilesFile,
  type ProfilesPaths,
  profileOf,
  readPrivate,
  readProfiles,
} from './profiles.ts';
import { readSettings, type SettingTexts } from './settings.ts';
import type { TokenSource } from './tokenSource.ts';

const sliceMs = 250;
const slices = 120;

/** Reads, changes and writes the profiles under one lock, so that no other writer’s change is lost. */
export async function changeProfiles(
  paths: ProfilesPaths,
  change: (file: ProfilesFile) => ProfilesFile,
  interrupted: AbortSignal,
): Promise<ProfilesFile> {
  checkFolder(paths.folder);
  const lock = await lockStore(paths, interrupted);
  try {
    const before = readProfiles(paths);
    const after = change(before);
    if (JSON.stringify(before) !== JSON.stringify(after)) await write(paths, after);
    return after;
  } finally {
    lock.release();
  }
}

/** Waits for the lock in slices: SQLite blocks the event loop while it waits, and Ctrl-C must be noticed. */
async function lockStore(paths: ProfilesPaths, interrupted: AbortSignal): Promise<HeldLock> {
  const path = join(paths.folder, 'config.lock');
  for (let slice = 0; slice < slices; slice += 1) {
    if (interrupted.aborted) throw interruptedBeforeChange();
    const lock = writing(paths, () => {
      if (makeFolder(paths.folder)) chmodSync(paths.folder, 0o700);
      // SQLite would only say that it cannot open the file.
      accessSync(paths.folder, constants.W_OK);
      return takeLock(path, sliceMs);
    });
    if (lock !== undefined) return lock;
    await nextTurn();
  }
  throw profilesBusy(slices * sliceMs, path);
}

/**
 * conf writes a draft. The draft replaces the file only if it reads back whole: on a nearly full disk conf's own write
 * can come out short without an error, and inside a snap it is not atomic.
 */
async function write(paths: ProfilesPaths, file: ProfilesFile): Promise<void> {
  const { default: Conf } = await import('conf');
  const draft = join(paths.folder, 'draft.json');
  writing(paths, () => {
    try {
      removeDrafts(paths.folder);
      const conf = new Conf<Record<string, unknown>>({
        cwd: paths.folder,
        configName: 'draft',
        configFileMode: 0o600,
        clearInvalidConfig: false,
        accessPropertiesByDotNotation: false,
        serialize: serialized,
      });
      conf.store = file;
      chmodSync(draft, 0o600);
      assertWhole(draft, file);
      renameSync(draft, paths.file);
      syncFolder(paths.folder);
    } finally {
      removeDrafts(paths.folder);
    }
  });
}

/** Also removes the drafts of a killed writer: they may hold tokens. */
function removeDrafts(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (name.startsWith('draft.json')) rmSync(join(folder, name), { force: true });
  }
}

function serialized(file: Record<string, unknown>): string {
  return `${JSON.stringify(file, undefined, 2)}\n`;
}

function assertWhole(draft: string, file: ProfilesFile): void {
  if (readPrivate(draft)?.toString('utf8') === serialized(file)) return;
  throw Object.assign(new Error('only a part of the file was written'), { code: 'ENOSPC' });
}

/** The path itself or, if it does not exist, the nearest folder above it that does. */
function nearestFolder(path: string): string {
  const above = dirname(path);
  return existsSync(path) || above === path ? path : nearestFolder(above);
}

function writing<Result>(paths: ProfilesPaths, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof Failure) throw error;
    const code = errorCode(error);
    if (code === undefined) throw error;
    throw profilesNotWritable({
      folder: paths.folder,
      nearest: nearestFolder(paths.folder),
      reason: diskTrouble(error),
      isFull: code === 'ENOSPC' || code === 'EDQUOT',
    });
  }
}

/** What `config set` can change. */
export const profileKeys = ['base-url', 'token', ...settingKeys, ...chainKeys] as const;

export type ProfileKey = (typeof profileKeys)[number];

type NewProfile = {
  readonly baseUrl: BaseUrl;
  readonly source: TokenSource;
  readonly settings: SettingTexts;
  readonly use: boolean;
};

/** Refuses a name that is taken or not allowed. Checked before the token is asked for, and again under the lock. */
export function checkFree(file: ProfilesFile, name: string): void {
  checkNewName(name);
  if (profileOf(file, name) === undefined) return;
  throw told('not-allowed-now')`The profile ${name} already exists
    Change it, or remove it first:
    $ config set ${name} SETTING VALUE
    $ config remove ${name}`;
}

/** The first profile is used from the start; a later one only on request. */
export function addProfile(file: ProfilesFile, name: string, added: NewProfile): ProfilesFile {
  checkFree(file, name);
  readSettings(added.settings, (key) => `--${key}`);
  const profile: ProfileRecord = { 'base-url': added.baseUrl, token: added.source, ...added.settings };
  const inUse = added.use || Object.keys(file.profiles).length === 0 ? name : file['in-use'];
  return { ...file, 'in-use': inUse, profiles: { ...file.profiles, [name]: profile } };
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

export function setSetting(file: ProfilesFile, name: string, key: SettingKey, value: string): ProfilesFile {
  readSettings({ [key]: value }, () => key);
  return replace(file, name, { ...findProfile(file, name), [key]: value });
}

/** A name, an address, or names and mints. */
export function setChainKey(
  file: ProfilesFile,
  name: string,
  key: Exclude<ChainKey, 'rpc-url'>,
  value: string,
): ProfilesFile {
  const profile = findProfile(file, name);
  if (key === 'assets') return replace(file, name, { ...profile, assets: { ...parseAssets(value) } });
  if (key === 'cluster') readCluster(value);
  else readWallet(value);
  return replace(file, name, { ...profile, [key]: value });
}

export function setRpcUrl(file: ProfilesFile, name: string, source: TokenSource): ProfilesFile {
  return replace(file, name, { ...findProfile(file, name), 'rpc-url': source });
}

export function unsetSetting(file: ProfilesFile, name: string, key: SettingKey | ChainKey): ProfilesFile {
  const { [key]: _removed, ...kept } = findProfile(file, name);
  return replace(file, name, kept as ProfileRecord);
}

export function setToken(file: ProfilesFile, name: string, source: TokenSource): ProfilesFile {
  return replace(file, name, { ...findProfile(file, name), token: source });
}

/** Whether the profile's token belongs to another origin than this base URL, so that it must be entered again. */
export function needsTokenAgain(profile: ProfileRecord, baseUrl: BaseUrl): boolean {
  return originOf(parseBaseUrl(profile['base-url'])) !== originOf(baseUrl);
}

export function setBaseUrl(
  file: ProfilesFile,
  name: string,
  baseUrl: BaseUrl,
  source: TokenSource | undefined,
): ProfilesFile {
  const profile = findProfile(file, name);
  if (source === undefined && needsTokenAgain(profile, baseUrl))
    throw tokenOfOtherOrigin(name, profile['base-url']);
  return replace(file, name, { ...profile, 'base-url': baseUrl, token: source ?? profile.token });
}

export function isSettingKey(key: string): key is SettingKey {
  return settingKeys.some((known) => known === key);
}

export function isChainKey(key: string): key is ChainKey {
  return chainKeys.some((known) => known === key);
}

export function isProfileKey(key: string): key is ProfileKey {
  return profileKeys.some((known) => known === key);
}

function replace(file: ProfilesFile, name: string, profile: ProfileRecord): ProfilesFile {
  return { ...file, profiles: { ...file.profiles, [name]: profile } };
}

const longestName = 64;

/** Refuses a name that a new profile cannot have. */
function checkNewName(name: string): void {
  const meaning = reservedMeaning(name);
  if (meaning !== undefined)
    throw told('bad-input')`A profile cannot be called ${name}: that name ${meaning}
      Choose another name, such as the bot’s own.`;
  if (name.length <= longestName && /^[A-Za-z0-9][A-Za-z0-9._-]*$/u.test(name)) return;
  throw told('bad-input')`${JSON.stringify(name)} cannot be the name of a profile
    Use letters, digits, dots, underscores and hyphens, starting with a letter or digit, at most ${longestName} characters.`;
}
