import { isDeepStrictEqual } from 'node:util';
import { type ChainBefore, graceMs } from './age.ts';
import type { Exact } from './exactJson.ts';
import { countOf, isObject, listOf, objectOf, textOf } from './fields.ts';
import { isMintAccount } from './mint.ts';
import type { Answer, RpcNode } from './node.ts';
import { type Reason, Unreadable } from './reason.ts';
import { type ChainTransaction, readTransaction } from './transaction.ts';
import { type Commitment, commitments } from './verdict.ts';

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
  readonly #ask: (node: RpcNode, method: string, params: readonly unknown[]) => Promise<Answer>;

  /** `patiently` says how a node is asked: again and again, say, while it limits the rate. */
  constructor(
    nodes: readonly RpcNode[],
    genesis: string,
    patiently: (ask: () => Promise<Answer>) => Promise<Answer>,
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

function troubleOf(answer: Answer & { is: 'trouble' }): { because: Reason; waitMs?: number } {
  const { because, waitMs } = answer;
  return { because, ...(waitMs === undefined ? {} : { waitMs }) };
}

function statusesIn(answer: Answer, count: number): readonly Status[] {
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

function countIn(answer: Answer): number | undefined {
  if (answer.is !== 'answer' || typeof answer.value !== 'bigint') return undefined;
  const count = Number(answer.value);
  return count >= 0 && Number.isSafeInteger(count) ? count : undefined;
}

function transactionIn(
  answer: Answer,
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
