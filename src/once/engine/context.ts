import type { Chance, Clock, Interrupts } from '../../machine/process.ts';
import type { Bot, Connection } from '../connection.ts';
import type { Kind } from '../entry/wanted.ts';
import type { Failure } from '../failures.ts';
import type {
  Decision,
  Entry,
  Guards,
  Journal,
  Reads,
  SpendingReads,
  Verdict,
  Work,
} from '../journal/journal.ts';
import type { Trouble } from '../wire/trouble.ts';
import type { RowsOfName } from './rowsOfName.ts';

/** Everything the engine uses from outside. */
export type EngineContext = {
  readonly journal: Journal;
  readonly bot: Bot;
  readonly connection: Pick<Connection, 'url' | 'channel'>;
  readonly limits: {
    readonly timeoutMs: number;
    /** The last pause must end within this time after the end of the first attempt. */
    readonly maxWaitMs: number;
    /** How long to wait for another process that sends the same entry; `maxWaitMs` by default. */
    readonly ownerWaitMs?: number;
  };
  /** Asked in the commit of each claim, so that two claims cannot pass one limit together. */
  readonly mayClaim: MayClaim;
  /** New entries only wait for a person's approval. Nothing is sent. */
  readonly proposes?: boolean;
  readonly besides?: Besides | undefined;
  /** The user and the machine. Kept with each decision. */
  readonly who: string;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly interrupts: Interrupts;
  readonly observer: Observer;
  readonly commit: Commit;
  /** Only in a batch: the whole batch waits out a rate limit together, outside of `--max-wait`. */
  readonly pace?: Pace;
};

/** The equal payments that do not block: all, or the input's own rows and those that a person was shown. */
export type Besides = 'all' | { readonly rows?: RowsOfName; readonly ids?: readonly string[] };

/** A policy's answer about a claim. */
export type PolicyAnswer =
  /** `reserve` counts it as spent for the other claims of this commit. Called if it is sent. */
  | { readonly is: 'allowed'; readonly reserve?: () => void }
  | { readonly is: 'needs-approval'; readonly why: string; readonly needs?: Decision['needs'] }
  | { readonly is: 'refused'; readonly failure: Failure };

export const allowed: PolicyAnswer = { is: 'allowed' };

/** `known` is the entry if it is already on record. */
type MayClaim = (
  wanted: Pick<Entry, 'kind' | 'body'>,
  known: Entry | undefined,
  reads: SpendingReads & Pick<Reads, 'decisionsOf'>,
  engine: Pick<EngineContext, 'bot' | 'proposes'> & {
    readonly journal: Pick<Journal, 'isShared'>;
    readonly clock: { now(): number };
  },
) => Promise<PolicyAnswer>;

/** The result of an attempt: the status of its reply, or what went wrong. */
export type WhatCame = number | Trouble;

export type Waiting =
  | { readonly for: 'reply'; readonly kind: Kind }
  | { readonly for: 'other-process'; readonly id: string }
  | { readonly for: 'next-try'; readonly waitMs: number; readonly why: WhatCame | undefined };

/** A step of the engine, for observers that show every step. */
export type Progress =
  | { readonly is: 'sending'; readonly number: number; readonly url: string }
  | { readonly is: 'came-back'; readonly number: number; readonly what: WhatCame; readonly tookMs: number }
  | { readonly is: 'waiting'; readonly verdict: Verdict; readonly waitMs: number };

interface Observer {
  during<Result>(waiting: Waiting, work: Promise<Result>): Promise<Result>;
  step(progress: Progress): void;
}

/** The common pace of a batch: every attempt waits for its turn, and one rate limit slows all of them. */
export interface Pace {
  /** Resolves when the next attempt may leave, or at once when `signal` or `over` aborts. */
  turn(signal: AbortSignal): Promise<void>;
  /** The service asked us to wait, and for how long if it said so. */
  limited(retryAfterMs: number | undefined): void;
  /** The service has answered only with rate limits for too long, so no row is tried again. */
  readonly over: AbortSignal;
}

/** Runs `work` in a commit, and resolves when it is durable. In a batch several works can share one commit. */
export type Commit = <Result>(work: Work<Result>, guards?: Guards) => Promise<Result>;
