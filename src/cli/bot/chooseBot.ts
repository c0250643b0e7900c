import { type Cluster, clusterNames, clusterOf, isHash, RpcUrl } from '../../chain/cluster.ts';
import { type Env, NoHomeFolder } from '../../machine/folders.ts';
import { type Bot, envBot } from '../../once/connection.ts';
import { countedAsset } from '../../once/entry/amount.ts';
import { assetNamesIn } from '../../once/entry/assetNames.ts';
import { type BaseUrl, identityUrl, parseBaseUrl } from '../../once/entry/baseUrl.ts';
import { Failure, failureWith } from '../../once/failures.ts';
import { listed } from '../../once/phrases.ts';
import { theProfile, tokenOrigin } from '../wording/open.ts';
import { bothGiven } from '../wording/problem.ts';
import { addingProfile, listingProfiles } from '../wording/profiles.ts';
import {
  findProfile,
  noProfiles,
  type ProfileRecord,
  type ProfilesFile,
  profileOf,
  profilesPaths,
  readProfiles,
  type TokenSource,
} from './profiles.ts';
import { readSettings } from './settings.ts';
import { type BotInputs, noSecret, type Secret, Token } from './token.ts';

/** A command's options about the bot. */
export type BotOptions = {
  profile?: string | undefined;
  tokenFile?: string | undefined;
  baseUrl?: string | undefined;
};

/** The chain of a bot's transfers, and its Solana node. */
export type ChainProfile = {
  /** Undefined if any cluster will do. */
  readonly cluster: Cluster | undefined;
  /** The bot's own address, if known. */
  readonly wallet: string | undefined;
  /** The mints of assets, by asset name. */
  readonly assets: Readonly<Record<string, string>>;
  /** Called only if the node is needed: a person may have to unlock its URL. */
  rpcUrl(): Promise<RpcUrl>;
};

export type ChainBot = Bot & {
  /** Undefined if no node is configured. */
  readonly chain?: ChainProfile | undefined;
};

/** A bot without its token. */
export type KnownBot = Pick<ChainBot, 'name' | 'settings' | 'own' | 'assetNames' | 'chain'>;

/** Chooses the bot without sending anything. */
export async function chooseBot(options: BotOptions, inputs: BotInputs): Promise<ChainBot> {
  const written = writtenBot(options, inputs.env);
  if (written === undefined) throw noBot();
  const option = baseUrlOption(options, inputs.env);
  if (written.name === envBot && option === undefined)
    throw failureWith('base-url')`The token from ${tokenOrigin(written.profile.token)} has no base URL
      Add --base-url URL or set BOTCTL_BASE_URL.`;
  return withToken(written, option, inputs);
}

/** The chosen bot without its token; undefined if nothing names one. */
export async function knownBot(options: BotOptions, inputs: BotInputs): Promise<KnownBot | undefined> {
  const written = writtenBot(options, inputs.env);
  return written && knownOf(written, inputs);
}

/** The bot of a profile at the profile's own base URL; undefined if the profile no longer exists. */
export async function botOfProfile(name: string, inputs: BotInputs): Promise<ChainBot | undefined> {
  const written = writtenProfile(name, inputs.env);
  return written && withToken(written, undefined, inputs);
}

/** A bot without its token, by its name; also the bot of the environment. */
export async function knownByName(name: string, inputs: BotInputs): Promise<KnownBot | undefined> {
  const { env } = inputs;
  const written = name === envBot ? writtenInEnv(tokenOfEnv, {}, env) : writtenProfile(name, env);
  return written && knownOf(written, inputs);
}

/** A bot as a profile or the environment describes it, unchecked. */
type WrittenBot = { readonly name: string; readonly profile: ProfileRecord; readonly file: ProfilesFile };

/** The bot that is named first, in order of precedence. */
function writtenBot(options: BotOptions, env: Env): WrittenBot | undefined {
  const named = (name: string, source: string): WrittenBot => {
    const file = profilesOf(env);
    return { name, profile: findProfile(file, name, source), file };
  };
  const { tokenFile, profile } = options;
  // Neither is ignored: with the token alone, the profile's policy would not apply.
  if (tokenFile !== undefined && profile !== undefined) throw bothGiven('profile', 'token-file');
  if (tokenFile !== undefined)
    return writtenInEnv({ kind: 'file', path: notEmpty(tokenFile, '--token-file') }, options, env);
  if (profile !== undefined) return named(notEmpty(profile, '--profile'), 'named by --profile');
  if (env.BOTCTL_TOKEN !== undefined) {
    notEmpty(env.BOTCTL_TOKEN, 'BOTCTL_TOKEN');
    return writtenInEnv(tokenOfEnv, options, env);
  }
  if (env.BOTCTL_PROFILE !== undefined)
    return named(notEmpty(env.BOTCTL_PROFILE, 'BOTCTL_PROFILE'), 'named by BOTCTL_PROFILE');
  const inUse = profilesOf(env)['in-use'];
  return inUse === undefined ? undefined : named(inUse, 'the one in use');
}

const tokenOfEnv: TokenSource = { kind: 'env', variable: 'BOTCTL_TOKEN' };

/** The bot of the environment, as a profile. Its policy is BOTCTL_POLICY, which applies to every bot. */
function writtenInEnv(token: TokenSource, options: BotOptions, env: Env): WrittenBot {
  const { BOTCTL_RPC_URL: node, BOTCTL_WALLET: wallet } = env;
  if (node !== undefined) notEmpty(node, 'BOTCTL_RPC_URL');
  return {
    name: envBot,
    profile: {
      'base-url': options.baseUrl ?? env.BOTCTL_BASE_URL ?? '',
      token,
      'rpc-url': node === undefined ? undefined : { kind: 'env', variable: 'BOTCTL_RPC_URL' },
      wallet: wallet === undefined ? undefined : notEmpty(wallet, 'BOTCTL_WALLET'),
    },
    file: profilesOf(env),
  };
}

function writtenProfile(name: string, env: Env): WrittenBot | undefined {
  const file = profilesOf(env);
  const profile = profileOf(file, name);
  return profile && { name, profile, file };
}

/** Without a home folder there are no profiles. */
function profilesOf(env: Env): ProfilesFile {
  try {
    return readProfiles(profilesPaths(env));
  } catch (error) {
    if (error instanceof NoHomeFolder) return noProfiles;
    throw error;
  }
}

/** An empty value means a missing secret or variable, never a wish to use another bot. */
function notEmpty(value: string, where: string): string {
  if (value !== '') return value;
  throw new Failure(where === 'BOTCTL_TOKEN' ? 'no-token' : 'usage', `${where} is empty`, {
    hint: where.startsWith('--')
      ? `Give ${where} a value, or leave it out.`
      : `Give ${where} a value, or unset it. In CI, check that the secret or variable is defined for this job.`,
  });
}

/** A base URL, and the option or variable that gave it. */
type BaseUrlOption = { readonly baseUrl: BaseUrl; readonly by: string };

function baseUrlOption(options: BotOptions, env: Env): BaseUrlOption | undefined {
  const by = options.baseUrl === undefined ? 'BOTCTL_BASE_URL' : '--base-url';
  const text = options.baseUrl ?? env.BOTCTL_BASE_URL;
  return text === undefined ? undefined : { baseUrl: parseBaseUrl(notEmpty(text, by), by), by };
}

async function withToken(
  written: WrittenBot,
  option: BaseUrlOption | undefined,
  inputs: BotInputs,
): Promise<ChainBot> {
  const { name, profile } = written;
  const spelledUrl = parseBaseUrl(profile['base-url'], `The base-url of profile ${name}`);
  const baseUrl = identityUrl(spelledUrl);
  // A different base URL is neither followed nor ignored: an exported staging URL would pay through production.
  if (option !== undefined && identityUrl(option.baseUrl) !== baseUrl)
    throw failureWith('base-url', { next: listingProfiles })`
      ${option.by} is ${option.baseUrl}, but the profile ${name} is for ${spelledUrl}
      Leave ${option.by} out to use ${spelledUrl}, or name a profile for the other service with --profile.`;
  const origin = tokenOrigin(profile.token);
  return {
    ...knownOf(written, inputs),
    baseUrl,
    spelledUrl,
    token: await readSecret(profile.token, 'token', name, inputs),
    tokenSource: name === envBot ? origin : `${theProfile(name)}: ${origin}`,
  };
}

function knownOf({ name, profile, file }: WrittenBot, inputs: BotInputs): KnownBot {
  const { chain, ...checked } = checkProfile(name, profile);
  const assetNames = assetNamesIn(Object.values(file.profiles).map(({ assets = {} }) => assets));
  const source = profile['rpc-url'];
  if (source === undefined) return { ...checked, assetNames };
  const readUrl = async (): Promise<RpcUrl> =>
    RpcUrl.from((await readSecret(source, 'rpc-url', name, inputs)).reveal(), tokenOrigin(source));
  let url: Promise<RpcUrl> | undefined;
  const rpcUrl = (): Promise<RpcUrl> => {
    // Read once: a person may have to unlock a vault for it.
    url ??= readUrl();
    return url;
  };
  return { ...checked, assetNames, chain: { ...chain, rpcUrl } };
}

type CheckedProfile = Pick<Bot, 'name' | 'settings' | 'own'> & {
  readonly chain: Omit<ChainProfile, 'rpcUrl'>;
};

/** Checks a profile, except its base URL and its secrets. */
export function checkProfile(name: string, profile: ProfileRecord): CheckedProfile {
  const { assets = {}, cluster } = profile;
  const wallet = profile.wallet === undefined ? undefined : checkWallet(profile.wallet);
  checkAssets(assets);
  return {
    name,
    settings: readSettings(profile, (key) => `The ${key} of profile ${name}`),
    own: { wallet, assets },
    chain: { cluster: cluster === undefined ? undefined : readCluster(cluster), wallet, assets },
  };
}

function readCluster(text: string): Cluster {
  const cluster = clusterOf(text);
  if (cluster !== undefined) return cluster;
  throw failureWith('bad-input')`${JSON.stringify(text)} is not a cluster
    Use ${listed(clusterNames, 'or')}, or the cluster’s genesis hash.`;
}

function checkWallet(text: string): string {
  if (isHash(text)) return text;
  throw failureWith('bad-input')`The wallet ${JSON.stringify(text)} is not 32 bytes in base58
    Give the address of the bot’s own wallet.`;
}

function checkAssets(assets: Readonly<Record<string, string>>): void {
  for (const [asset, mint] of Object.entries(assets)) {
    if (asset === '' || countedAsset(asset) === 'sol')
      throw badAssets(`${JSON.stringify(asset)} cannot be the name of a token`);
    if (!isHash(mint)) throw badAssets(`the mint of ${JSON.stringify(asset)} is not 32 bytes in base58`);
  }
}

/** Reads names and their mints: `USDC=EPjF…,EURC=HzwqbK…`. */
export function parseAssets(text: string): Record<string, string> {
  const assets = new Map<string, string>();
  for (const pair of text.split(',')) {
    const [name = '', mint, ...more] = pair.split('=').map((part) => part.trim());
    if (mint === undefined || more.length > 0) throw badAssets('a name and its mint are joined by one =');
    if (assets.has(name)) throw badAssets(`${JSON.stringify(name)} is given twice`);
    assets.set(name, mint);
  }
  return Object.fromEntries(assets);
}

function badAssets(problem: string): Failure {
  return failureWith('bad-input')`The assets are not valid: ${problem}
    Write names and mints, as in USDC=EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v, with a comma between two.`;
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
        variableOf(source.variable, secret, profile, inputs.env),
        tokenOrigin(source),
        secret,
      );
    case 'file': {
      const { readTokenFile, readTokenStdin } = await import('./tokenInput.ts');
      return source.path === '-'
        ? readTokenStdin(inputs.stdin, inputs.interrupts.first, secret)
        : readTokenFile(source.path, secret, inputs);
    }
    case 'command': {
      const { runTokenCommand } = await import('./tokenInput.ts');
      const printed = await runTokenCommand(source.command, secret, inputs);
      return Token.from(printed, `the ${secret} command`, secret);
    }
  }
}

function variableOf(variable: string, secret: Secret, profile: string, env: Env): string {
  const value = env[variable];
  if (value !== undefined && value !== '') return value;
  throw failureWith(noSecret[secret])`
    Profile ${profile} takes its ${secret} from the variable ${variable}, which ${value === '' ? 'is empty' : 'is not set'}
    Set ${variable} and run the same command again, or change where the profile takes its ${secret} from:
    $ config set ${profile} ${secret}`;
}

export function noBot(): Failure {
  return failureWith('no-token', { next: [...addingProfile, ...listingProfiles] })`
    No profile is in use, and none was named
    Add a profile, name one with --profile, or set BOTCTL_TOKEN and BOTCTL_BASE_URL. To try botctl without a token, add --sandbox.`;
}
