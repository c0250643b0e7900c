import type { Kind } from '../intent/wanted.ts';
import type { Guards, Intent, Verdict, Work } from '../journal/journal.ts';
import type { Trouble } from '../wire/trouble.ts';

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
export interface Observer {
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
