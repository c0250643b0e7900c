import { identityUrl, parseBaseUrl } from '../intent/baseUrl.ts';
import type { Env } from '../machine/folders.ts';
import { foreignBaseUrl, keyOfProfile, namedIn, noBot, theOneInUse } from '../words/profiles.ts';
import { theProfile, tokenOrigin } from '../words/tokenOrigin.ts';
import type { Bot } from './bot.ts';
import type { BotInputs, GivenBaseUrl } from './botInputs.ts';
import { chainProfileOf } from './chainProfile.ts';
import { findProfile } from './findProfile.ts';
import { type ProfileRecord, profileOf } from './profilesFile.ts';
import { profilesPaths, readProfiles } from './readProfiles.ts';
import { readToken } from './readToken.ts';
import { readSettings, type Settings } from './settings.ts';

/** The bot of the profile that `--profile` or `BOTCTL_PROFILE` names. */
export async function botNamed(
  name: string,
  namedBy: '--profile' | 'BOTCTL_PROFILE',
  given: GivenBaseUrl | undefined,
  inputs: BotInputs,
): Promise<Bot> {
  const file = readProfiles(profilesPaths(inputs.env));
  return botOf(name, findProfile(file, name, namedIn(namedBy)), given, inputs);
}

/** The bot of the profile in use. */
export async function botInUse(given: GivenBaseUrl | undefined, inputs: BotInputs): Promise<Bot> {
  const file = readProfiles(profilesPaths(inputs.env));
  const name = file['in-use'];
  if (name === undefined) throw noBot(Object.keys(file.profiles));
  return botOf(name, findProfile(file, name, theOneInUse), given, inputs);
}

/** The bot of a profile at its own base URL, whatever the command line says. */
export async function botAtOwnUrl(name: string, inputs: BotInputs): Promise<Bot | undefined> {
  const profile = profileOf(readProfiles(profilesPaths(inputs.env)), name);
  return profile === undefined ? undefined : botOf(name, profile, undefined, inputs);
}

/** Of the profile that is named, or of the one in use. */
export function settingsOfProfile(
  named: { readonly name: string; readonly namedBy: '--profile' | 'BOTCTL_PROFILE' } | undefined,
  env: Env,
): Settings {
  const file = readProfiles(profilesPaths(env));
  const name = named?.name ?? file['in-use'];
  if (name === undefined) return {};
  const profile = findProfile(file, name, named === undefined ? theOneInUse : namedIn(named.namedBy));
  return readSettings(profile, (key) => keyOfProfile(key, name));
}

async function botOf(
  name: string,
  profile: ProfileRecord,
  given: GivenBaseUrl | undefined,
  inputs: BotInputs,
): Promise<Bot> {
  const spelledUrl = parseBaseUrl(profile['base-url'], keyOfProfile('base-url', name));
  // Neither followed nor ignored: an exported staging URL would pay through production.
  if (given !== undefined && identityUrl(given.baseUrl) !== identityUrl(spelledUrl))
    throw foreignBaseUrl({ name, own: spelledUrl, given });
  const settings = readSettings(profile, (key) => keyOfProfile(key, name));
  const token = await readToken(profile.token, name, inputs);
  return {
    name,
    baseUrl: identityUrl(spelledUrl),
    spelledUrl,
    token,
    tokenSource: `${theProfile(name)}: ${tokenOrigin(profile.token)}`,
    settings,
    chain: chainProfileOf(name, profile, inputs),
  };
}

/** The chain of a profile, without its token; undefined where the profile is gone. */
export function chainAtProfile(
  name: string,
  inputs: BotInputs,
): Pick<Bot, 'name' | 'chain' | 'settings'> | undefined {
  const profile = profileOf(readProfiles(profilesPaths(inputs.env)), name);
  if (profile === undefined) return undefined;
  const settings = readSettings(profile, (key) => keyOfProfile(key, name));
  return { name, settings, chain: chainProfileOf(name, profile, inputs) };
}
