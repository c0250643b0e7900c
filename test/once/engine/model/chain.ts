import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';
import { ChainNodes, RpcNode } from '../../../../src/once/chain/nodes.ts';
import type { Payment } from '../../../../src/once/chain/payment.ts';
import type { Chain } from '../../../../src/once/chain/verify.ts';
import { reply } from '../../../../testing/scriptedEngine.ts';
import { key as address, pay, wallet, written } from '../../chain/transactions.ts';

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

/** A chain that shows what was paid, and a node that says so. Its time is the true one, whatever the machine's clock says. */
export class ModelChain {
  readonly #paid = new Map<string, Paid>();
  readonly #now: () => number;
  readonly #tellsTime: boolean;
  isFinal = true;

  constructor(now: () => number, tellsTime: boolean) {
    this.#now = now;
    this.#tellsTime = tellsTime;
  }

  /** What the node's clock says, where it tells. */
  get nodeMs(): number | undefined {
    // A header has no milliseconds.
    return this.#tellsTime ? 1000 * Math.floor(this.#now() / 1000) : undefined;
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

  /** What a node that lags so far behind says of the chain before something is sent. */
  before(lagMs: number): { genesis: string; slot: number; nodeMs: number | undefined } {
    return { genesis, slot: slotAt(this.#now() - lagMs), nodeMs: this.nodeMs };
  }

  opened(): Chain {
    const settings = { host: 'node', url: { reveal: () => 'https://node/' }, timeoutMs: 1, now: this.#now };
    const channel = {
      fly: async ({ body }: { readonly body: Uint8Array }) => {
        const { nodeMs } = this;
        const headers = nodeMs === undefined ? {} : { date: new Date(nodeMs).toUTCString() };
        return reply(200, this.#answer(Buffer.from(body).toString()), headers as Record<string, string>);
      },
      close: async () => {},
    };
    const node = new RpcNode({ ...settings, channel, cut: new AbortController().signal });
    return {
      nodes: new ChainNodes([node], genesis, (ask) => ask()),
      cluster: { genesis, name: 'model' },
      paymentOf: ({ body }): Payment => {
        const { to, amount } = wantedIn(Buffer.from(body).toString());
        return { to, amount, asset: 'SOL', memo: undefined, wallet };
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
      calls: [pay(wallet, to, lamports)],
      lamports: { [wallet]: -lamports, [to]: lamports },
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
  /** What a node said before that. */
  readonly before: { readonly slot: number; readonly nodeMs: number | undefined } | undefined;
  /** Another machine may have used the key before, and this journal would not know. */
  readonly keyIsElsewhereToo: boolean;
  readonly isAnothers: boolean;
  readonly machineMs: number;
  readonly nodeMs: number | undefined;
  readonly isFinal: boolean;
};

/** What one signature must show, by the document of the chain; it shares nothing with the program. */
export function mustShow(paid: Paid | undefined, asked: Asked): string {
  if (paid === undefined) return 'undecided not-seen';
  const { wanted, isAnothers, isFinal } = asked;
  if (paid.to !== wanted.to || paid.amount !== wanted.amount)
    return isFinal ? 'contradicted other-amount' : 'undecided only-confirmed';
  if (isAnothers) return isFinal ? 'contradicted claimed' : 'undecided only-confirmed';
  const time = timeOf(paid, asked);
  if (time === 'other-time' || time === 'clock') return `undecided ${time}`;
  const verdict = isFinal ? 'proven' : 'likely only-confirmed';
  return time === 'earlier' ? `${verdict} earlier` : verdict;
}

function timeOf(
  { slot, timeS }: Paid,
  { firstAttemptMs, before, keyIsElsewhereToo, machineMs, nodeMs }: Asked,
): 'in-time' | 'earlier' | 'other-time' | 'clock' {
  const [grace, rerunWindow] = [2 * hour, 20 * hour];
  const wasFinal = before !== undefined && slot <= before.slot;
  if (wasFinal && !keyIsElsewhereToo) return 'other-time';
  const heardBefore = nodeMs === undefined ? undefined : before?.nodeMs;
  if (heardBefore === undefined && nodeMs !== undefined && Math.abs(nodeMs - machineMs) > grace)
    return 'clock';
  const [beganMs, nowMs] =
    heardBefore === undefined ? [firstAttemptMs, machineMs] : [heardBefore, nodeMs ?? machineMs];
  const ms = 1000 * timeS;
  if (ms > nowMs + grace) return 'other-time';
  if (!wasFinal && ms >= beganMs - grace) return 'in-time';
  return keyIsElsewhereToo && ms >= beganMs - rerunWindow ? 'earlier' : 'other-time';
}
