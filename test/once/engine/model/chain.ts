import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';
import { RpcNode } from '../../../../src/chain/node.ts';
import type { Payment } from '../../../../src/chain/payment.ts';
import type { Chain } from '../../../../src/chain/verify.ts';
import { key as address, paying, wallet, written } from '../../../chain/transactions.ts';
import { reply } from '../../../support/scriptedEngine.ts';

/** When the payment was made whose signature a reply gives: of another key, of its own, or of nobody in this world. */
export const whens = ['month-ago', 'day-ago', '3h-ago', 'now', 'year-ahead', 'others', 'own'] as const;
export type When = (typeof whens)[number];

const hour = 3_600_000;
const behindMs: Readonly<Record<Exclude<When, 'others' | 'own'>, number>> = {
  'month-ago': 30 * 24 * hour,
  'day-ago': 21 * hour,
  '3h-ago': 3 * hour,
  now: 0,
  'year-ahead': -365 * 24 * hour,
};

type Request = { readonly key: string; readonly body: string };
export type Paid = {
  readonly signature: string;
  readonly to: string;
  readonly amount: string;
  readonly slot: number;
  readonly timeS: number;
};

const genesis = address(42);
const slotMs = 400;
const slotAt = (ms: number): number => Math.floor(ms / slotMs);

/** As Solana writes one; of each text another. */
export function signatureOf(text: string): string {
  return base58.encode(createHash('sha512').update(text).digest());
}

/**
 * A chain that shows what was paid, and a node that says so. Its time is the true one, whatever the machine's clock
 * says.
 */
export class ModelChain {
  readonly #paid = new Map<string, Paid>();
  readonly #now: () => number;
  isFinal = true;

  constructor(now: () => number) {
    this.#now = now;
  }

  paidBy(signature: string): Paid | undefined {
    return this.#paid.get(signature);
  }

  pay({ key, body }: Request): void {
    this.#put(signatureOf(key), body, this.#now());
  }

  /** What a reply to this request names. */
  named({ key, body }: Request, when: When): string {
    const own = signatureOf(key);
    if (when === 'own') return own;
    if (when === 'others') {
      return (
        [...this.#paid.keys()].findLast((signature) => signature !== own) ?? this.named({ key, body }, 'now')
      );
    }
    const { to, amount } = wantedIn(body);
    const signature = signatureOf(`${when} ${to} ${amount}`);
    if (!this.#paid.has(signature)) this.#put(signature, body, this.#now() - behindMs[when]);
    return signature;
  }

  #put(signature: string, body: string, atMs: number): void {
    // A chain has no slots in the future, whatever time it says of them.
    const slot = slotAt(Math.min(atMs, this.#now()));
    this.#paid.set(signature, { signature, ...wantedIn(body), slot, timeS: Math.floor(atMs / 1000) });
  }

  opened(): Chain {
    const channel = {
      fly: async ({ body }: { readonly body: Uint8Array }) =>
        reply(200, this.#answer(Buffer.from(body).toString())),
      close: async () => {},
    };
    const node = new RpcNode({
      ...{ host: 'node', url: { reveal: () => 'https://node/' }, channel, timeoutMs: 1 },
      expected: undefined,
      cut: new AbortController().signal,
      patience: undefined,
      clock: { now: this.#now, sleep: async () => {} },
    });
    return {
      node,
      paymentOf: ({ body }): Payment => {
        const { to, amount } = wantedIn(Buffer.from(body).toString());
        return { to, amount, mint: undefined, wallet };
      },
      reasonOf: ({ slot }) => `seen in slot ${slot}`,
    };
  }

  #answer(body: string): string {
    const { id, method, params } = JSON.parse(body) as {
      id: number;
      method: string;
      params: [string | string[]];
    };
    const asked = [params[0] ?? []].flat();
    const results: Record<string, () => string> = {
      getGenesisHash: () => JSON.stringify(genesis),
      getSignatureStatuses: () => JSON.stringify({ value: asked.map((one) => this.#status(one)) }),
      getTransaction: () => this.#transaction(asked[0] ?? ''),
    };
    return `{"jsonrpc":"2.0","id":${id},"result":${results[method]?.() ?? 'null'}}`;
  }

  #status(signature: string): object | null {
    const paid = this.#paid.get(signature);
    const confirmationStatus = this.isFinal ? 'finalized' : 'confirmed';
    return paid === undefined ? null : { slot: paid.slot, err: null, confirmationStatus };
  }

  #transaction(asked: string): string {
    const paid = this.#paid.get(asked);
    if (paid === undefined) return 'null';
    const { signature, to, amount, slot, timeS: blockTime } = paid;
    const lamports = BigInt(Math.round(Number(amount) * 1e9));
    return written({
      ...paying(to, lamports),
      at: { slot, blockTime, signature },
    });
  }
}

export function wantedIn(body: string): { to: string; amount: string } {
  const { to_address: to, amount } = JSON.parse(body) as { to_address: string; amount: string };
  return { to, amount };
}

/** What is known of a transfer when the chain is asked about it. */
type Asked = {
  readonly wanted: { readonly to: string; readonly amount: string };
  readonly firstAttemptMs: number;
  readonly isNamed: boolean;
  readonly isAnothers: boolean;
  readonly isFinal: boolean;
};

/** What one signature must show, by the document of the chain; it shares nothing with the program. */
export function mustShow(paid: Paid | undefined, asked: Asked): string {
  if (paid === undefined) return 'undecided not-seen';
  const { wanted, isAnothers, isFinal } = asked;
  if (paid.to !== wanted.to || paid.amount !== wanted.amount) {
    if (!isFinal) return 'undecided not-final';
    // Of more than was wanted, nobody knows what it was for.
    const isMore = paid.to === wanted.to && Number(paid.amount) > Number(wanted.amount);
    return isMore ? 'undecided unclear' : 'contradicted not-paid';
  }
  const isOlder = 1000 * paid.timeS < asked.firstAttemptMs - 2 * hour;
  if (isAnothers || (isOlder && !asked.isNamed)) return 'undecided anothers';
  return isFinal ? 'proven' : 'likely not-final';
}
