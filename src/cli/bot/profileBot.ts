import type { Env } from '../../machine/folders.ts';
import { type Cluster, clusterNames, clusterOf, isHash, RpcUrl } from '../../once/chain/cluster.ts';
import type { Bot, ChainProfile } from '../../once/connection.ts';
import { identityUrl, parseBaseUrl } from '../../once/intent/baseUrl.ts';
import { type Spellings, spellingsIn } from '../../once/intent/spellings.ts';
import type { OwnAddresses } from '../../once/intent/unusual.ts';
import { noSecret, theProfile, tokenOrigin } from '../say/open.ts';
import { listed } from '../say/phrases.ts';
import { addingProfile, listingProfiles } from '../say/profiles.ts';
import { type Told, told } from '../say/told.ts';
import {
  findProfile,
  type ProfileRecord,
  type ProfilesFile,
  profileOf,
  profilesPaths,
  readProfiles,
} from './profiles.ts';
import { readSettings } from './settings.ts';
import { Token } from './token.ts';
import type { BotInputs, GivenBaseUrl, Secret, TokenSource } from './tokenSource.ts';

/** The bot of the profile that `--profile` or `BOTCTL_PROFILE` names. */
export async function botNamed(
  name: string,
  namedBy: '--profile' | 'BOTCTL_PROFILE',
  given: GivenBaseUrl | undefined,
  inputs: BotInputs,
): Promise<Bot> {
  const file = readProfiles(profilesPaths(inputs.env));
  return botOf(name, findProfile(file, name, namedIn(namedBy)), file, given, inputs);
}

/** The bot of the profile in use. */
export async function botInUse(given: GivenBaseUrl | undefined, inputs: BotInputs): Promise<Bot> {
  const file = readProfiles(profilesPaths(inputs.env));
  const name = file['in-use'];
  if (name === undefined) throw noBot(Object.keys(file.profiles));
  return botOf(name, findProfile(file, name, theOneInUse), file, given, inputs);
}

/** The bot of a profile at its own base URL; the command line's base URL does not apply. */
export async function botAtOwnUrl(name: string, inputs: BotInputs): Promise<Bot | undefined> {
  const file = readProfiles(profilesPaths(inputs.env));
  const profile = profileOf(file, name);
  return profile === undefined ? undefined : botOf(name, profile, file, undefined, inputs);
}

/** What a profile says that needs no token. */
export type ChosenSettings = Pick<Bot, 'settings' | 'own' | 'spellings'>;

/** The settings of the named profile or, without a name, of the one in use. */
export function settingsOfProfile(
  named: { readonly name: string; readonly namedBy: '--profile' | 'BOTCTL_PROFILE' } | undefined,
  env: Env,
): ChosenSettings {
  const file = readProfiles(profilesPaths(env));
  const name = named?.name ?? file['in-use'];
  const spellings = spellingsOfFile(file);
  if (name === undefined) return { settings: {}, spellings };
  const profile = findProfile(file, name, named === undefined ? theOneInUse : namedIn(named.namedBy));
  const settings = readSettings(profile, (key) => keyOfProfile(key, name));
  return { settings, own: ownAddressesOf(profile), spellings };
}

async function botOf(
  name: string,
  profile: ProfileRecord,
  file: ProfilesFile,
  given: GivenBaseUrl | undefined,
  inputs: BotInputs,
): Promise<Bot> {
  const spelledUrl = parseBaseUrl(profile['base-url'], keyOfProfile('base-url', name));
  // A different base URL is neither followed nor ignored: an exported staging URL would pay through production.
  if (given !== undefined && identityUrl(given.baseUrl) !== identityUrl(spelledUrl))
    throw foreignBaseUrl({ name, own: spelledUrl, given });
  const settings = readSettings(profile, (key) => keyOfProfile(key, name));
  const token = await readSecret(profile.token, 'token', name, inputs);
  return {
    name,
    baseUrl: identityUrl(spelledUrl),
    spelledUrl,
    token,
    tokenSource: `${theProfile(name)}: ${tokenOrigin(profile.token)}`,
    settings,
    own: ownAddressesOf(profile),
    spellings: spellingsOfFile(file),
    chain: chainProfileOf(name, profile, inputs),
  };
}

/** What all profiles call tokens. */
export function spellingsOfProfiles(env: Env): Spellings {
  return spellingsOfFile(readProfiles(profilesPaths(env)));
}

function spellingsOfFile({ profiles }: ProfilesFile): Spellings {
  return spellingsIn(Object.values(profiles).map(({ assets = {} }) => assets));
}

function ownAddressesOf({ wallet, assets }: ProfileRecord): OwnAddresses {
  return {
    wallet: wallet === undefined ? undefined : readWallet(wallet),
    assets: readAssets(assets ?? {}),
  };
}

/** The chain of a profile, without its token; undefined if the profile no longer exists. */
export function chainAtProfile(
  name: string,
  inputs: BotInputs,
): Pick<Bot, 'name' | 'chain' | 'settings'> | undefined {
  const profile = profileOf(readProfiles(profilesPaths(inputs.env)), name);
  return profile === undefined ? undefined : chainOfRecord(name, profile, inputs);
}

/** The same for the profile that is named or, without a name, the one in use. */
export function chainOfNamed(
  named: { readonly name: string; readonly namedBy: '--profile' | 'BOTCTL_PROFILE' } | undefined,
  inputs: BotInputs,
): Pick<Bot, 'name' | 'chain' | 'settings'> {
  const file = readProfiles(profilesPaths(inputs.env));
  const name = named?.name ?? file['in-use'];
  if (name === undefined) throw noBot(Object.keys(file.profiles));
  const profile = findProfile(file, name, named === undefined ? theOneInUse : namedIn(named.namedBy));
  return chainOfRecord(name, profile, inputs);
}

function chainOfRecord(
  name: string,
  profile: ProfileRecord,
  inputs: BotInputs,
): Pick<Bot, 'name' | 'chain' | 'settings'> {
  const settings = readSettings(profile, (key) => keyOfProfile(key, name));
  return { name, settings, chain: chainProfileOf(name, profile, inputs) };
}

const defaultCluster = 'mainnet';

/** Undefined if no node is configured. */
function chainProfileOf(name: string, profile: ProfileRecord, inputs: BotInputs): ChainProfile | undefined {
  const source = profile['rpc-url'];
  if (source === undefined) return undefined;
  const readUrl = async (): Promise<RpcUrl> =>
    RpcUrl.from((await readSecret(source, 'rpc-url', name, inputs)).reveal(), theProfile(name));
  let url: Promise<RpcUrl> | undefined;
  return {
    cluster: readCluster(profile.cluster ?? defaultCluster),
    wallet: profile.wallet === undefined ? undefined : readWallet(profile.wallet),
    assets: readAssets(profile.assets ?? {}),
    // Read once: a person may have to unlock a vault for it.
    rpcUrl: () => {
      url ??= readUrl();
      return url;
    },
  };
}

export function readCluster(text: string): Cluster {
  const cluster = clusterOf(text);
  if (cluster === undefined)
    throw told('bad-input')`${JSON.stringify(text)} is not a cluster
      Use ${listed(clusterNames, 'or')}, or the cluster’s genesis hash.`;
  return cluster;
}

export function readWallet(text: string): string {
  if (isHash(text)) return text;
  throw told('bad-input')`The wallet ${JSON.stringify(text)} is not 32 bytes in base58
    Give the address of the bot’s own wallet.`;
}

function readAssets(assets: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  for (const [asset, mint] of Object.entries(assets)) {
    if (asset === '' || asset === 'SOL')
      throw badAssets(`${JSON.stringify(asset)} cannot be the name of a token`);
    if (!isHash(mint)) throw badAssets(`the mint of ${JSON.stringify(asset)} is not 32 bytes in base58`);
  }
  return assets;
}

/** Parses one line of JSON: names and their mints. */
export function parseAssets(text: string): Readonly<Record<string, string>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw badAssets('it is not JSON');
  }
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isRecord || Object.values(value as object).some((mint) => typeof mint !== 'string'))
    throw badAssets('it is not a JSON object of names and mints');
  return readAssets(value as Record<string, string>);
}

async function readSecret(
  source: TokenSource,
  secret: Secret,
  profile: string,
  inputs: BotInputs,
): Promise<Token> {
  switch (source.kind) {
    case 'stored':
      return Token.from(source.secret, theProfile(profile), secret);
    case 'env':
      return Token.from(
        readVariable(source.variable, secret, profile, inputs.env),
        tokenOrigin(source),
        secret,
      );
    case 'file': {
      const { readTokenFile } = await import('./tokenInput.ts');
      return readTokenFile(source.path, { ...inputs, secret });
    }
    case 'command': {
      const { runTokenCommand } = await import('./tokenInput.ts');
      const printed = await runTokenCommand(source.command, { ...inputs, secret });
      return Token.from(printed, `the ${secret} command`, secret);
    }
  }
}

function readVariable(variable: string, secret: Secret, profile: string, env: Env): string {
  const value = env[variable];
  if (value !== undefined && value !== '') return value;
  throw tokenVariableUnset(profile, variable, value, secret);
}

function tokenVariableUnset(profile: string, variable: string, value: '' | undefined, secret: Secret): Told {
  const problem = value === undefined ? 'is not set' : 'is empty';
  return told(noSecret[secret])`
    Profile ${profile} takes its ${secret} from the variable ${variable}, which ${problem}
    Set ${variable} and run the same command again, or change where the profile takes its ${secret} from:
    $ config set ${profile} ${secret}`;
}

function badAssets(problem: string): Told {
  return told('bad-input')`The assets are not valid: ${problem}
    Write names and mints, as in '{"USDC":"EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"}'.`;
}

/** Where the name of a profile was found, if it was not an argument. */
const theOneInUse = 'the one in use';

function namedIn(source: string): string {
  return `named by ${source}`;
}

function keyOfProfile(key: string, name: string): string {
  return `The ${key} of profile ${name}`;
}

function noBot(names: readonly string[]): Told {
  return names.length === 0
    ? told('no-token', { next: addingProfile })`No bot token is set
      Add a profile, or set BOTCTL_TOKEN and BOTCTL_BASE_URL. To try botctl without a token, add --sandbox.`
    : told('no-token', { next: names.slice(0, 3).map((name) => ['config', 'use', name]) })`
      No profile is in use, and none was named
      Use ${listed(names, 'or')}: name it with --profile, or put it in use:`;
}

type ForeignUrl = {
  readonly name: string;
  readonly own: string;
  readonly given: {
    readonly baseUrl: string;
    readonly by: '--base-url' | 'BOTCTL_BASE_URL';
    readonly command: readonly string[] | undefined;
  };
};

/** The command has a base URL that differs from the profile's own. */
function foreignBaseUrl({ name, own, given: { baseUrl, by, command } }: ForeignUrl): Told {
  const message = `${by} is ${baseUrl}, but the profile ${name} is for ${own}`;
  if (by === '--base-url' || command === undefined)
    return told('base-url', { next: listingProfiles })`${message}
      Leave ${by} out to use ${own}, or name a profile for the other service with --profile.`;
  return told('base-url', { next: [{ shell: [['env', '-u', by, 'botctl', ...command]] }] })`${message}
    To use the other service, name its profile with --profile. To use ${own}, run the command without the variable:`;
}
