import { Failure, type FailureCode, type Retry, retryOf } from '../errors.ts';
import { endOf, type Interruption } from './ends.ts';
import { sentence } from './nothing.ts';
import type { Suggestion } from './suggestion.ts';
import { isoExact } from './time.ts';

export type ToldDetails = {
  /** What to do next, as a sentence. */
  hint?: string;
  /** Commands that do it, each to be pasted. */
  next?: readonly Suggestion[];
  status?: number;
  requestId?: string;
  /** What a policy leaves, and when it leaves enough. */
  allowance?: Allowance;
  /** What is known of an earlier run, as a sentence: it may have sent something. */
  earlier?: string;
  /** What a journal has lost, as the sentence that it is shown with. */
  lost?: string;
  cause?: unknown;
};

export type Allowance = { readonly remaining?: string; readonly freeAtMs?: number };

const longestMessage = 2000;
const endShown = 300;

/** Without the middle of what was given, where that is as long as a file: the end says what was sent. */
function bounded(message: string): string {
  if (message.length <= longestMessage) return message;
  return `${message.slice(0, longestMessage - endShown)} … ${message.slice(-endShown)}`.toWellFormed();
}

/** A failure in words. */
export class Told extends Failure {
  readonly details: ToldDetails;

  constructor(code: FailureCode, message: string, details: ToldDetails = {}) {
    super('told', code, {}, code, details.cause);
    this.message = bounded(code === 'bug' ? message : sentence(message));
    this.details = details;
  }
}

/** A failure's sentence, what to do next, and what else is shown of it. */
export type Sentence = Omit<ToldDetails, 'cause'> & { readonly message: string };

/** What is said of each kind of a room's failures. A kind without a sentence does not compile. */
export type Table<Facts> = { readonly [K in keyof Facts]: (fields: Facts[K]) => Sentence };

/** A failure as it is shown: the JSON object's `error`, and the two lines a person reads. */
export type Problem = {
  code: FailureCode;
  message: string;
  hint?: string;
  next?: readonly Suggestion[];
  status?: number;
  request_id?: string;
  /** Of what a policy refuses: how much of the asset may still be spent, and when this much may be. */
  remaining?: string;
  free_at?: string;
  /** Two addresses to be compared character by character. */
  beside?: { readonly given: string; readonly known: string };
  retry: Retry;
};

/** Where it keeps a command from what it was doing, its message ends with what was not done. */
export function problemOf(told: Told, doing?: Interruption): Problem {
  const { hint, next = [], status, requestId, allowance, earlier } = told.details;
  const end = doing && endOf(told.code, earlier === undefined ? doing : { ...doing, isRunAgain: true });
  return {
    code: told.code,
    message: [told.message, end, earlier].filter((text) => text).join(' '),
    ...(hint === undefined ? {} : { hint }),
    ...(next.length === 0 ? {} : { next }),
    ...(status === undefined ? {} : { status }),
    ...(requestId === undefined ? {} : { request_id: requestId }),
    ...allowanceShown(allowance),
    retry: retryOf(told.code),
  };
}

export function allowanceShown({
  remaining,
  freeAtMs,
}: Allowance = {}): Pick<Problem, 'remaining' | 'free_at'> {
  return {
    ...(remaining === undefined ? {} : { remaining }),
    ...(freeAtMs === undefined ? {} : { free_at: isoExact(freeAtMs) }),
  };
}
