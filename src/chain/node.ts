import type { MinorUnits } from '../once/entry/amount.ts';
import { type Channel, type Flight, isObject, retryAfterMs } from '../once/wire/flight.ts';
import { type Cluster, clusterOf } from './cluster.ts';
import {
  type ChainTransaction,
  countOf,
  isTokenProgram,
  type JsonObject,
  listOf,
  objectOf,
  type Reason,
  readTransaction,
  Unreadable,
  unitsInText,
} from './transaction.ts';

export const commitments = ['processed', 'confirmed', 'finalized'] as const;
export type Commitment = (typeof commitments)[number];

/** Why no answer can be used and, if the node limits the rate, how long it asks to wait. */
export type Why = { readonly because: Reason; readonly waitMs?: number | undefined };

/** What the node says about one transaction. */
export type Lookup =
  | ({ readonly saw: 'nothing' } & Why)
  | { readonly saw: 'status'; readonly commitment: Commitment }
  | {
      readonly saw: 'transaction';
      readonly commitment: 'confirmed' | 'finalized';
      readonly transaction: ChainTransaction;
      readonly cluster: Cluster;
    };

/** An asset of a wallet. SOL has no mint. */
export type AssetOfWallet = { readonly asset: string; readonly mint?: string | undefined };

/** A wallet's balance according to the node, or why it is unknown. */
type Held = MinorUnits | Why;

export type Holding = AssetOfWallet & { readonly held: Held };

type SeenStatus = { readonly commitment: Commitment };

/** What the node says about the state of a transaction. */
type Status = Why | SeenStatus;

export type Statuses = ReadonlyMap<string, Status>;

export const mostSignatures = 256;

type NodeSettings = {
  /** The only part of its URL that is ever shown, because the URL often contains a key. */
  readonly host: string;
  readonly url: { reveal(): string };
  /** The cluster that it must belong to; undefined if any will do. */
  readonly expected: Cluster | undefined;
  readonly channel: Channel;
  readonly timeoutMs: number;
  readonly cut: AbortSignal;
  /** Ends the pauses between repeated requests while the node limits the rate. Without it, no request is repeated. */
  readonly patience: AbortSignal | undefined;
  readonly clock: { now(): number; sleep(waitMs: number, signal: AbortSignal): Promise<void> };
};

/** Asks for an account without its bytes. */
export const noData = { dataSlice: { offset: 0, length: 0 } };

const mostTries = 6;
const longestPauseMs = 60_000;

/** One Solana node, asked by JSON-RPC. Its answers are believed. */
export class RpcNode {
  readonly host: string;
  readonly #settings: NodeSettings;
  #asked = 0;
  #cluster: Cluster | undefined;

  constructor(settings: NodeSettings) {
    this.host = settings.host;
    this.#settings = settings;
  }

  /** Asks again while the node limits the rate, after the wait that it asks for. Returns the last answer. */
  async ask(method: string, params: readonly unknown[]): Promise<NodeAnswer> {
    const { patience, clock } = this.#settings;
    for (let tries = 1; ; tries += 1) {
      const answer = await this.#askOnce(method, params);
      if ('value' in answer || answer.waitMs === undefined) return answer;
      const waitMs = answer === limited ? limited.waitMs * 2 ** (tries - 1) : answer.waitMs;
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
    const limits = { timeoutMs, cut, lastCheck: () => undefined };
    const flight = await channel.fly({ url: url.reveal(), token: undefined, body }, limits);
    const answer = answerIn(flight, id, clock.now());
    await leave(flight, answer);
    return answer;
  }

  /** The chain that the node is on, or why that is unknown or wrong. */
  async cluster(): Promise<Cluster | Why> {
    if (this.#cluster !== undefined) return this.#cluster;
    const { expected } = this.#settings;
    const answer = await this.ask('getGenesisHash', []);
    if ('because' in answer) return answer;
    const cluster = typeof answer.value === 'string' ? clusterOf(answer.value) : undefined;
    if (cluster === undefined) return unusable;
    if (expected !== undefined && expected.genesis !== cluster.genesis) return { because: 'other-cluster' };
    this.#cluster = expected ?? cluster;
    return this.#cluster;
  }

  /** The cluster's name, if the node has already been asked. */
  get clusterName(): string | undefined {
    return this.#cluster?.name;
  }

  /** Whether the address is a token's mint; undefined if the node does not say. */
  async isMint(address: string): Promise<boolean | undefined> {
    const account = await this.#account(address, { encoding: 'jsonParsed', commitment: 'finalized' });
    if (account === undefined) return undefined;
    if (account === null || !isTokenProgram(String(account.owner))) return false;
    // A node that does not know the account's extensions gives its bytes instead.
    const parsed = isObject(account.data) ? account.data.parsed : undefined;
    return isObject(parsed) ? parsed.type === 'mint' : undefined;
  }

  /** The program that owns this account; `none` if it does not exist, undefined if the node does not say. */
  async ownerOf(address: string): Promise<string | undefined> {
    const account = await this.#account(address, { encoding: 'base64', commitment: 'confirmed', ...noData });
    if (account === null) return 'none';
    return typeof account?.owner === 'string' ? account.owner : undefined;
  }

  /** Null if the account does not exist, undefined if the node does not say. */
  async #account(address: string, config: object): Promise<JsonObject | null | undefined> {
    const answer = await this.ask('getAccountInfo', [address, config]);
    const account = 'value' in answer && isObject(answer.value) ? answer.value.value : undefined;
    return account === null || isObject(account) ? account : undefined;
  }

  /** The wallet's balance of each asset. All are asked for at once. */
  async holdings(wallet: string, assets: readonly AssetOfWallet[]): Promise<readonly Holding[]> {
    const [cluster, ...holdings] = await Promise.all([
      this.cluster(),
      ...assets.map(async (asset) => ({ ...asset, held: await this.#held(wallet, asset) })),
    ]);
    return 'because' in cluster ? assets.map((asset) => ({ ...asset, held: cluster })) : holdings;
  }

  async #held(wallet: string, { asset, mint }: AssetOfWallet): Promise<Held> {
    if (asset !== 'SOL' && mint === undefined) return { because: 'no-mint' };
    const config = { commitment: 'confirmed' };
    if (mint === undefined) return readIn(await this.ask('getBalance', [wallet, config]), lamportsIn);
    const parsed = { ...config, encoding: 'jsonParsed' };
    const answer = await this.ask('getTokenAccountsByOwner', [wallet, { mint }, parsed]);
    return readIn(answer, (result) => tokensIn(result, wallet, mint));
  }

  /** The status of these signatures. The node also searches its history for those it no longer has in memory. */
  async statusesOf(signatures: readonly string[]): Promise<Statuses> {
    const options = { searchTransactionHistory: true };
    const answer = await this.ask('getSignatureStatuses', [signatures, options]);
    const statuses = statusesIn(answer, signatures.length);
    return new Map(signatures.map((signature, n) => [signature, statuses[n] ?? unusable]));
  }

  /** The node's answer about one transaction, which is fetched only at commitment `least` or above. */
  async lookUp(signature: string, statuses: Statuses, least: 'confirmed' | 'finalized'): Promise<Lookup> {
    const status = statuses.get(signature) ?? unusable;
    if ('because' in status) return { saw: 'nothing', ...status };
    const { commitment } = status;
    if (commitment === 'processed' || commitments.indexOf(commitment) < commitments.indexOf(least))
      return { saw: 'status', commitment };
    // This checks the cluster first: a transaction on another cluster must not be shown as on this one.
    return this.transaction(signature, commitment);
  }

  async transaction(signature: string, commitment: 'confirmed' | 'finalized'): Promise<Lookup> {
    const cluster = await this.cluster();
    if ('because' in cluster) return { saw: 'nothing', ...cluster };
    const answer = await this.ask('getTransaction', [signature, asked(commitment)]);
    if ('value' in answer && answer.value === null) return { saw: 'nothing', because: 'not-seen' };
    const transaction = readIn(answer, readTransaction);
    if ('because' in transaction) return { saw: 'nothing', ...transaction };
    return { saw: 'transaction', commitment, transaction, cluster };
  }

  close(): Promise<void> {
    return this.#settings.channel.close();
  }
}

/** Version 1 transactions exist: if only version 0 is allowed, nodes sometimes answer with an error. */
const asked = (commitment: Commitment) => ({
  encoding: 'jsonParsed',
  commitment,
  maxSupportedTransactionVersion: 1,
});

const unusable: Why = { because: 'no-answer' };

/** Reads an answer, or returns why it cannot be read. */
export function readIn<Read>(answer: NodeAnswer, read: (value: unknown) => Read): Read | Why {
  if ('because' in answer) return answer;
  try {
    return read(answer.value);
  } catch (error) {
    if (error instanceof Unreadable) return unusable;
    throw error;
  }
}

function statusesIn(answer: NodeAnswer, count: number): readonly Status[] {
  const read = readIn(answer, (value) => listedStatuses(value, count));
  return 'because' in read ? Array.from({ length: count }, () => read) : read;
}

function listedStatuses(value: unknown, count: number): readonly Status[] {
  const statuses = listOf(objectOf(value).value);
  if (statuses.length !== count) throw new Unreadable('statuses/other-count');
  return statuses.map(statusOf);
}

function statusOf(value: unknown): Status {
  // The transaction may be late or lost, or the node's storage may be down. This proves nothing.
  if (value === null) return { because: 'not-seen' };
  return readIn({ value }, (): SeenStatus => {
    const { confirmationStatus } = objectOf(value);
    const commitment = commitments.find((known) => known === confirmationStatus);
    if (commitment === undefined) throw new Unreadable('status/unknown');
    return { commitment };
  });
}

const lamportDecimals = 9;

/** Reads the result of `getBalance`. Throws `Unreadable` if it is something else. */
function lamportsIn(result: unknown): MinorUnits {
  return { units: BigInt(countOf(objectOf(result).value)), decimals: lamportDecimals };
}

/** Reads the result of `getTokenAccountsByOwner`: all accounts of one mint together. */
function tokensIn(result: unknown, wallet: string, mint: string): MinorUnits {
  const amounts = listOf(objectOf(result).value).map((each): MinorUnits => {
    const { data } = objectOf(objectOf(each).account);
    const { info } = objectOf(objectOf(data).parsed);
    const { mint: itsMint, owner, tokenAmount } = objectOf(info);
    if (itsMint !== mint || owner !== wallet) throw new Unreadable('account/of-another');
    const { amount, decimals } = objectOf(tokenAmount);
    return { units: unitsInText(amount), decimals: countOf(decimals) };
  });
  // A wallet without an account of this mint has none of it.
  const [{ decimals } = { decimals: 0 }] = amounts;
  if (amounts.some((other) => other.decimals !== decimals)) throw new Unreadable('decimals/differ');
  return { units: amounts.reduce((sum, { units }) => sum + units, 0n), decimals };
}

/** A node's answer, or why it cannot be used. */
type NodeAnswer = { readonly value: unknown } | Why;

/** After a broken answer a node may still send more, which must not count as the answer to the next request. */
async function leave(flight: Flight, answer: NodeAnswer): Promise<void> {
  const socket = flight.came === 'reply' ? flight.socket : undefined;
  if ('value' in answer) socket?.keep();
  else await socket?.drop();
}

/** The node limits the rate, and does not say for how long. */
const limited = { ...unusable, waitMs: 1000 };

function answerIn(flight: Flight, id: number, nowMs: number): NodeAnswer {
  if (flight.came === 'nothing' || flight.ended !== 'whole') return unusable;
  const { status, headers, body } = flight;
  if (status === 429) {
    const waitMs = retryAfterMs(headers, nowMs);
    return waitMs === undefined ? limited : { ...unusable, waitMs };
  }
  if (status === 401 || status === 403) return { because: 'not-permitted' };
  if (status !== 200) return unusable;
  try {
    return resultIn(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)), id);
  } catch {
    return unusable;
  }
}

/** JSON-RPC defines no code for a rate limit. Nodes use these. */
const limits: readonly unknown[] = [429, -32429];

function resultIn(reply: unknown, id: number): NodeAnswer {
  if (!isObject(reply) || reply.jsonrpc !== '2.0' || reply.id !== id) return unusable;
  const { result, error } = reply;
  if (isObject(error) && limits.includes(error.code)) return limited;
  if ((error !== undefined && error !== null) || result === undefined) return unusable;
  return { value: result };
}
