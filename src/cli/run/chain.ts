import { setMaxListeners } from 'node:events';
import { isHash } from '../../chain/cluster.ts';
import { RpcNode } from '../../chain/node.ts';
import type { Payment } from '../../chain/payment.ts';
import { type Search, searchFor } from '../../chain/search.ts';
import { type ChainView, latestView, wasRepeated } from '../../chain/verdict.ts';
import {
  type Chain,
  signaturesOf,
  type Until,
  type Verified,
  type WaitOptions,
  watch,
} from '../../chain/verify.ts';
import { channelTo, sandboxBot } from '../../once/connection.ts';
import type { Outcome } from '../../once/engine/outcome.ts';
import { isInDoubt } from '../../once/engine/standing.ts';
import { asFailure, Failure, failureWith } from '../../once/failures.ts';
import type { Entry, Journal } from '../../once/journal/journal.ts';
import { formatDuration } from '../../once/phrases.ts';
import { type App, once } from '../app.ts';
import { type ChainBot, type ChainProfile, knownByName } from '../bot/chooseBot.ts';
import { channelOptions } from '../open/bot.ts';
import { defaultTimeoutMs, shownLocation } from '../open/journal.ts';
import type { Display } from '../show/display.ts';
import { amountIn, requestOf } from '../show/entry.ts';
import {
  candidateLine,
  chainLacks,
  chainWaitText,
  nodeTrouble,
  noRpcUrl,
  ofTheSandbox,
  provenOnChain,
  searched,
} from '../wording/chain.ts';
import type { ChainEnd } from './telling.ts';

export async function openChain(
  bot: Pick<ChainBot, 'name' | 'chain' | 'settings' | 'assetNames'>,
  app: App,
  {
    isPatient = false,
    timeoutMs: mostMs,
  }: { readonly isPatient?: boolean; readonly timeoutMs?: number } = {},
): Promise<Chain> {
  const { chain } = bot;
  if (chain === undefined) throw noRpcUrl(bot.name);
  const url = await chain.rpcUrl();
  const timeoutMs = mostMs ?? app.settings().timeoutMs ?? bot.settings.timeoutMs ?? defaultTimeoutMs;
  const { first, second } = app.interrupts;
  // Every request listens to these signals, and Node would report the many listeners as a leak.
  setMaxListeners(0, first, second);
  const node = app.owns(
    new RpcNode({
      host: url.host,
      url,
      expected: chain.cluster,
      channel: channelTo(url.origin, channelOptions(app, true)),
      timeoutMs,
      cut: second,
      patience: isPatient ? first : undefined,
      clock: app.clock,
    }),
  );
  return {
    node,
    assetNames: bot.assetNames,
    paymentOf: (entry) => paymentIn(requestOf(entry), chain),
    reasonOf: provenOnChain,
  };
}

type Request = Readonly<Record<string, unknown>>;

function paymentIn({ to_address: to, asset, amount }: Request, chain: ChainProfile): Payment | undefined {
  const name = String(asset);
  const mint = mintOf(name, chain);
  if (name !== 'SOL' && mint === undefined) return undefined;
  return { to: String(to), mint, amount: String(amount), wallet: chain.wallet };
}

/** The mint of an asset: the asset itself if it is an address. A mint is never learned from a transaction. */
export function mintOf(asset: string, { assets }: ChainProfile): string | undefined {
  if (asset === 'SOL') return undefined;
  return Object.hasOwn(assets, asset) ? assets[asset] : isHash(asset) ? asset : undefined;
}

/** Refuses a transfer that the chain could never prove, before anything is asked or journaled. */
export function refuseUnprovable(
  asset: string,
  { name, chain }: Pick<ChainBot, 'name' | 'chain'>,
  until: Until,
): void {
  if (chain === undefined) throw noRpcUrl(name);
  if (until === 'finalized' && chain.wallet === undefined)
    throw chainLacks(
      name,
      ['wallet'],
      `No wallet is set for the bot ${name}, so the chain cannot prove that it paid`,
      'Use --wait=confirmed to do without. ',
    );
  if (asset !== 'SOL' && mintOf(asset, chain) === undefined)
    throw failureWith(
      'no-mint',
    )`No mint of ${asset} is set for the bot ${name}, so no payment of it can be recognised
      Add ${asset}=MINT to the assets of the profile, or give the mint itself as --asset.`;
}

/** Checks that the node answers, and is on the right cluster. */
export async function refuseOtherCluster({ node }: Chain): Promise<void> {
  const cluster = await node.cluster();
  if ('because' in cluster) throw nodeTrouble(cluster.because, node.host);
}

/** Checks with the node that the address set as the asset's mint is a mint. */
export async function refuseNoMint(asset: string, chain: Chain, { chain: profile }: ChainBot): Promise<void> {
  const mint = profile === undefined ? undefined : mintOf(asset, profile);
  if (mint === undefined) return;
  if ((await chain.node.isMint(mint)) === false)
    throw failureWith('no-mint')`The mint of ${asset}, ${mint}, is not a token’s mint on this cluster
      Fix it in the assets of the profile.`;
}

export type ChainsOfEntries = ReturnType<typeof chainsOfEntries>;

/** The chains that show the transfers of many entries. Each is opened and checked once. */
export function chainsOfEntries(app: App) {
  const botOf = async (name: string, entry: Entry): Promise<Parameters<typeof openChain>[0]> => {
    if (app.args.flag('sandbox')) return (await app.connectedBot()).bot;
    if (name === sandboxBot) throw ofTheSandbox(entry, 'verify', await shownLocation(await app.where()));
    const bot = await knownByName(name, app);
    if (bot === undefined)
      throw failureWith('no-such-profile')`
        The profile ${name} no longer exists, so its Solana node cannot be asked
        Name another profile whose node shows them, with --profile NAME.`;
    return bot;
  };
  const connect = once(async (name: string, entry: Entry): Promise<Chain> => {
    const chain = await openChain(await botOf(name, entry), app, { isPatient: true });
    try {
      await refuseOtherCluster(chain);
    } catch (thrown) {
      // A node that cannot be reached now decides nothing: each transfer reports that for itself.
      if (!(thrown instanceof Failure) || thrown.code !== 'node-unusable') throw thrown;
      app.display.warn(asFailure(thrown).message);
    }
    return chain;
  });
  // The node of the profile that --profile names, otherwise of the entry's own bot.
  return { of: (entry: Entry): Promise<Chain> => connect(app.args.text('profile') ?? entry.bot, entry) };
}

/** Waits until the chain shows an accepted transfer. A transfer proven earlier is not checked again. */
async function waitForChain(entry: Entry, chain: Chain, options: WaitOptions, app: App): Promise<ChainView> {
  const { display, clock, interrupts } = app;
  const journal = await app.journal('send');
  const known = latestView(await journal.reads.observationsOf(entry.id));
  if (known?.verdict === 'proven' && !wasRepeated(entry)) return known;
  const endsAtMs = clock.now() + options.waitMs;
  let latest: ChainView | undefined;
  const text = (): string => chainWaitText(options.until, latest, endsAtMs - clock.now());
  const canBeSeen = (await signaturesOf(entry, journal.reads)).length > 0;
  const isPiped = canBeSeen && !display.watched && !display.quiet;
  if (isPiped)
    display.notice(
      `Waiting up to ${formatDuration(options.waitMs)} for the transfer to be ${options.until}, as seen by ${chain.node.host}.`,
    );
  const stop = display.watched ? display.meter(text) : () => {};
  const look = ({ view }: Verified): void => {
    latest = view;
  };
  const watching = {
    ...options,
    clock,
    interrupted: interrupts.first,
    onLook: look,
    onEnd: async (last: Verified) => look(last),
  };
  try {
    await watch([entry.id], chain, watching, journal);
  } finally {
    stop();
  }
  if (latest === undefined) throw new Error('a transfer that was waited for was looked at');
  return latest;
}

/** Payments that may be this transfer in doubt; undefined if it has a signature, or no wallet is known. */
export async function searchOf(
  entry: Entry,
  chains: Pick<ChainsOfEntries, 'of'>,
  journal: Journal,
): Promise<Search | undefined> {
  if (!isInDoubt(entry) || (await signaturesOf(entry, journal.reads)).length > 0) return undefined;
  const { node, paymentOf, assetNames } = await chains.of(entry);
  const payment = paymentOf(entry);
  const wallet = payment?.wallet;
  if (payment === undefined || wallet === undefined) return undefined;
  return searchFor({ entry, payment: { ...payment, wallet }, node, assetNames }, journal);
}

/** Shows the payments that were found, and returns the failure that says what they mean. */
export function tellSearch(entry: Entry, search: Search, { notice }: Pick<Display, 'notice'>): Failure {
  const request = requestOf(entry);
  const payment = `${amountIn(request)} to ${request.to_address}`;
  for (const candidate of search.candidates) notice(candidateLine(candidate, { entry, payment, search }));
  return searched({ entry, payment, search });
}

const defaultWaitMs = 120_000;

/** How long `--wait` waits at most. */
export function waitMsOf(app: App): number {
  return app.settings().maxWaitMs ?? defaultWaitMs;
}

/** The parts of `--wait`: before the transfer is sent, and after it was accepted. */
export type ChainWait = {
  /** Refuses a node on another cluster, and an address that is not a mint, before anything is journaled. */
  ready(): Promise<void>;
  /** Undefined if there is no accepted transfer to wait for. */
  end(outcome: Outcome): Promise<ChainEnd | undefined>;
};

export async function openChainWait(
  asset: string,
  bot: ChainBot,
  app: App,
  until: Until,
): Promise<ChainWait> {
  refuseUnprovable(asset, bot, until);
  const options = { until, waitMs: waitMsOf(app) };
  const chain = await openChain(bot, app);
  return {
    ready: async () => {
      await refuseOtherCluster(chain);
      await refuseNoMint(asset, chain, bot);
    },
    end: async (outcome) => {
      if (outcome.is !== 'concluded' || outcome.entry.state !== 'accepted') return undefined;
      const view = await waitForChain(outcome.entry, chain, options, app);
      return { view, until };
    },
  };
}
