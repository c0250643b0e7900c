import type { Kind } from '../../../../src/once/entry/wanted.ts';
import type { Flight } from '../../../../src/once/wire/flight.ts';
import { lost, reply, unsent } from '../../../support/scriptedEngine.ts';
import { sentAgainWithin } from '../design.ts';
import { type ModelChain, signatureOf, type When } from './chain.ts';

/** The document leaves open what a repeated key brings, and how long a key is known. */
export type ParsedReply = {
  readonly repeatedTransfer: 'replay' | 'conflict';
  readonly repeatedMessage: 'replay' | 'conflict';
  /** As long as botctl may rely on it and not a moment longer, or for ever. */
  readonly memory: 'as-relied-on' | 'for-ever';
};

/**
 * What befalls one request. Whatever says no of itself did nothing; whatever is lost may have done it, or
 * may do it yet.
 */
export const fates = [
  'answered',
  'unsent',
  'lost-undone',
  'lost-done',
  'lost-done-later',
  '500-undone',
  '500-done',
  '303-done',
  '429',
  '400',
  '401',
  '402',
  '403',
  '404',
  '409-in-flight',
  'no-proof-undone',
  'no-proof-done',
  'failed-done',
] as const;
export const saids = ['confirmed', 'failed', 'error', 'broken-off'] as const;
/** A reply that names a payment of such a time: what else it says, and whether it did anything. */
export type Misnamed = `${When} ${(typeof saids)[number]} ${'done' | 'undone'}`;
export type Fate = (typeof fates)[number] | Misnamed;

type Request = {
  readonly kind: Kind;
  readonly key: string;
  readonly body: string;
  /** The base URL, without which there is one alone. */
  readonly at: string | undefined;
};
export type Effect = Request & { readonly atMs: number };

/** A service that keeps its word as far as its document gives one, and a ledger of what it did. */
export class ModelService {
  readonly ledger: Effect[] = [];
  /** Keys of payments that it said it had made, and had not. */
  readonly lies = new Set<string>();
  readonly #reading: ParsedReply;
  readonly #now: () => number;
  readonly #chain: ModelChain;
  readonly #known = new Map<string, number>();
  #later: Request[] = [];

  constructor(parsed: ParsedReply, now: () => number, chain: ModelChain) {
    this.#reading = parsed;
    this.#now = now;
    this.#chain = chain;
  }

  effectsOf(key: string, at?: string): number {
    return this.ledger.filter((effect) => effect.key === key && (at ?? effect.at) === effect.at).length;
  }

  /** Whether the key is known now: an operator's word to send again is safe only then. */
  knows(kind: Kind, key: string): boolean {
    const sinceMs = this.#known.get(`${kind} ${key}`);
    if (sinceMs === undefined) return false;
    return (
      this.#reading.memory === 'for-ever' ||
      this.#now() - sinceMs <= sentAgainWithin[kind === 'transfer' ? 'payment' : kind]
    );
  }

  /** What was still under way takes its effect. */
  settle(): void {
    const later = this.#later;
    this.#later = [];
    for (const request of later) this.#apply(request);
  }

  #apply(request: Request): 'done' | 'repeated' {
    if (this.knows(request.kind, request.key)) return 'repeated';
    this.#known.set(`${request.kind} ${request.key}`, this.#now());
    this.ledger.push({ ...request, atMs: this.#now() });
    if (request.kind === 'transfer') this.#chain.pay(request);
    return 'done';
  }

  answer(request: Request, fate: Fate): Flight {
    if (isMisnamed(fate)) return this.#misname(request, fate);
    const [how, whether] = [fate.split('-')[0], fate.split('-').at(-1)];
    if (fate === 'lost-done-later') this.#later.push(request);
    else if (fate === 'answered' || whether === 'done') {
      const applied = this.#apply(request);
      if (fate === 'answered') return this.#plainAnswer(request, applied);
    }
    if (fate === 'unsent') return unsent;
    if (how === 'lost') return lost;
    if (how === 'no') return reply(200, 'OK');
    if (how === 'failed') {
      return request.kind === 'transfer' ? reply(200, { transfer_id: 't', status: 'failed' }) : reply(500);
    }
    if (fate === '409-in-flight' && request.kind === 'message') {
      // Of a message, a 409 says that the key was used; a service that keeps its word says it of no other.
      return this.knows(request.kind, request.key) ? reply(409) : reply(503);
    }
    return reply(Number(fate.slice(0, 3)), {});
  }

  #misname(request: Request, fate: Misnamed): Flight {
    const [when, said, whether] = fate.split(' ') as [When, (typeof saids)[number], string];
    if (whether === 'done') this.#apply(request);
    if (request.kind === 'message') return reply(500);
    if (said === 'confirmed' && this.effectsOf(request.key) === 0) this.lies.add(request.key);
    const named = { transfer_id: `t ${request.key}`, signature: this.#chain.named(request, when) };
    if (said === 'error') return reply(200, { ...named, error: { code: 'INSUFFICIENT_BALANCE' } });
    const told = reply(200, { ...named, status: said === 'failed' ? 'failed' : 'confirmed' });
    return said === 'broken-off' && told.came === 'reply' ? { ...told, ended: 'broken' } : told;
  }

  #plainAnswer({ kind, key }: Request, applied: 'done' | 'repeated'): Flight {
    const repeated = kind === 'message' ? this.#reading.repeatedMessage : this.#reading.repeatedTransfer;
    if (applied === 'repeated' && repeated === 'conflict') return reply(409);
    return kind === 'message'
      ? reply(200, { message: { id: 'm' } })
      : reply(200, { transfer_id: `t ${key}`, status: 'confirmed', signature: signatureOf(key) });
  }
}

function isMisnamed(fate: Fate): fate is Misnamed {
  return fate.includes(' ');
}
