import type { BaseUrl } from '../intent/baseUrl.ts';
import type { Kind } from '../intent/wanted.ts';

export const states = ['open', 'sending', 'unknown', 'accepted', 'rejected', 'held', 'resolved'] as const;
export type State = (typeof states)[number];

export const verdicts = ['accepted', 'rejected', 'unsent', 'limited', 'unknown', 'held'] as const;
export type Verdict = (typeof verdicts)[number];

export type NamedBy = 'once' | 'run' | 'key' | 'row';

/** What an operator can decide of an intent whose outcome is not proven. */
export type DecisionKind = 'happened' | 'did-not-happen' | 'send-again';

/** One thing to be done once, as it is known now. */
export type Intent = {
  readonly id: string;
  readonly kind: Kind;
  readonly baseUrl: BaseUrl;
  readonly bot: string;
  readonly namedBy: NamedBy | undefined;
  readonly name: string | undefined;
  readonly key: string;
  readonly identity: string;
  readonly fingerprint: string;
  readonly payment: string | undefined;
  /** The exact bytes that are sent, idempotency key included. */
  readonly body: Uint8Array;
  readonly state: State;
  readonly tainted: boolean;
  /** When the first attempt that may have landed began; or when an operator last said to send it again. */
  readonly mayHaveLandedAtMs: number | undefined;
  /** Salted hash of the token of the latest attempt. */
  readonly tokenHash: string | undefined;
  readonly owner: string | undefined;
  /** Why it is held. */
  readonly why: string | undefined;
  readonly resolvedAs: 'happened' | 'did-not-happen' | undefined;
  readonly attempts: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** When a command first told its caller the outcome. */
  readonly reportedAtMs: number | undefined;
};

export type NewIntent = Pick<
  Intent,
  | 'id'
  | 'kind'
  | 'baseUrl'
  | 'bot'
  | 'namedBy'
  | 'name'
  | 'key'
  | 'identity'
  | 'fingerprint'
  | 'payment'
  | 'body'
>;

/** One HTTP request made for an intent. Without a verdict it is still in flight, or its process died. */
export type Attempt = {
  readonly number: number;
  readonly startedAtMs: number;
  readonly endedAtMs: number | undefined;
  readonly phase: Phase | undefined;
  readonly verdict: Verdict | undefined;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly trouble: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly duplicate: boolean;
  readonly verified: boolean;
  /** The reply's body as it came, capped. */
  readonly reply: Uint8Array | undefined;
  readonly headers: Readonly<Record<string, string>>;
};

/** How far an attempt got, as its own process saw it. */
export type Phase = 'not-sent' | 'sent' | 'replied' | 'process-died';

export type AttemptEnd = Omit<Attempt, 'number' | 'startedAtMs' | 'endedAtMs' | 'phase' | 'verdict'> & {
  readonly phase: Phase;
  readonly verdict: Verdict;
};

export type Decision = {
  readonly kind: DecisionKind;
  readonly who: string;
  readonly atMs: number;
  readonly reason: string;
  readonly signature: string | undefined;
};

export type Selection = {
  readonly states?: readonly State[];
  readonly kind?: Kind;
  readonly sinceMs?: number;
  readonly limit: number;
};

export type Place = { readonly baseUrl: BaseUrl; readonly kind: Kind };

/**
 * The durable record of intents, attempts and decisions. Each method is one statement about an intent;
 * `atomically` makes several of them one durable commit.
 */
export interface Journal {
  readonly path: string;

  /** Runs `work` alone: nobody else reads or writes in between. Durable when it returns. */
  atomically<Result>(work: () => Result): Result;

  /** The unnamed intent of this identity: an unfinished one if there is one, else the newest. */
  findUnnamed(identity: string): Intent | undefined;
  findByKey(place: Place, key: string): Intent | undefined;
  get(id: string): Intent | undefined;
  /** Intents whose id or key is this word, else those whose id or key begins so; two at most. */
  startingWith(prefix: string): Intent[];
  /** Unfinished transfers of the same payment under another identity. */
  unfinishedTwins(place: Place, payment: string, identity: string): Intent[];
  select(selection: Selection): Iterable<Intent>;
  attemptsOf(id: string): Attempt[];
  /** The attempt that tells where the intent stands: the accepted one, else the last. */
  tellingAttempt(id: string): Attempt | undefined;
  decisionsOf(id: string): Decision[];
  /** How many rows of the batch of this name are known. */
  countRows(place: Place, name: string): number;
  counts(): Partial<Record<State, number>>;

  /** This process as an owner: alive for others until it ends, however it ends. */
  self(): string;
  isAlive(owner: string): boolean;

  /** Records an intent, claimed for this process, with its first attempt. */
  begin(intent: NewIntent, tokenHash: string, atMs: number): Intent;
  /** Claims an intent that is not being sent. */
  claim(id: string, atMs: number): void;
  /** Gives a rejected or undone intent that never may have landed another body, under the same key. */
  rewrite(id: string, body: Uint8Array, fingerprint: string, payment: string | undefined): void;
  /** A dead owner's `sending` is `unknown`, whatever it had noted. */
  recordDeath(id: string, atMs: number): void;
  /** Puts the next attempt of a claimed intent on record; `attempts` is then its number. */
  startAttempt(id: string, tokenHash: string, atMs: number): Intent;
  /** Records how an attempt ended; what may have landed taints its intent. */
  endAttempt(id: string, number: number, end: AttemptEnd, atMs: number): void;
  /** Ends this process's claim. Nothing where it is no longer the owner: then only `accepted` is recorded. */
  conclude(
    id: string,
    state: Exclude<State, 'sending' | 'resolved'>,
    why: string | undefined,
    atMs: number,
  ): Intent | undefined;
  /** Puts an `unknown` intent into an operator's hands. */
  hold(id: string, why: string, atMs: number): void;
  decide(id: string, decision: Decision): void;
  markReported(id: string, atMs: number): void;
  leaveBehind(id: string): void;

  /** A hash of a token that says nothing about it elsewhere: salted for this journal alone. */
  hashOf(token: string): string;
  close(): void;
}
