import { setMaxListeners } from 'node:events';
import type { Bot } from '../bot/bot.ts';
import type { ChainProfile } from '../bot/chainProfile.ts';
import { channelTo } from '../bot/connection.ts';
import type { RpcUrl } from '../bot/rpcUrl.ts';
import type { Cluster } from '../chain/cluster.ts';
import { isHash } from '../chain/cluster.ts';
import { type Answer, RpcNode } from '../chain/node.ts';
import { ChainNodes } from '../chain/nodes.ts';
import { patiently } from '../chain/patience.ts';
import type { Payment } from '../chain/payment.ts';
import type { Until } from '../chain/watch.ts';
import type { Given } from '../cli/given.ts';
import type { Context } from '../context.ts';
import { requestOf } from '../display/report.ts';
import type { ChainBefore } from '../engine/context.ts';
import type { Pace } from '../engine/ports.ts';
import type { Intent } from '../journal/journal.ts';
import {
  nodeRefuses,
  nodeUnusable,
  noMintFor,
  noRpcUrl,
  notAMint,
  noWallet,
  otherCluster,
} from '../words/chain.ts';
import { channelOptions } from './openBot.ts';
import { defaultTimeoutMs, settingsOf } from './settingsOf.ts';

/** The nodes of a bot's profile, and what its transfers would look like there. */
export type OpenedChain = {
  readonly nodes: ChainNodes;
  readonly cluster: Cluster;
  /** What the chain would show of it; undefined where no mint is named for its asset. */
  paymentOf(intent: Pick<Intent, 'body'>): Payment | undefined;
  close(): Promise<void>;
};

export async function openChain(
  bot: Pick<Bot, 'name' | 'chain' | 'settings'>,
  given: Given,
  context: Context,
  pace?: Pace,
): Promise<OpenedChain> {
  const { chain } = bot;
  if (chain === undefined) throw noRpcUrl(bot.name);
  const urls = await chain.rpcUrls();
  const timeoutMs = settingsOf(given).timeoutMs ?? bot.settings.timeoutMs ?? defaultTimeoutMs;
  const nodes = urls.map((url) => nodeAt(url, timeoutMs, bot.name === 'sandbox', context));
  const { first, second } = context.interrupts;
  // Every question listens to them; Node takes many listeners for a leak.
  setMaxListeners(0, first, second);
  const ask = pace === undefined ? (once: () => Promise<Answer>) => once() : patiently(pace, first);
  const asked = new ChainNodes(nodes, chain.cluster.genesis, ask);
  return {
    nodes: asked,
    cluster: chain.cluster,
    paymentOf: (intent) => paymentIn(requestOf(intent), chain),
    close: () => asked.close(),
  };
}

function nodeAt(url: RpcUrl, timeoutMs: number, direct: boolean, context: Context): RpcNode {
  const channel = channelTo(url.origin, { ...channelOptions(context, true), direct });
  return new RpcNode({
    host: url.host,
    url,
    channel,
    timeoutMs,
    cut: context.interrupts.second,
    now: () => context.clock.now(),
  });
}

type Request = Readonly<Record<string, unknown>>;

function paymentIn(
  { to_address: to, asset, amount, memo }: Request,
  chain: ChainProfile,
): Payment | undefined {
  const name = String(asset);
  const mint = mintOf(name, chain);
  if (name !== 'SOL' && mint === undefined) return undefined;
  return {
    to: String(to),
    asset: mint === undefined ? 'SOL' : { mint },
    amount: String(amount),
    memo: typeof memo === 'string' && memo !== '' ? memo : undefined,
    wallet: chain.wallet,
  };
}

/** An asset that is a mint is its own; a mint is never learned from a transaction. */
function mintOf(asset: string, { assets }: ChainProfile): string | undefined {
  if (asset === 'SOL') return undefined;
  return Object.hasOwn(assets, asset) ? assets[asset] : isHash(asset) ? asset : undefined;
}

/** Refuses before anything is asked or journaled what could never be proven. */
export function refuseUnprovable(
  asset: string,
  { name, chain }: Pick<Bot, 'name' | 'chain'>,
  until: Until,
): void {
  if (chain === undefined) throw noRpcUrl(name);
  if (until === 'finalized' && chain.wallet === undefined) throw noWallet(name);
  if (asset !== 'SOL' && mintOf(asset, chain) === undefined) throw noMintFor(asset, name);
}

/** How far the chain has come; undefined where a node does not say. */
export async function chainNow({ nodes, cluster }: OpenedChain): Promise<ChainBefore | undefined> {
  const now = await nodes.finalizedNow();
  return now && { genesis: cluster.genesis, ...now };
}

/** Asks the nodes whether they are of the cluster. */
export async function refuseOtherCluster({ nodes, cluster }: OpenedChain): Promise<void> {
  const other = await nodes.ofAnother();
  if (other === undefined) return;
  const { host, because } = other;
  if (because === 'other-cluster') throw otherCluster(host, cluster.name);
  throw because === 'not-permitted' ? nodeRefuses(host) : nodeUnusable(host, because);
}

/** Asks them whether the mint of the asset is one. */
export async function refuseNoMint(
  asset: string,
  chain: OpenedChain,
  { chain: profile }: Bot,
): Promise<void> {
  const mint = profile === undefined ? undefined : mintOf(asset, profile);
  if (mint === undefined) return;
  if ((await chain.nodes.isMint(mint)) === false) throw notAMint(asset, mint);
}
