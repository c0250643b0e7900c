import { isDeepStrictEqual } from 'node:util';
import { isLess, type MinorUnits } from '../intent/amount.ts';
import { type Channel, type Flight, retryAfterMs } from '../wire/flight.ts';
import {
  type ChainTransaction,
  countOf,
  type Exact,
  isObject,
  listOf,
  objectOf,
  parseExact,
  type Reason,
  readTransaction,
  textOf,
  tokenPrograms,
  Unreadable,
  u64InText,
  u64Of,
} from './transaction.ts';
import { type ChainBefore, type Commitment, commitments, graceMs } from './verdict.ts';

/** Why nothing can be said, and how long the node asks to wait. */
type Why = { readonly because: Reason; readonly waitMs?: number | undefined };

/** What all nodes together say about one transaction. */
export type Sighting =
  | ({ readonly saw: 'nothing' } & Why)
  | { readonly saw: 'status'; readonly commitment: Commitment }
  | {
      readonly saw: 'transaction';
      readonly commitment: 'confirmed' | 'finalized';
      readonly transaction: ChainTransaction;
      /** The nodes' clocks at that time, as far as they gave it. */
      readonly nodesMs: readonly number[];
    };

/** An asset of a wallet. SOL has no mint. */
export type AssetOfWallet = { readonly asset: string; readonly mint?: string | undefined };

/** How much the nodes say that a wallet holds, or why that is unknown. */
type Held = MinorUnits | { readonly because: Reason };

export type Holding = AssetOfWallet & { readonly held: Held };

type SeenStatus = { readonly slot: number; readonly failed: boolean; readonly commitment: Commitment };

/** What one node says about the state of a transaction. */
type Status = Why | SeenStatus;

/** For each signature, the status at each node, in the order of the nodes. */
export type Statuses = ReadonlyMap<string, readonly Status[]>;

/** The most signatures that one request may have. */
export const mostSignatures = 256;

/** The nodes that are asked. A result counts only if all of them agree. */
export class ChainNodes {
  readonly hosts: readonly string[];
  readonly #nodes: readonly RpcNode[];
  readonly #genesis: string;
  #areOfIt = false;
  readonly #ask: (node: RpcNode, method: string, params: readonly unknown[]) => Promise<NodeAnswer>;

  /** `patiently` wraps each request, for example to repeat it while a node limits the rate. */
  constructor(
    nodes: readonly RpcNode[],
    genesis: string,
    patiently: (ask: () => Promise<NodeAnswer>) => Promise<NodeAnswer>,
  ) {
    this.#nodes = nodes;
    this.#genesis = genesis;
    this.hosts = nodes.map(({ host }) => host);
    this.#ask = (node, method, params) => patiently(() => node.ask(method, params));
  }

  /** The node that could not be confirmed to be on this chain, and why; undefined if all are. */
  async ofAnother(): Promise<{ readonly host: string; readonly because: Reason } | undefined> {
    if (this.#areOfIt) return undefined;
    const answers = await this.#each(async (node) => {
      const answer = await this.#ask(node, 'getGenesisHash', []);
      if (answer.is === 'trouble') return { host: node.host, because: answer.because };
      const isOfIt = answer.value === this.#genesis;
      return isOfIt ? undefined : ({ host: node.host, because: 'other-cluster' } as const);
    });
    const against = answers.filter((answer) => answer !== undefined);
    this.#areOfIt = against.length === 0;
    // A node that is certainly on another chain comes before one that did not answer.
    return against.find(({ because }) => because === 'other-cluster') ?? against[0];
  }

  /** Whether the address is a token's mint; undefined if a node does not say. */
  async isMint(address: string): Promise<boolean | undefined> {
    const said = await this.#each(async (node) => {
      const config = { encoding: 'base64', commitment: 'finalized' };
      const answer = await this.#ask(node, 'getAccountInfo', [address, config]);
      return answer.is === 'answer' && isObject(answer.value) ? isMintAccount(answer.value.value) : undefined;
    });
    return said.includes(undefined) ? undefined : !said.includes(false);
  }

  /** The program that owns this account; `none` if there is no such account, undefined if the nodes do not say. */
  async ownerOf(address: string): Promise<string | undefined> {
    const said = await this.#each(async (node) => {
      const config = { encoding: 'base64', commitment: 'confirmed', dataSlice: { offset: 0, length: 0 } };
      const answer = await this.#ask(node, 'getAccountInfo', [address, config]);
      const account = answer.is === 'answer' && isObject(answer.value) ? answer.value.value : undefined;
      if (account === null) return 'none';
      return isObject(account) && typeof account.owner === 'string' ? account.owner : undefined;
    });
    return new Set(said).size === 1 ? said[0] : undefined;
  }

  /** What the wallet holds of each asset. If the nodes differ, the lowest amount counts. All is asked at once. */
  async holdings(wallet: string, assets: readonly AssetOfWallet[]): Promise<readonly Holding[]> {
    const [other, ...holdings] = await Promise.all([
      this.ofAnother(),
      ...assets.map(async (asset) => ({ ...asset, held: await this.#held(wallet, asset) })),
    ]);
    if (other === undefined) return holdings;
    return assets.map((asset) => ({ ...asset, held: { because: other.because } }));
  }

  async #held(wallet: string, { asset, mint }: AssetOfWallet): Promise<Held> {
    if (asset !== 'SOL' && mint === undefined) return { because: 'no-mint' };
    const config = { commitment: 'confirmed' };
    const said = await this.#each(async (node) =>
      mint === undefined
        ? heldIn(await this.#ask(node, 'getBalance', [wallet, config]), lamportsIn)
        : heldIn(
            await this.#ask(node, 'getTokenAccountsByOwner', [
              wallet,
              { mint },
              { ...config, encoding: 'jsonParsed' },
            ]),
            (result) => tokensIn(result, wallet, mint),
          ),
    );
    return said.reduce((lowest, other) => {
      if ('because' in lowest) return lowest;
      return 'because' in other || isLess(other, lowest) ? other : lowest;
    });
  }

  /**
   * The status of these signatures at each node. A node also searches its history for those it no longer has in memory.
   */
  async statusesOf(signatures: readonly string[]): Promise<Statuses> {
    const byNode = await this.#each(async (node): Promise<readonly Status[]> => {
      const options = { searchTransactionHistory: true };
      const answer = await this.#ask(node, 'getSignatureStatuses', [signatures, options]);
      return statusesIn(answer, signatures.length);
    });
    return new Map(
      signatures.map((signature, n) => [
        signature,
        byNode.map((statuses) => statuses[n] ?? { because: 'unreadable' }),
      ]),
    );
  }

  /**
   * What the nodes say about one transaction. It is fetched only if all nodes have it at least at commitment `least`.
   */
  async sight(signature: string, statuses: Statuses, least: 'confirmed' | 'finalized'): Promise<Sighting> {
    const own = statuses.get(signature) ?? [];
    const nothing = own.find((status): status is Why => 'because' in status);
    if (nothing !== undefined) return { saw: 'nothing', ...nothing };
    const seen = own.filter((status): status is SeenStatus => !('because' in status));
    // The lowest is what all nodes have reached.
    const commitment = commitments.find((one) => seen.some((status) => status.commitment === one));
    if (commitment === undefined) return { saw: 'nothing', because: 'unreadable' };
    if (commitment === 'processed' || commitments.indexOf(commitment) < commitments.indexOf(least))
      return { saw: 'status', commitment };
    // Nothing else may have checked the chain yet. A transaction on another chain must not be shown as one of this.
    const other = await this.ofAnother();
    if (other !== undefined) return { saw: 'nothing', because: other.because };
    const nodesMs: number[] = [];
    const found = await this.#each(async (node, n) => {
      const answer = await this.#ask(node, 'getTransaction', [signature, asked(commitment)]);
      if (answer.is === 'answer' && answer.nodeMs !== undefined) nodesMs.push(answer.nodeMs);
      return transactionIn(answer, seen[n]);
    });
    const missing = found.find((one) => 'because' in one);
    if (missing !== undefined) return { saw: 'nothing', ...missing };
    const [first, ...others] = found.filter((one): one is ChainTransaction => !('because' in one));
    if (first === undefined || others.some((other) => !saysTheSame(first, other)))
      return { saw: 'nothing', because: 'nodes-disagree' };
    const timesS = await this.#timesOf([first, ...others]);
    const blockTimeS = timesS.length === 0 ? undefined : Math.min(...timesS);
    if (blockTimeS !== undefined && 1000 * (Math.max(...timesS) - blockTimeS) > graceMs)
      return { saw: 'nothing', because: 'nodes-disagree' };
    return { saw: 'transaction', commitment, transaction: { ...first, blockTimeS }, nodesMs };
  }

  /** The time of the transaction at each node that has it. If none has, the nodes are asked for the slot's time. */
  async #timesOf(told: readonly ChainTransaction[]): Promise<number[]> {
    const timesS = told.flatMap(({ blockTimeS }) => blockTimeS ?? []);
    const [slot] = told.map((one) => one.slot);
    if (timesS.length > 0) return timesS;
    const asked = await this.ask('getBlockTime', [slot]);
    return asked.flatMap((answer) => countIn(answer) ?? []);
  }

  /** The newest slot that any node calls final; undefined if none answers. */
  async finalizedNow(): Promise<ChainBefore | undefined> {
    const asked = await this.ask('getSlot', [{ commitment: 'finalized' }]);
    const slots = asked.flatMap((answer) => countIn(answer) ?? []);
    const nodesMs = asked.flatMap((answer) => (answer.is === 'answer' ? (answer.nodeMs ?? []) : []));
    if (slots.length === 0) return undefined;
    return { slot: Math.max(...slots), nodeMs: nodesMs.length === 0 ? undefined : Math.max(...nodesMs) };
  }

  /** What each node answers. */
  ask(method: string, params: readonly unknown[]): Promise<NodeAnswer[]> {
    return this.#each((node) => this.#ask(node, method, params));
  }

  async close(): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node.close()));
  }

  #each<Result>(ask: (node: RpcNode, n: number) => Promise<Result>): Promise<Result[]> {
    return Promise.all(this.#nodes.map(ask));
  }
}

/** Version 1 transactions exist: if only version 0 is allowed, nodes sometimes answer with an error. */
const asked = (commitment: Commitment) => ({
  encoding: 'json',
  commitment,
  maxSupportedTransactionVersion: 1,
});

function whyOf({ because, waitMs }: Why): Why {
  return { because, waitMs };
}

/** What is read, or why it cannot be read. */
function readable<Read>(read: () => Read): Read | Why {
  try {
    return read();
  } catch (error) {
    if (error instanceof Unreadable) return { because: error.reason };
    throw error;
  }
}

function statusesIn(answer: NodeAnswer, count: number): readonly Status[] {
  const read = answer.is === 'trouble' ? answer : readable(() => listedStatuses(answer.value, count));
  return 'because' in read ? Array.from({ length: count }, () => whyOf(read)) : read;
}

function listedStatuses(value: Exact, count: number): readonly Status[] {
  const statuses = listOf(objectOf(value, 'statuses').value, 'statuses');
  if (statuses.length !== count) throw new Unreadable('statuses/other-count');
  return statuses.map(statusOf);
}

function statusOf(value: Exact): Status {
  // It may be on its way or lost, or the node's storage may be down. Nothing follows from that.
  if (value === null) return { because: 'not-seen' };
  return readable((): SeenStatus => {
    const { slot, err, confirmationStatus } = objectOf(value, 'status');
    const text = textOf(confirmationStatus, 'confirmationStatus');
    const commitment = commitments.find((known) => known === text);
    if (commitment === undefined || err === undefined) throw new Unreadable('status/unknown');
    return { slot: countOf(slot, 'slot'), failed: err !== null, commitment };
  });
}

function heldIn(answer: NodeAnswer, read: (result: Exact) => Held): Held {
  return answer.is === 'trouble' ? { because: answer.because } : readable(() => read(answer.value));
}

const lamportDecimals = 9;

/** Reads the result of `getBalance`. Throws `Unreadable` if it is something else. */
function lamportsIn(result: Exact): MinorUnits {
  const { value } = objectOf(result, 'balance');
  return { units: u64Of(value, 'balance'), decimals: lamportDecimals };
}

/** Reads the result of `getTokenAccountsByOwner`: all accounts of one mint together. */
function tokensIn(result: Exact, wallet: string, mint: string): MinorUnits {
  const amounts = listOf(objectOf(result, 'accounts').value, 'accounts').map((each) => {
    const { data } = objectOf(objectOf(each, 'token-account').account, 'account');
    const { info } = objectOf(objectOf(data, 'data').parsed, 'parsed');
    const { mint: itsMint, owner, tokenAmount } = objectOf(info, 'info');
    if (textOf(itsMint, 'mint') !== mint || textOf(owner, 'owner') !== wallet)
      throw new Unreadable('token-account/of-another');
    const { amount, decimals } = objectOf(tokenAmount, 'tokenAmount');
    return { units: u64InText(amount, 'amount'), decimals: decimalsOf(decimals) };
  });
  // A wallet without an account of this mint holds nothing of it.
  const [{ decimals } = { decimals: 0 }] = amounts;
  if (amounts.some((other) => other.decimals !== decimals)) throw new Unreadable('decimals/differ');
  return { units: amounts.reduce((sum, { units }) => sum + units, 0n), decimals };
}

function decimalsOf(value: Exact | undefined): number {
  const decimals = countOf(value, 'decimals');
  if (decimals > 255) throw new Unreadable('decimals/too-great');
  return decimals;
}

function countIn(answer: NodeAnswer): number | undefined {
  if (answer.is !== 'answer' || typeof answer.value !== 'bigint') return undefined;
  const count = Number(answer.value);
  return count >= 0 && Number.isSafeInteger(count) ? count : undefined;
}

function transactionIn(answer: NodeAnswer, status: SeenStatus | undefined): ChainTransaction | Why {
  if (answer.is === 'trouble') return whyOf(answer);
  // The node has just said that it has the transaction.
  if (answer.value === null) return { because: 'lagging' };
  const read = readable(() => readTransaction(answer.value));
  if ('because' in read) return read;
  const isSame = status?.slot === read.slot && status.failed === read.failed;
  return isSame ? read : { because: 'unreadable' };
}

/** Compares everything that the rules read, except the time, which each node estimates itself. */
function saysTheSame(one: ChainTransaction, other: ChainTransaction): boolean {
  return isDeepStrictEqual({ ...one, blockTimeS: undefined }, { ...other, blockTimeS: undefined });
}

/** A node's answer, or why it cannot be used. */
export type NodeAnswer =
  /** `nodeMs` is the node's clock, if it gave one. */
  | { readonly is: 'answer'; readonly value: Exact; readonly nodeMs: number | undefined }
  | ({ readonly is: 'trouble' } & Why);

type NodeSettings = {
  /** The only part of its URL that is ever shown, because the URL often carries a key. */
  readonly host: string;
  readonly url: { reveal(): string };
  readonly channel: Channel;
  readonly timeoutMs: number;
  readonly cut: AbortSignal;
  now(): number;
};

/** One Solana node, asked by JSON-RPC: one request at a time, no batches. */
export class RpcNode {
  readonly host: string;
  readonly #settings: NodeSettings;
  #asked = 0;

  constructor(settings: NodeSettings) {
    this.host = settings.host;
    this.#settings = settings;
  }

  async ask(method: string, params: readonly unknown[]): Promise<NodeAnswer> {
    const { url, channel, timeoutMs, cut, now } = this.#settings;
    this.#asked += 1;
    const id = this.#asked;
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    const limits = { timeoutMs, cut, door: () => undefined };
    const flight = await channel.fly({ url: url.reveal(), token: undefined, body }, limits);
    const answer = answerIn(flight, id, now());
    await leave(flight, answer);
    return answer;
  }

  close(): Promise<void> {
    return this.#settings.channel.close();
  }
}

/** A node whose answer was broken may still send something. It must not count as the answer to the next request. */
async function leave(flight: Flight, answer: NodeAnswer): Promise<void> {
  const socket = flight.came === 'reply' ? flight.socket : undefined;
  if (answer.is === 'answer') socket?.keep({ key: '', id: undefined });
  else await socket?.drop();
}

function trouble(because: Reason, waitMs?: number): NodeAnswer {
  return { is: 'trouble', because, waitMs };
}

const defaultLimitMs = 1000;

function answerIn(flight: Flight, id: number, nowMs: number): NodeAnswer {
  if (flight.came === 'nothing' || flight.ended !== 'whole') return trouble('unreachable');
  const { status, headers, body } = flight;
  if (status === 429) return trouble('rate-limited', retryAfterMs(headers, nowMs) ?? defaultLimitMs);
  if (status === 401 || status === 403) return trouble('not-permitted');
  if (status !== 200) return trouble('node-error');
  try {
    const reply = parseExact(new TextDecoder('utf-8', { fatal: true }).decode(body));
    return resultIn(reply, id, dateIn(headers));
  } catch {
    return trouble('unreadable');
  }
}

function dateIn({ date }: Readonly<Record<string, string>>): number | undefined {
  const atMs = Date.parse(date ?? '');
  return Number.isNaN(atMs) ? undefined : atMs;
}

function resultIn(reply: Exact, id: number, nodeMs: number | undefined): NodeAnswer {
  if (!isObject(reply) || reply.jsonrpc !== '2.0' || reply.id !== BigInt(id)) return trouble('unreadable');
  const { result, error } = reply;
  if (error !== undefined && error !== null) return trouble(reasonOf(error));
  return result === undefined ? trouble('unreadable') : { is: 'answer', value: result, nodeMs };
}

/** The JSON-RPC error numbers that have a more exact meaning. */
const known: Readonly<Record<string, Reason>> = {
  '-32005': 'lagging',
  '-32015': 'unknown-version',
  '429': 'rate-limited',
  '-32429': 'rate-limited',
};

function reasonOf(error: Exact): Reason {
  const code = isObject(error) ? error.code : undefined;
  return (typeof code === 'bigint' ? known[code.toString()] : undefined) ?? 'node-error';
}

/** One pace for all requests: each waits for its turn, and a rate limit slows all of them. */
type NodePace = {
  turn(signal: AbortSignal): Promise<void>;
  limited(retryAfterMs: number | undefined): void;
};

const mostTries = 6;
const longestMs = 60_000;

/** Repeats a request while the node limits the rate, after the wait that it asks for. Returns the last answer. */
export function patiently(
  pace: NodePace,
  interrupted: AbortSignal,
): (ask: () => Promise<NodeAnswer>) => Promise<NodeAnswer> {
  return async (ask) => {
    for (let tries = 1; ; tries += 1) {
      await pace.turn(interrupted);
      const answer = await ask();
      if (answer.is === 'answer' || answer.because !== 'rate-limited') return answer;
      if (tries === mostTries || (answer.waitMs ?? 0) > longestMs || interrupted.aborted) return answer;
      pace.limited(answer.waitMs);
    }
  };
}

// Layout of the token programs' accounts: a mint has 82 bytes. Under Token-2022 an extended account is longer and has
// its kind at byte 165, except for a list of signers, which has 355 bytes.
const mintBytes = 82;
const initializedAt = 45;
const kindAt = 165;
const mintKind = 1;
const signersBytes = 355;

/** Whether the result of `getAccountInfo` is a token's mint; undefined if it cannot be read. */
export function isMintAccount(account: Exact | undefined): boolean | undefined {
  if (account === undefined) return undefined;
  if (!isObject(account)) return false;
  const { owner, data } = account;
  const isToken2022 = owner === tokenPrograms.token2022;
  if (!isToken2022 && owner !== tokenPrograms.token) return false;
  const [text, encoding] = Array.isArray(data) ? data : [];
  if (typeof text !== 'string' || encoding !== 'base64') return undefined;
  const bytes = Buffer.from(text, 'base64');
  const isExtended = isToken2022 && bytes[kindAt] === mintKind && bytes.length !== signersBytes;
  return (bytes.length === mintBytes || isExtended) && bytes[initializedAt] === 1;
}
