import type { Given } from '../../cli/given.ts';
import type { Context } from '../../context.ts';
import { type Exit, Failure } from '../../errors.ts';
import type { BaseUrl } from '../../intent/baseUrl.ts';
import {
  isProfileKey,
  needsTokenAgain,
  otherOrigin,
  type ProfileKey,
  profileKeys,
  setBaseUrl,
  setSetting,
  setToken,
} from '../../profile/edit.ts';
import { findProfile } from '../../profile/findProfile.ts';
import { parseNamedUrl } from '../../profile/namedUrl.ts';
import { givesSource, newSource } from '../../profile/newSource.ts';
import type { ProfilesFile } from '../../profile/profilesFile.ts';
import { readProfiles, storePlace } from '../../profile/store.ts';
import type { TokenSource } from '../../profile/tokenSource.ts';
import { changeAndShow } from './changeAndShow.ts';
import { sourceOptions, sourceWorld } from './tokenOptions.ts';

export async function run(given: Given, context: Context): Promise<Exit> {
  const [name = '', key = '', value] = given.args;
  findProfile(readProfiles(storePlace(context.env)), name);
  const change = await changeFor(name, checkedKey(key), value, given, context);
  return changeAndShow(given, context, name, change, `Set ${key} of profile ${name}.`);
}

async function changeFor(
  name: string,
  key: ProfileKey,
  value: string | undefined,
  given: Given,
  context: Context,
): Promise<(file: ProfilesFile) => ProfilesFile> {
  if (key === 'token') {
    refuseValue(value);
    const source = await newSource(sourceOptions(given), sourceWorld(name, context));
    return (file) => setToken(file, name, source);
  }
  const text = requiredValue(name, key, value);
  if (key === 'base-url') {
    const baseUrl = parseNamedUrl(text, 'base-url');
    const source = await sourceFor(name, baseUrl, given, context);
    return (file) => setBaseUrl(file, name, baseUrl, source);
  }
  if (givesSource(sourceOptions(given))) {
    throw new Failure('usage', `A token has nothing to do with ${key}; nothing was changed.`, {
      hint: `Set one thing at a time: botctl config set ${name} token, then botctl config set ${name} ${key}.`,
    });
  }
  return (file) => setSetting(file, name, key, text);
}

/** The token to go with a new base URL: the given one, or an asked one if the old one must not go there. */
async function sourceFor(
  name: string,
  baseUrl: BaseUrl,
  given: Given,
  context: Context,
): Promise<TokenSource | undefined> {
  const options = sourceOptions(given);
  const profile = findProfile(readProfiles(storePlace(context.env)), name);
  if (!givesSource(options)) {
    if (!needsTokenAgain(profile, baseUrl)) return undefined;
    if (!context.display.interactive) throw otherOrigin(name, profile);
    context.display.notice(`The token of ${name} belongs to ${profile['base-url']}: a new one is needed.`);
  }
  return newSource(options, sourceWorld(name, context));
}

function checkedKey(key: string): ProfileKey {
  if (isProfileKey(key)) return key;
  throw new Failure('bad-input', `A profile has no key ${JSON.stringify(key)}; nothing was changed.`, {
    hint: `The keys are ${profileKeys.join(', ')}.`,
  });
}

function requiredValue(name: string, key: ProfileKey, value: string | undefined): string {
  if (value !== undefined) return value;
  throw new Failure('usage', `${key} needs a value; nothing was changed.`, {
    hint: `Write botctl config set ${name} ${key} VALUE, or botctl config unset ${name} ${key}.`,
  });
}

/** The value is not echoed: it is a token that by now stands in the shell's history. */
function refuseValue(value: string | undefined): void {
  if (value === undefined) return;
  throw new Failure(
    'usage',
    'A token is never an argument: arguments show in ps and in the shell’s history.',
    {
      hint: 'Nothing was changed. If that was the token, have a new one issued. Leave it out to be asked, or use --token-stdin.',
    },
  );
}
