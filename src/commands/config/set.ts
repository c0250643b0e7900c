import {
  isChainKey,
  isProfileKey,
  needsTokenAgain,
  type ProfileKey,
  profileKeys,
  setBaseUrl,
  setChainKey,
  setRpcUrl,
  setSetting,
  setToken,
} from '../../bot/editProfiles.ts';
import { findProfile } from '../../bot/findProfile.ts';
import { givesSource } from '../../bot/newSource.ts';
import type { ProfilesFile } from '../../bot/profilesFile.ts';
import { profilesPaths, readProfiles } from '../../bot/readProfiles.ts';
import { RpcUrl } from '../../bot/rpcUrl.ts';
import type { TokenSource } from '../../bot/tokenSource.ts';
import type { Given } from '../../cli/given.ts';
import type { Context } from '../../context.ts';
import type { Exit } from '../../errors.ts';
import { type BaseUrl, parseBaseUrl } from '../../intent/baseUrl.ts';
import { inWords } from '../../words/inWords.ts';
import { tokenAsArgument } from '../../words/newToken.ts';
import { policyNotUsable } from '../../words/policyFile.ts';
import {
  keySet,
  keyWithoutValue,
  newTokenNeeded,
  tokenBesideKey,
  tokenOfOtherOrigin,
  unknownProfileKey,
} from '../../words/profileChanges.ts';
import { addIsForRpcUrl, rpcUrlAsArgument } from '../../words/rpcUrl.ts';
import { problemOf } from '../../words/told.ts';
import { changeAndShow } from './changeAndShow.ts';
import { givenRpcSource, givenSource, sourceOptions } from './tokenOptions.ts';

export async function run(given: Given, context: Context): Promise<Exit> {
  const [name = '', key = '', value] = given.args;
  findProfile(readProfiles(profilesPaths(context.env)), name);
  const change = await changeFor(name, checkedKey(key), value, given, context);
  const exit = await changeAndShow(given, context, name, change, {
    key,
    of: (now, before) => keySet(name, key, now, before),
  });
  if (key === 'policy' && value !== undefined) await warnOfPolicy(value, context);
  return exit;
}

/** It may be put there later; but until then nothing is sent, and that is better known now. */
async function warnOfPolicy(path: string, { display }: Context): Promise<void> {
  const { policyAt } = await import('../../policy/policyFile.ts');
  try {
    policyAt(path, 'is-refused');
  } catch (thrown) {
    const { message, next } = problemOf(await inWords(thrown));
    display.warn(policyNotUsable(message), next);
  }
}

async function changeFor(
  name: string,
  key: ProfileKey,
  value: string | undefined,
  given: Given,
  context: Context,
): Promise<(file: ProfilesFile) => ProfilesFile> {
  if (key === 'token') {
    if (value !== undefined) throw tokenAsArgument();
    const source = await givenSource(name, given, context);
    return (file) => setToken(file, name, source);
  }
  if (key === 'rpc-url') return rpcUrlChange(name, value, given, context);
  if (given.flag('add')) throw addIsForRpcUrl();
  const text = requiredValue(name, key, value);
  if (key === 'base-url') {
    const baseUrl = parseBaseUrl(text, 'base-url');
    const source = await sourceFor(name, baseUrl, given, context);
    return (file) => setBaseUrl(file, name, baseUrl, source);
  }
  if (givesSource(sourceOptions(given))) throw tokenBesideKey(name, key, text);
  return isChainKey(key)
    ? (file) => setChainKey(file, name, key, text)
    : (file) => setSetting(file, name, key, text);
}

/** It often carries a key: it is given as a token is, and on the command line only where there is nothing in it. */
async function rpcUrlChange(
  name: string,
  value: string | undefined,
  given: Given,
  context: Context,
): Promise<(file: ProfilesFile) => ProfilesFile> {
  const adds = given.flag('add');
  if (value === undefined) {
    const source = await givenRpcSource(name, given, context);
    return (file) => setRpcUrl(file, name, source, adds);
  }
  const url = RpcUrl.from(value, 'the command line');
  if (!url.isPlain || givesSource(sourceOptions(given))) throw rpcUrlAsArgument();
  return (file) => setRpcUrl(file, name, { kind: 'stored', secret: url.reveal() }, adds);
}

/** The token to go with a new base URL: the given one, or an asked one if the old one must not go there. */
async function sourceFor(
  name: string,
  baseUrl: BaseUrl,
  given: Given,
  context: Context,
): Promise<TokenSource | undefined> {
  const options = sourceOptions(given);
  const profile = findProfile(readProfiles(profilesPaths(context.env)), name);
  if (!givesSource(options)) {
    if (!needsTokenAgain(profile, baseUrl)) return undefined;
    if (!context.display.interactive) throw tokenOfOtherOrigin(name, profile['base-url']);
    context.display.notice(newTokenNeeded(name, profile['base-url']));
  }
  return givenSource(name, given, context);
}

function checkedKey(key: string): ProfileKey {
  if (isProfileKey(key)) return key;
  throw unknownProfileKey(key, profileKeys);
}

function requiredValue(name: string, key: ProfileKey, value: string | undefined): string {
  if (value === undefined) throw keyWithoutValue(name, key);
  return value;
}
