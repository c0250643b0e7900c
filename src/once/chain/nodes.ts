import { isDeepStrictEqual } from 'node:util';
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
} from './transaction.ts';
import { type ChainBefore, type Commitment, commitments, graceMs } from './verdict.ts';

/** What nodes say of one transaction, all together. */
export type Sighting =
  | { readonly saw: 'nothing'; readonly because: Reason; readonly waitMs?: number }
  | { readonly saw: 'status'; readonly commitment: Commitment }
  | {
      readonly saw: 'transaction';
      readonly commitment: 'confirmed' | 'finalized';
      readonly transaction: ChainTransaction;
      /** What the nodes' clocks said then, as far as they told. */
      readonly nodesMs: readonly number[];
    };

/** What a node says of the state of a transaction. */
type Status =
  | { readonly is: 'nothing'; readonly because: Reason; readonly waitMs?: number }
  | { readonly is: 'seen'; readonly slot: number; readonly failed: boolean; readonly commitment: Commitment };

/** Each node's own statuses, in the order of the nodes. */
export type Statuses = ReadonlyMap<string, readonly Status[]>;

/** As many signatures as one question may have. */
export const mostSignatures = 256;

/** The nodes that are asked: all must say the same. */
export class ChainNodes {
  readonly hosts: readonly string[];
  readonly #nodes: readonly RpcNode[];
  readonly #genesis: string;
  #areOfIt = false;
  readonly #ask: (node: RpcNode, method: string, params: readonly unknown[]) => Promise<NodeAnswer>;

  /** `patiently` says how a node is asked: again and again, say, while it limits the rate. */
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

  /** Why they are not known as nodes of their chain, where they are not, and which. */
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
    // One that is surely of another chain, before one that did not answer.
    return against.find(({ because }) => because === 'other-cluster') ?? against[0];
  }

  /** Whether it is a token's mint; undefined where a node does not say. */
  async isMint(address: string): Promise<boolean | undefined> {
    const said = await this.#each(async (node) => {
      const config = { encoding: 'base64', commitment: 'finalized' };
      const answer = await this.#ask(node, 'getAccountInfo', [address, config]);
      return answer.is === 'answer' && isObject(answer.value) ? isMintAccount(answer.value.value) : undefined;
    });
    return said.includes(undefined) ? undefined : !said.includes(false);
  }

  /** How these stand by each of the nodes. A node that has none of it in its memory looks into its history. */
  async statusesOf(signatures: readonly string[]): Promise<Statuses> {
    const byNode = await this.#each(async (node): Promise<readonly Status[]> => {
      const options = { searchTransactionHistory: true };
      const answer = await this.#ask(node, 'getSignatureStatuses', [signatures, options]);
      return statusesIn(answer, signatures.length);
    });
    return new Map(
      signatures.map((signature, n) => [
        signature,
        byNode.map((statuses) => statuses[n] ?? { is: 'nothing', because: 'unreadable' }),
      ]),
    );
  }

  /** What they say of one transaction that stands so; it is asked for where it has come so far. */
  async sight(signature: string, statuses: Statuses, least: 'confirmed' | 'finalized'): Promise<Sighting> {
    const own = statuses.get(signature) ?? [];
    const nothing = own.find((status) => status.is === 'nothing');
    if (own.length === 0 || nothing !== undefined) return { saw: 'nothing', ...withoutIs(nothing) };
    const commitment = lowest(own);
    if (commitment === 'processed' || commitments.indexOf(commitment) < commitments.indexOf(least))
      return { saw: 'status', commitment };
    // Whoever looks may have come here without asking: on another chain, nothing is shown of this one.
    const other = await this.ofAnother();
    if (other !== undefined) return { saw: 'nothing', because: other.because };
    const nodesMs: number[] = [];
    const found = await this.#each(async (node, n) => {
      const answer = await this.#ask(node, 'getTransaction', [signature, asked(commitment)]);
      if (answer.is === 'answer' && answer.nodeMs !== undefined) nodesMs.push(answer.nodeMs);
      return transactionIn(answer, own[n]);
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

  /** When it was by each node that knows: where none has said so by itself they are asked for the slot's time. */
  async #timesOf(told: readonly ChainTransaction[]): Promise<number[]> {
    const timesS = told.flatMap(({ blockTimeS }) => blockTimeS ?? []);
    const [slot] = told.map((one) => one.slot);
    if (timesS.length > 0) return timesS;
    const asked = await this.#each((node) => this.#ask(node, 'getBlockTime', [slot]));
    return asked.flatMap((answer) => countIn(answer) ?? []);
  }

  /** How far the chain is final by the one that knows most; undefined where none says. */
  async finalizedNow(): Promise<ChainBefore | undefined> {
    const asked = await this.#each((node) => this.#ask(node, 'getSlot', [{ commitment: 'finalized' }]));
    const slots = asked.flatMap((answer) => countIn(answer) ?? []);
    const nodesMs = asked.flatMap((answer) => (answer.is === 'answer' ? (answer.nodeMs ?? []) : []));
    if (slots.length === 0) return undefined;
    return { slot: Math.max(...slots), nodeMs: nodesMs.length === 0 ? undefined : Math.max(...nodesMs) };
  }

  async close(): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node.close()));
  }

  #each<Result>(ask: (node: RpcNode, n: number) => Promise<Result>): Promise<Result[]> {
    return Promise.all(this.#nodes.map(ask));
  }
}

/** Version 1 transactions are live: asked for 0 only, a node now and then answers with an error. */
const asked = (commitment: Commitment) => ({
  encoding: 'json',
  commitment,
  maxSupportedTransactionVersion: 1,
});

function withoutIs(status: (Status & { is: 'nothing' }) | undefined): { because: Reason; waitMs?: number } {
  const { because = 'unreadable', waitMs } = status ?? {};
  return { because, ...(waitMs === undefined ? {} : { waitMs }) };
}

/** As far as all of them have it. */
function lowest(statuses: readonly Status[]): Commitment {
  const places = statuses.map((status) =>
    status.is === 'seen' ? commitments.indexOf(status.commitment) : 0,
  );
  return commitments[Math.min(...places)] ?? 'processed';
}

function troubleOf(answer: NodeAnswer & { is: 'trouble' }): { because: Reason; waitMs?: number } {
  const { because, waitMs } = answer;
  return { because, ...(waitMs === undefined ? {} : { waitMs }) };
}

function statusesIn(answer: NodeAnswer, count: number): readonly Status[] {
  const all = (status: Status): Status[] => Array.from({ length: count }, () => status);
  if (answer.is === 'trouble') return all({ is: 'nothing', ...troubleOf(answer) });
  try {
    const statuses = listOf(objectOf(answer.value, 'statuses').value, 'statuses');
    if (statuses.length !== count) throw new Unreadable('statuses/other-count');
    return statuses.map(statusOf);
  } catch (error) {
    if (error instanceof Unreadable) return all({ is: 'nothing', because: error.reason });
    throw error;
  }
}

function statusOf(value: Exact): Status {
  // It may be on its way, or lost, or the node's storage is down: nobody can say.
  if (value === null) return { is: 'nothing', because: 'not-seen' };
  try {
    const { slot, err, confirmationStatus } = objectOf(value, 'status');
    const text = textOf(confirmationStatus, 'confirmationStatus');
    const commitment = commitments.find((known) => known === text);
    if (commitment === undefined || err === undefined) throw new Unreadable('status/unknown');
    return { is: 'seen', slot: countOf(slot, 'slot'), failed: err !== null, commitment };
  } catch (error) {
    if (error instanceof Unreadable) return { is: 'nothing', because: error.reason };
    throw error;
  }
}

function countIn(answer: NodeAnswer): number | undefined {
  if (answer.is !== 'answer' || typeof answer.value !== 'bigint') return undefined;
  const count = Number(answer.value);
  return count >= 0 && Number.isSafeInteger(count) ? count : undefined;
}

function transactionIn(
  answer: NodeAnswer,
  status: Status | undefined,
): ChainTransaction | { because: Reason; waitMs?: number } {
  if (answer.is === 'trouble') return troubleOf(answer);
  // It has just said that it has it.
  if (answer.value === null) return { because: 'lagging' };
  try {
    const transaction = readTransaction(answer.value);
    const isSame =
      status?.is === 'seen' && status.slot === transaction.slot && status.failed === transaction.failed;
    return isSame ? transaction : { because: 'unreadable' };
  } catch (error) {
    if (error instanceof Unreadable) return { because: error.reason };
    throw error;
  }
}

/** In all that the rules read. When it was is an estimate of each node's own. */
function saysTheSame(one: ChainTransaction, other: ChainTransaction): boolean {
  return isDeepStrictEqual({ ...one, blockTimeS: undefined }, { ...other, blockTimeS: undefined });
}

/** What a node answers; or why nothing can be made of it. */
export type NodeAnswer =
  /** `nodeMs`: the node's clock, where it tells. */
  | { readonly is: 'answer'; readonly value: Exact; readonly nodeMs: number | undefined }
  | { readonly is: 'trouble'; readonly because: Reason; readonly waitMs?: number };

type NodeSettings = {
  /** All that is ever shown of where it is: the URL often carries a key. */
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

/** What did not answer as it should may still say something: whatever comes is not for the next question. */
async function leave(flight: Flight, answer: NodeAnswer): Promise<void> {
  const socket = flight.came === 'reply' ? flight.socket : undefined;
  if (answer.is === 'answer') socket?.keep({ key: '', id: undefined });
  else await socket?.drop();
}

function trouble(because: Reason, waitMs?: number): NodeAnswer {
  return { is: 'trouble', because, ...(waitMs === undefined ? {} : { waitMs }) };
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
  const atMs = date === undefined ? Number.NaN : Date.parse(date);
  return Number.isNaN(atMs) ? undefined : atMs;
}

function resultIn(reply: Exact, id: number, nodeMs: number | undefined): NodeAnswer {
  if (!isObject(reply) || reply.jsonrpc !== '2.0' || reply.id !== BigInt(id)) return trouble('unreadable');
  const { result, error } = reply;
  if (error !== undefined && error !== null) return trouble(reasonOf(error));
  return result === undefined ? trouble('unreadable') : { is: 'answer', value: result, nodeMs };
}

/** JSON-RPC's numbers that say more than that there was an error. */
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

/** The common pace of all questions: each waits for its turn, and one limit slows them all. */
type NodePace = {
  turn(signal: AbortSignal): Promise<void>;
  limited(retryAfterMs: number | undefined): void;
};

const mostTries = 6;
const longestMs = 60_000;

/** Asks again where a node limits the rate, after as long as it says; what it says last is what counts. */
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

// What the token programs write: 82 bytes are a mint, and under Token-2022 what is longer has a byte for its kind
// behind the longest of what is not extended, but for the signers of one account.
const mintBytes = 82;
const initializedAt = 45;
const kindAt = 165;
const mintKind = 1;
const signersBytes = 355;

/** Whether what `getAccountInfo` shows is a token's mint; undefined where nobody can read it. */
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
