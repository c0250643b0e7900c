import type { Chance, Clock, Interrupts } from '../../machine/process.ts';
import type { Bot, Connection } from '../connection.ts';
import type { Kind } from '../intent/wanted.ts';
import type { Guards, Intent, Journal, Verdict, Work } from '../journal/journal.ts';
import type { Policies } from '../policy/policy.ts';
import type { Trouble } from '../wire/trouble.ts';

export type ChainPoint = {
  readonly genesis: string;
  readonly slot: number;
  readonly nodeMs: number | undefined;
};

/** Everything the engine reaches of the world outside it. */
export type EngineContext = {
  readonly journal: Journal;
  readonly bot: Bot;
  readonly connection: Pick<Connection, 'url' | 'channel'>;
  readonly limits: {
    /** One attempt. */
    readonly timeoutMs: number;
    /** Attempts after the first; where it is not given, only the time bounds them. */
    readonly retries: number | undefined;
    /** How long after the end of the first attempt the last pause may end. */
    readonly maxWaitMs: number;
    /** How long another process is waited for that sends the same; `maxWaitMs` where it is not given. */
    readonly ownerWaitMs?: number;
  };
  /** What a transfer may spend; absent where nobody says. */
  readonly policies?: Policies | undefined;
  /** Of the journal's own policy, which is one of them. */
  readonly policyNumber?: number | undefined;
  /** What would begin is put on record for a person to send; nothing leaves. */
  readonly proposes?: boolean;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly interrupts: Interrupts;
  readonly observer: Observer;
  readonly commit: Commit;
  /** How far a chain had come by what was heard of it last: kept with a transfer's first attempt. */
  readonly chainBefore?: () => ChainPoint | undefined;
  /** Only in a batch: there a limit is waited out by all together, beside `--max-wait` and `--retries`. */
  readonly pace?: Pace;
};

/** What came of an attempt: the status of its reply, or what went wrong. */
export type WhatCame = number | Trouble;

/** What the engine waits for. */
export type Waiting =
  | { readonly for: 'reply'; readonly kind: Kind }
  | { readonly for: 'other-process'; readonly id: string }
  | { readonly for: 'next-try'; readonly waitMs: number; readonly why: WhatCame | undefined };

/** A step of the engine, for whoever wants to see them all. */
export type Progress =
  | { readonly is: 'sending'; readonly number: number; readonly url: string; readonly key: string }
  | { readonly is: 'came-back'; readonly number: number; readonly what: WhatCame; readonly tookMs: number }
  | { readonly is: 'waiting'; readonly verdict: Verdict; readonly waitMs: number };

/** Who is told what the engine is about, while it is about it. */
interface Observer {
  during<Result>(waiting: Waiting, work: Promise<Result>): Promise<Result>;
  step(progress: Progress): void;
  /** A new intent begins although the journal holds one like it. */
  beginsAnew(after: Intent): void;
}

/** The common pace of a batch: every attempt waits for its turn, and one limit slows them all. */
export interface Pace {
  /** Resolves when the next attempt may leave, or at once when `signal` aborts. */
  turn(signal: AbortSignal): Promise<void>;
  /** The service asked to be left alone, and for how long if it said so. */
  limited(retryAfterMs: number | undefined): void;
}

/** Makes one durable commit of `work`; a batch lets several share one. Resolves when it is durable. */
export type Commit = <Result>(work: Work<Result>, guards?: Guards) => Promise<Result>;
