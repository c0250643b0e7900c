import type { MinorUnits } from '../intent/amount.ts';
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
import { type Commitment, commitments } from './verdict.ts';

/** Why nothing can be said, and how long the node asks to wait. */
type Why = { readonly because: Reason; readonly waitMs?: number | undefined };

/** What the node says about one transaction. */
export type Sighting =
  | ({ readonly saw: 'nothing' } & Why)
  | { readonly saw: 'status'; readonly commitment: Commitment }
  | {
      readonly saw: 'transaction';
      readonly commitment: 'confirmed' | 'finalized';
      readonly transaction: ChainTransaction;
    };

/** An asset of a wallet. SOL has no mint. */
export type AssetOfWallet = { readonly asset: string; readonly mint?: string | undefined };

/** How much the node says that a wallet holds, or why that is unknown. */
type Held = MinorUnits | { readonly because: Reason };

export type Holding = AssetOfWallet & { readonly held: Held };

type SeenStatus = { readonly slot: number; readonly failed: boolean; readonly commitment: Commitment };

/** What the node says about the state of a transaction. */
type Status = Why | SeenStatus;

export type Statuses = ReadonlyMap<string, Status>;

/** The most signatures that one request may have. */
export const mostSignatures = 256;

type NodeSettings = {
  /** The only part of its URL that is ever shown, because the URL often carries a key. */
  readonly host: string;
  readonly url: { reveal(): string };
  /** The genesis hash of the chain that it should be on. */
  readonly genesis: string;
  readonly channel: Channel;
  readonly timeoutMs: number;
  readonly cut: AbortSignal;
  /** Ends the pauses between requests that the node limits. Without it such a request is not repeated. */
  readonly patience: AbortSignal | undefined;
  readonly clock: { now(): number; sleep(waitMs: number, signal: AbortSignal): Promise<void> };
};

const mostTries = 6;
const longestPauseMs = 60_000;

/** One Solana node, asked by JSON-RPC: one request at a time, no batches. It is believed. */
export class RpcNode {
  readonly host: string;
  readonly #settings: NodeSettings;
  #asked = 0;
  #isOfIt = false;

  constructor(settings: NodeSettings) {
    this.host = settings.host;
    this.#settings = settings;
  }

  /** Asks again while the node limits the rate, after the wait that it asks for. Returns the last answer. */
  async ask(method: string, params: readonly unknown[]): Promise<NodeAnswer> {
    const { patience, clock } = this.#settings;
    for (let tries = 1; ; tries += 1) {
      const answer = await this.#askOnce(method, params);
      if (answer.is === 'answer' || answer.because !== 'rate-limited') return answer;
      const { waitMs = 0 } = answer;
      if (patience === undefined || patience.aborted || tries === mostTries || waitMs > longestPauseMs)
        return answer;
      await clock.sleep(waitMs, patience);
    }
  }

  async #askOnce(method: string, params: readonly unknown[]): Promise<NodeAnswer> {
    const { url, channel, timeoutMs, cut, clock } = this.#settings;
    this.#asked += 1;
    const id = this.#asked;
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    const limits = { timeoutMs, cut, door: () => undefined };
    const flight = await channel.fly({ url: url.reveal(), token: undefined, body }, limits);
    const answer = answerIn(flight, id, clock.now());
    await leave(flight, answer);
    return answer;
  }

  /** Why it could not be confirmed that the node is on this chain; undefined if it is. */
  async ofAnother(): Promise<Reason | undefined> {
    if (this.#isOfIt) return undefined;
    const answer = await this.ask('getGenesisHash', []);
    if (answer.is === 'trouble') return answer.because;
    this.#isOfIt = answer.value === this.#settings.genesis;
    return this.#isOfIt ? undefined : 'other-cluster';
  }

  /** Whether the address is a token's mint; undefined if the node does not say. */
  async isMint(address: string): Promise<boolean | undefined> {
    const config = { encoding: 'base64', commitment: 'finalized' };
    const answer = await this.ask('getAccountInfo', [address, config]);
    return answer.is === 'answer' && isObject(answer.value) ? isMintAccount(answer.value.value) : undefined;
  }

  /** The program that owns this account; `none` if there is no such account, undefined if the node does not say. */
  async ownerOf(address: string): Promise<string | undefined> {
    const config = { encoding: 'base64', commitment: 'confirmed', dataSlice: { offset: 0, length: 0 } };
    const answer = await this.ask('getAccountInfo', [address, config]);
    const account = answer.is === 'answer' && isObject(answer.value) ? answer.value.value : undefined;
    if (account === null) return 'none';
    return isObject(account) && typeof account.owner === 'string' ? account.owner : undefined;
  }

  /** What the wallet holds of each asset. All is asked at once. */
  async holdings(wallet: string, assets: readonly AssetOfWallet[]): Promise<readonly Holding[]> {
    const [because, ...holdings] = await Promise.all([
      this.ofAnother(),
      ...assets.map(async (asset) => ({ ...asset, held: await this.#held(wallet, asset) })),
    ]);
    return because === undefined ? holdings : assets.map((asset) => ({ ...asset, held: { because } }));
  }

  async #held(wallet: string, { asset, mint }: AssetOfWallet): Promise<Held> {
    if (asset !== 'SOL' && mint === undefined) return { because: 'no-mint' };
    const config = { commitment: 'confirmed' };
    if (mint === undefined) return heldIn(await this.ask('getBalance', [wallet, config]), lamportsIn);
    const parsed = { ...config, encoding: 'jsonParsed' };
    const answer = await this.ask('getTokenAccountsByOwner', [wallet, { mint }, parsed]);
    return heldIn(answer, (result) => tokensIn(result, wallet, mint));
  }

  /** The status of these signatures. The node also searches its history for those it no longer has in memory. */
  async statusesOf(signatures: readonly string[]): Promise<Statuses> {
    const options = { searchTransactionHistory: true };
    const answer = await this.ask('getSignatureStatuses', [signatures, options]);
    const statuses = statusesIn(answer, signatures.length);
    return new Map(signatures.map((signature, n) => [signature, statuses[n] ?? { because: 'unreadable' }]));
  }

  /** What the node says about one transaction. It is fetched only if the node has it at least at commitment `least`. */
  async sight(signature: string, statuses: Statuses, least: 'confirmed' | 'finalized'): Promise<Sighting> {
    const status = statuses.get(signature) ?? { because: 'unreadable' };
    if ('because' in status) return { saw: 'nothing', ...status };
    const { commitment } = status;
    if (commitment === 'processed' || commitments.indexOf(commitment) < commitments.indexOf(least))
      return { saw: 'status', commitment };
    // Nothing else may have checked the chain yet. A transaction on another chain must not be shown as one of this.
    const because = await this.ofAnother();
    if (because !== undefined) return { saw: 'nothing', because };
    const found = transactionIn(await this.ask('getTransaction', [signature, asked(commitment)]), status);
    if ('because' in found) return { saw: 'nothing', ...found };
    const blockTimeS = found.blockTimeS ?? countIn(await this.ask('getBlockTime', [found.slot]));
    return { saw: 'transaction', commitment, transaction: { ...found, blockTimeS } };
  }

  close(): Promise<void> {
    return this.#settings.channel.close();
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
export function readable<Read>(read: () => Read): Read | Why {
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

function transactionIn(answer: NodeAnswer, status: SeenStatus): ChainTransaction | Why {
  if (answer.is === 'trouble') return whyOf(answer);
  // The node has just said that it has the transaction.
  if (answer.value === null) return { because: 'lagging' };
  const read = readable(() => readTransaction(answer.value));
  if ('because' in read) return read;
  const isSame = status.slot === read.slot && status.failed === read.failed;
  return isSame ? read : { because: 'unreadable' };
}

/** A node's answer, or why it cannot be used. */
export type NodeAnswer =
  | { readonly is: 'answer'; readonly value: Exact }
  | ({ readonly is: 'trouble' } & Why);

/** A node whose answer was broken may still send something. It must not count as the answer to the next request. */
async function leave(flight: Flight, answer: NodeAnswer): Promise<void> {
  const socket = flight.came === 'reply' ? flight.socket : undefined;
  if (answer.is === 'answer') socket?.keep();
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
    return resultIn(reply, id);
  } catch {
    return trouble('unreadable');
  }
}

function resultIn(reply: Exact, id: number): NodeAnswer {
  if (!isObject(reply) || reply.jsonrpc !== '2.0' || reply.id !== BigInt(id)) return trouble('unreadable');
  const { result, error } = reply;
  if (error !== undefined && error !== null) return trouble(reasonOf(error));
  return result === undefined ? trouble('unreadable') : { is: 'answer', value: result };
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
