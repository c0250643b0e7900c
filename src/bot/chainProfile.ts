import { type Cluster, clusterNames, clusterOf, isHash } from '../chain/cluster.ts';
import { badAssets, badCluster, badWallet, sameHostTwice } from '../words/rpcUrl.ts';
import { theProfile } from '../words/tokenOrigin.ts';
import type { BotInputs } from './botInputs.ts';
import type { ProfileRecord } from './profilesFile.ts';
import { readToken } from './readToken.ts';
import { RpcUrl } from './rpcUrl.ts';

/** Which chain a bot's transfers are on, and who can show them. */
export type ChainProfile = {
  readonly cluster: Cluster;
  /** The bot's own address, where it is known. */
  readonly wallet: string | undefined;
  /** The mints of assets, by their names. */
  readonly assets: Readonly<Record<string, string>>;
  /** Asked for only where a node is: it may take a person to unlock them. */
  rpcUrls(): Promise<readonly RpcUrl[]>;
};

const defaultCluster = 'mainnet';

/** Nothing where no node is named. */
export function chainProfileOf(
  name: string,
  profile: ProfileRecord,
  inputs: BotInputs,
): ChainProfile | undefined {
  const sources = profile['rpc-url'] ?? [];
  if (sources.length === 0) return undefined;
  return {
    cluster: readCluster(profile.cluster ?? defaultCluster),
    wallet: profile.wallet === undefined ? undefined : readWallet(profile.wallet),
    assets: readAssets(profile.assets ?? {}),
    rpcUrls: async () => {
      const urls: RpcUrl[] = [];
      for (const source of sources) {
        const text = (await readToken(source, name, inputs)).reveal();
        urls.push(RpcUrl.from(text, theProfile(name)));
      }
      refuseSameHosts(urls);
      return urls;
    },
  };
}

/** Two nodes agree only where they are two. */
export function refuseSameHosts(urls: readonly RpcUrl[]): void {
  const seen = new Set<string>();
  for (const { witness, host } of urls) {
    if (seen.has(witness)) throw sameHostTwice(host);
    seen.add(witness);
  }
}

export function readCluster(text: string): Cluster {
  const cluster = clusterOf(text);
  if (cluster === undefined) throw badCluster(text, clusterNames);
  return cluster;
}

export function readWallet(text: string): string {
  if (isHash(text)) return text;
  throw badWallet(text);
}

function readAssets(assets: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  for (const [asset, mint] of Object.entries(assets)) {
    if (asset === '' || asset === 'SOL')
      throw badAssets(`${JSON.stringify(asset)} cannot be the name of a token`);
    if (!isHash(mint)) throw badAssets(`the mint of ${JSON.stringify(asset)} is not 32 bytes in base58`);
  }
  return assets;
}

/** From one line of JSON: names and their mints. */
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
