import { setMaxListeners } from 'node:events';
import { type Cluster, isHash, type RpcUrl } from '../../once/chain/cluster.ts';
import {
  ChainNodes,
  mostSignatures,
  type NodeAnswer,
  patiently,
  RpcNode,
  type Statuses,
} from '../../once/chain/nodes.ts';
import type { Payment } from '../../once/chain/payment.ts';
import { type Search, searchFor } from '../../once/chain/search.ts';
import { judgeUnsettled, type Look, settle, type Until, watch } from '../../once/chain/settle.ts';
import {
  type ChainView,
  isAgainst,
  isSettled,
  ownSignatures,
  standingOf,
} from '../../once/chain/standing.ts';
import { type Bot, type ChainProfile, channelTo, envBot, sandboxBot } from '../../once/connection.ts';
import type { ChainPoint, Pace } from '../../once/engine/context.ts';
import type { Outcome } from '../../once/engine/outcome.ts';
import { Failure } from '../../once/failures.ts';
import type { Intent, Journal, Reads } from '../../once/journal/journal.ts';
import { chainOfProfile } from '../bot/chooseBot.ts';
import type { Context, ParsedArgs } from '../parse/command.ts';
import {
  candidateLine,
  chainLine,
  chainWaitText,
  isUnsent,
  noRpcUrl,
  provenOnChain,
  reasonWords,
  searched,
} from '../say/chain.ts';
import { ofTheSandbox } from '../say/decisions.ts';
import { inWords } from '../say/inWords.ts';
import { formatAmountOf, formatDuration, listed } from '../say/phrases.ts';
import { type Told, told } from '../say/told.ts';
import type { Display } from '../show/display.ts';
import { requestOf } from '../show/report.ts';
import type { WaitOptions } from './inputs.ts';
import { botInputs, channelOptions, openBot } from './openBot.ts';
import { defaultTimeoutMs, journalLocation, settingsOf, shownLocation } from './openJournal.ts';
import type { ChainEnd } from './stored.ts';

/** The nodes of a bot's profile, and what its transfers would look like on their chain. */
export type OpenedChain = {
  readonly nodes: ChainNodes;
  readonly cluster: Cluster;
  /** The payment that the chain would show for it; undefined if no mint is configured for its asset. */
  paymentOf(intent: Pick<Intent, 'body'>): Payment | undefined;
  close(): Promise<void>;
};

export async function openChain(
  bot: Pick<Bot, 'name' | 'chain' | 'settings'>,
  given: ParsedArgs,
  context: Context,
  { pace, timeoutMs: mostMs }: { readonly pace?: Pace; readonly timeoutMs?: number } = {},
): Promise<OpenedChain> {
  const { chain } = bot;
  if (chain === undefined) throw noRpcUrl(bot.name);
  const urls = await chain.rpcUrls();
  const timeoutMs = mostMs ?? settingsOf(given).timeoutMs ?? bot.settings.timeoutMs ?? defaultTimeoutMs;
  const nodes = urls.map((url) => nodeAt(url, timeoutMs, bot.name === sandboxBot, context));
  const { first, second } = context.interrupts;
  // Every request listens to these signals, and Node would report the many listeners as a leak.
  setMaxListeners(0, first, second);
  const ask = pace === undefined ? (once: () => Promise<NodeAnswer>) => once() : patiently(pace, first);
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

/** An asset that is an address is its own mint. A mint is never learned from a transaction. */
export function mintOf(asset: string, { assets }: ChainProfile): string | undefined {
  if (asset === 'SOL') return undefined;
  return Object.hasOwn(assets, asset) ? assets[asset] : isHash(asset) ? asset : undefined;
}

/** Refuses a transfer that could never be proven, before anything is asked or journaled. */
export function refuseUnprovable(
  asset: string,
  { name, chain }: Pick<Bot, 'name' | 'chain'>,
  until: Until,
): void {
  if (chain === undefined) throw noRpcUrl(name);
  if (until === 'finalized' && chain.wallet === undefined)
    throw told('no-wallet')`The bot ${name} names no wallet, so the chain cannot prove that it paid
      Use --wait=confirmed, or name its wallet:
      $ config set ${name} wallet ADDRESS`;
  if (asset !== 'SOL' && mintOf(asset, chain) === undefined)
    throw told('no-mint')`The bot ${name} names no mint for ${asset}, so no payment of it can be recognised
      Add it to the assets of the profile:
      $ config set ${name} assets {"${asset}":"MINT"}`;
}

/** How far the chain has come; undefined if a node does not say. */
export async function chainNow({ nodes, cluster }: OpenedChain): Promise<ChainPoint | undefined> {
  const now = await nodes.finalizedNow();
  return now && { genesis: cluster.genesis, ...now };
}

/** Checks that the nodes are on the right cluster. */
export async function refuseOtherCluster({ nodes, cluster }: OpenedChain): Promise<void> {
  const other = await nodes.ofAnother();
  if (other === undefined) return;
  const { host, because } = other;
  if (because === 'other-cluster')
    throw told('other-cluster')`The node ${host} does not belong to the cluster ${cluster.name}
      Fix the rpc-url or the cluster of the profile.`;
  throw because === 'not-permitted'
    ? told('node-refused')`The node ${host} refused the request (401 or 403)
      The secret in its rpc-url may be missing or old: set it again.`
    : told('node-unusable')`The node ${host} cannot be used now: ${reasonWords[because]}
      Run the same command again later, or without --wait.`;
}

/** Checks with the nodes that the asset's mint exists and is one. */
export async function refuseNoMint(
  asset: string,
  chain: OpenedChain,
  { chain: profile }: Bot,
): Promise<void> {
  const mint = profile === undefined ? undefined : mintOf(asset, profile);
  if (mint === undefined) return;
  if ((await chain.nodes.isMint(mint)) === false)
    throw told('no-mint')`The mint of ${asset}, ${mint}, is not a token’s mint on this cluster
      Fix it in the assets of the profile.`;
}

type Opened = { readonly chain: OpenedChain; close(): Promise<void> };

export type ChainsOfIntents = ReturnType<typeof chainsOfIntents>;

/** The chains that show the transfers of many intents. Each is opened and checked once. */
export function chainsOfIntents(given: ParsedArgs, context: Context, pace: Pace) {
  const opened = new Map<string, Promise<Opened>>();

  const botOf = async (name: string, id: string) => {
    if (given.flag('sandbox')) {
      const { bot, connection } = await openBot(given, context);
      return { bot, close: () => connection.close() };
    }
    if (name === sandboxBot)
      throw ofTheSandbox(id, await shownLocation(await journalLocation(given, context)), 'resume');
    const bot = await chainOfProfile(name, botInputs(context));
    if (bot === undefined)
      throw name === envBot
        ? noRpcUrl(name)
        : told('no-such-profile', { next: [['verify', '--all', '--acknowledge', '--reason', 'WHY NOT']] })`
          The profile ${name} no longer exists, so its Solana node cannot be asked
          Name another profile whose node shows them, with --profile NAME. Or acknowledge that they are not looked up:`;
    return { bot, close: async () => {} };
  };
  const connect = async (name: string, { id }: Intent): Promise<Opened> => {
    const { bot, close } = await botOf(name, id);
    const chain = await openChain(bot, given, context, { pace });
    const closeBoth = async (): Promise<void> => {
      await chain.close();
      await close();
    };
    try {
      await refuseOtherCluster(chain);
    } catch (thrown) {
      // A node that cannot be reached now decides nothing: each transfer reports that for itself.
      if (!(thrown instanceof Failure) || thrown.code !== 'node-unusable') {
        await closeBoth();
        throw thrown;
      }
      context.display.warn((await inWords(thrown)).message);
    }
    return { chain, close: closeBoth };
  };
  return {
    /** Uses the named profile, otherwise the bot's own. */
    of: async (intent: Intent): Promise<OpenedChain> => {
      const name = given.text('profile') ?? intent.bot;
      const opening = opened.get(name) ?? connect(name, intent);
      opened.set(name, opening);
      return (await opening).chain;
    },
    close: async (): Promise<void> => {
      for (const one of await Promise.allSettled(opened.values()))
        if (one.status === 'fulfilled') await one.value.close();
    },
  };
}

/** Whether the profile that sent it has been removed, so that nobody knows its node. */
export async function isProfileGone({ bot }: Intent, given: ParsedArgs, context: Context): Promise<boolean> {
  if (given.flag('sandbox') || bot === envBot || bot === sandboxBot) return false;
  return (await chainOfProfile(bot, botInputs(context))) === undefined;
}

type Inputs = {
  readonly chain: OpenedChain;
  readonly options: WaitOptions;
  readonly journal: Journal;
  readonly context: Context;
};

/**
 * Waits until the chain shows an accepted transfer, and says how far it is. A transfer proven earlier is not checked
 * again.
 */
async function waitForChain(intent: Intent, inputs: Inputs): Promise<ChainView> {
  const { chain, options, journal, context } = inputs;
  const { display, clock, interrupts } = context;
  const known = standingOf(await journal.reads.observationsOf(intent.id));
  if (known.view !== undefined && isSettled(known)) return known.view;
  const [signature] = await signaturesOf(intent, journal.reads);
  const payment = chain.paymentOf(intent);
  if (signature === undefined || payment === undefined)
    return unseen(chain, signature === undefined ? 'no-signature' : 'no-mint');
  const endsAtMs = clock.now() + options.waitMs;
  let latest: ChainView | undefined;
  const text = (): string => chainWaitText(options.until, latest, endsAtMs - clock.now());
  const share = (): number => 1 - Math.max(0, endsAtMs - clock.now()) / Math.max(1, options.waitMs);
  const isPiped = !display.watched && !display.quiet;
  if (isPiped)
    display.notice(
      `Waiting up to ${formatDuration(options.waitMs)} for the transfer to be ${options.until}, as seen by ${listed(chain.nodes.hosts)}.`,
    );
  const stop = display.watched ? display.meter(() => ({ share: share(), text: text() })) : () => {};
  try {
    const view = await watch(
      { id: intent.id, signature, payment, cluster: chain.cluster },
      {
        ...options,
        nodes: chain.nodes,
        interrupted: interrupts.first,
        clock,
        reasonOf: provenOnChain,
        onLook: (look) => {
          latest = look;
        },
      },
      journal,
    );
    if (isPiped) display.notice(`${chainLine(view)}.`);
    return view;
  } finally {
    stop();
  }
}

async function signaturesOf(intent: Intent, reads: Reads): Promise<string[]> {
  const attempts = await reads.attemptsOf(intent.id);
  return ownSignatures(intent, attempts, await reads.decisionsOf(intent.id));
}

/** The view of a transfer that cannot be looked for. */
function unseen({ cluster, nodes }: OpenedChain, because: 'no-signature' | 'no-mint'): ChainView {
  return { verdict: 'undecided', cluster: cluster.name, rpc: nodes.hosts, reasons: [because] };
}

export type Verified = { readonly intent: Intent; readonly view: ChainView };

type Asked = {
  readonly intent: Intent;
  readonly chain: OpenedChain;
  readonly signatures: readonly string[];
};

const mostAtATime = 8;

/**
 * Looks up each of these intents: one request for the states of many, then one for each transaction that exists.
 * Several lookups run at a time; results are reported in the given order.
 */
export async function verifyEach(
  intents: readonly Intent[],
  chains: Pick<ChainsOfIntents, 'of'>,
  journal: Journal,
  onEach: (verified: Verified) => Promise<void>,
): Promise<void> {
  const asked: Asked[] = [];
  for (const intent of intents) {
    const chain = await chains.of(intent);
    asked.push({ intent, chain, signatures: await signaturesOf(intent, journal.reads) });
  }
  const statuses = await statusesOf(asked);
  const looks: Promise<Verified>[] = [];
  const tellNext = async (): Promise<void> => {
    const next = await looks.shift();
    if (next !== undefined) await onEach(next);
  };
  for (const one of asked) {
    if (looks.length === mostAtATime) await tellNext();
    const look = verifyOne(one, statuses.get(one.chain), journal);
    // Handled when its turn comes, or ignored if an earlier lookup failed.
    look.catch(() => {});
    looks.push(look);
  }
  while (looks.length > 0) await tellNext();
}

async function statusesOf(asked: readonly Asked[]): Promise<Map<OpenedChain, Statuses>> {
  const found = new Map<OpenedChain, Statuses>();
  for (const { chain } of asked) {
    if (found.has(chain)) continue;
    const own = asked.filter((one) => one.chain === chain).flatMap(({ signatures }) => signatures);
    const statuses = new Map<string, Statuses extends ReadonlyMap<string, infer Each> ? Each : never>();
    for (let from = 0; from < own.length; from += mostSignatures) {
      const page = await chain.nodes.statusesOf(own.slice(from, from + mostSignatures));
      for (const [signature, status] of page) statuses.set(signature, status);
    }
    found.set(chain, statuses);
  }
  return found;
}

async function verifyOne(
  { intent, chain, signatures }: Asked,
  statuses: Statuses = new Map(),
  journal: Journal,
): Promise<Verified> {
  const known = standingOf(await journal.reads.observationsOf(intent.id));
  if (known.view !== undefined && isSettled(known)) return { intent, view: known.view };
  const payment = chain.paymentOf(intent);
  if (payment === undefined) return { intent, view: unseen(chain, 'no-mint') };
  let view: ChainView = unseen(chain, 'no-signature');
  const looks: { look: Look; saw: ChainView }[] = [];
  for (const signature of signatures) {
    const sighting = await chain.nodes.sight(signature, statuses, 'confirmed');
    const look: Look = { signature, sighting, payment, cluster: chain.cluster, hosts: chain.nodes.hosts };
    const expected = await judgeUnsettled(look, intent.id, journal);
    view = expected.verdict === 'proven' ? await settle(look, intent.id, journal, provenOnChain) : expected;
    if (view.verdict === 'proven') return { intent: await asItStands(intent, journal), view };
    looks.push({ look, saw: view });
  }
  // The last look counts. A contradiction of one signature must not end it while another is undecided.
  looks.sort((one, other) => rankOf(one.saw) - rankOf(other.saw));
  for (const { look } of looks) view = await settle(look, intent.id, journal, provenOnChain);
  return { intent: await asItStands(intent, journal), view };
}

/** What left the wallet and may be this transfer in doubt; undefined if it has a signature, or no wallet is known. */
export async function searchOf(
  intent: Intent,
  chains: Pick<ChainsOfIntents, 'of'>,
  journal: Journal,
): Promise<Search | undefined> {
  const isInDoubt = intent.state === 'unknown' || intent.state === 'held';
  if (!isInDoubt || isUnsent(intent) || (await signaturesOf(intent, journal.reads)).length > 0)
    return undefined;
  const { nodes, cluster, paymentOf } = await chains.of(intent);
  const payment = paymentOf(intent);
  const wallet = payment?.wallet;
  if (payment === undefined || wallet === undefined) return undefined;
  return searchFor({ intent, payment: { ...payment, wallet }, cluster, nodes }, journal);
}

/** Shows what was found, and returns what is to be said of it. */
export function tellSearch(intent: Intent, search: Search, { notice }: Pick<Display, 'notice'>): Told {
  const { amount, asset, to_address: to } = requestOf(intent);
  const payment = `${formatAmountOf(String(amount), String(asset))} to ${to}`;
  for (const candidate of search.candidates) notice(candidateLine(candidate, { intent, payment, search }));
  return searched({ intent, payment, search });
}

function rankOf(view: ChainView): number {
  if (isAgainst(view)) return 0;
  return view.verdict === 'likely' ? 1 : 2;
}

async function asItStands(intent: Intent, { reads }: Journal): Promise<Intent> {
  return (await reads.get(intent.id)) ?? intent;
}

/** What `--wait` needs before something is sent, and does after it was accepted. */
export type ChainWait = {
  /** Refuses nodes on another cluster, and an address that is not a mint, before anything is journaled. */
  ready(): Promise<void>;
  /** Undefined if there is no accepted transfer to wait for. */
  end(outcome: Outcome, journal: Journal): Promise<ChainEnd | undefined>;
  /** How far the chain had come when the nodes were checked. */
  before(): ChainPoint | undefined;
  close(): Promise<void>;
};

export async function openChainWait(
  asset: string,
  bot: Bot,
  given: ParsedArgs,
  context: Context,
  options: WaitOptions,
): Promise<ChainWait> {
  refuseUnprovable(asset, bot, options.until);
  const chain = await openChain(bot, given, context);
  let before: ChainPoint | undefined;
  return {
    ready: async () => {
      await refuseOtherCluster(chain);
      await refuseNoMint(asset, chain, bot);
      before = await chainNow(chain);
    },
    end: async (outcome, journal) => {
      if (outcome.is !== 'concluded' || outcome.intent.state !== 'accepted') return undefined;
      const view = await waitForChain(outcome.intent, { chain, options, journal, context });
      return { view, until: options.until };
    },
    before: () => before,
    close: () => chain.close(),
  };
}
