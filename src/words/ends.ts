import type { FailureCode } from '../errors.ts';
import { nothingChanged, nothingSentNow, nothingSentOrChanged } from './nothing.ts';

/** What a command does where nothing keeps it from it. */
export type Does = 'sends' | 'changes' | 'decides' | 'looks';

/** What a failure keeps a command from. */
export type Interruption = {
  /** Undefined while nobody knows which command it is. */
  readonly does: Does | undefined;
  /** It may have done some of it. */
  readonly begun: boolean;
  /** An earlier run of it may have, too. */
  readonly isRunAgain?: boolean;
};

/** Failures that speak of what is on record already: it may have been sent before. */
const ofEarlier: ReadonlySet<FailureCode> = new Set<FailureCode>([
  'journal-damaged',
  'journal-gone',
  'journal-lost',
  'journal-moved',
  'lookalike',
  'policy-asset',
  'policy-limit',
  'policy-recipient',
  'other-bot',
  'other-body',
  'other-url',
  'other-file',
  'batch-at-work',
  'unfinished-twin',
  'recently-done',
  'reported-ahead',
]);

/** Failures that may come between a deed and what was to be said of it. */
const maybeAfterwards: ReadonlySet<FailureCode> = new Set<FailureCode>([
  'bug',
  'machine-fault',
  'stdout-not-writable',
  'unknown',
]);

/**
 * What a command that stops did not do. A person looks for this first, so it stands at the end of every message, in
 * the same words. It is a promise, so no failure says it of itself.
 */
export function endOf(code: FailureCode, { does, begun, isRunAgain }: Interruption): string {
  switch (does) {
    case undefined:
      return nothingSentOrChanged;
    case 'sends':
      if (begun) return maybeAfterwards.has(code) ? '' : 'Nothing more was sent.';
      return (isRunAgain ?? ofEarlier.has(code)) ? nothingSentNow : 'Nothing was sent.';
    case 'changes':
      return begun || maybeAfterwards.has(code) ? '' : nothingChanged;
    case 'decides':
      return begun || maybeAfterwards.has(code) ? '' : 'Nothing was decided.';
    case 'looks':
      return '';
  }
}
