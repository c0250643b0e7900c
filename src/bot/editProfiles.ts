import { type BaseUrl, originOf, parseBaseUrl } from '../intent/baseUrl.ts';
import { profileExists, tokenOfOtherOrigin } from '../words/profileChanges.ts';
import { theProfile } from '../words/tokenOrigin.ts';
import { type ChainKey, chainKeys } from './chainKeys.ts';
import { parseAssets, readCluster, readWallet, refuseSameHosts } from './chainProfile.ts';
import { findProfile } from './findProfile.ts';
import { checkNewName } from './profileName.ts';
import { type ProfileRecord, type ProfilesFile, profileOf } from './profilesFile.ts';
import { RpcUrl } from './rpcUrl.ts';
import { type SettingKey, settingKeys } from './settingKeys.ts';
import { readSettings, type SettingTexts } from './settings.ts';
import type { TokenSource } from './tokenSource.ts';

/** What `config set` can change. */
export const profileKeys = ['base-url', 'token', ...settingKeys, ...chainKeys] as const;

export type ProfileKey = (typeof profileKeys)[number];

type NewProfile = {
  readonly baseUrl: BaseUrl;
  readonly source: TokenSource;
  readonly settings: SettingTexts;
  readonly use: boolean;
};

/** Refuses a name that is taken or cannot be one: asked before the token is, and again under the lock. */
export function checkFree(file: ProfilesFile, name: string): void {
  checkNewName(name);
  if (profileOf(file, name) === undefined) return;
  throw profileExists(name);
}

/** The first profile is in use from the start; a later one only if that is asked for. */
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

/** In its place among the others, and in use if it was. */
export function renameProfile(file: ProfilesFile, name: string, newName: string): ProfilesFile {
  findProfile(file, name);
  checkFree(file, newName);
  const profiles = Object.entries(file.profiles).map(([one, profile]) => [
    one === name ? newName : one,
    profile,
  ]);
  return {
    ...file,
    'in-use': file['in-use'] === name ? newName : file['in-use'],
    profiles: Object.fromEntries(profiles),
  };
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

/** In the place of those before it, or beside them. */
export function setRpcUrl(
  file: ProfilesFile,
  name: string,
  source: TokenSource,
  adds: boolean,
): ProfilesFile {
  const profile = findProfile(file, name);
  const before = adds ? (profile['rpc-url'] ?? []) : [];
  const sources = [...before, source];
  refuseSameHosts(
    sources.flatMap((one) => (one.kind === 'stored' ? RpcUrl.from(one.secret, theProfile(name)) : [])),
  );
  return replace(file, name, { ...profile, 'rpc-url': sources });
}

export function unsetSetting(file: ProfilesFile, name: string, key: SettingKey | ChainKey): ProfilesFile {
  const { [key]: _removed, ...kept } = findProfile(file, name);
  return replace(file, name, kept as ProfileRecord);
}

export function setToken(file: ProfilesFile, name: string, source: TokenSource): ProfilesFile {
  return replace(file, name, { ...findProfile(file, name), token: source });
}

/** Whether a profile's token belongs to another origin than this base URL, and has to be given again. */
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
