import {
  type Exit,
  type ExitGroup,
  exitTable,
  type Failure,
  type FailureCode,
  failureWith,
  type Retry,
  retryOf,
} from '../../once/failures.ts';
import { counted } from '../../once/phrases.ts';
import { neverTwice, type Suggestion } from '../../once/sentence.ts';

/** A failure as it is shown: as `error` in JSON, and as two lines for a person. */
export type Problem = {
  code: FailureCode;
  message: string;
  hint?: string;
  next?: readonly Suggestion[];
  retry: Retry;
};

/** If the failure stopped a command, the message ends with what was not done. */
export function problemOf(failure: Failure, doing?: Interruption): Problem {
  const { hint, next = [], fields, earlier, retry = retryOf(failure.code) } = failure.details;
  const end = doing && endOf(failure.code, doing);
  return {
    code: failure.code,
    message: [failure.message, end, earlier].filter((text) => text).join(' '),
    ...(hint === undefined ? {} : { hint }),
    ...(next.length === 0 ? {} : { next }),
    ...fields,
    retry,
  };
}

const exitMeanings: Readonly<Record<Exit, string>> = {
  0: 'done now, or done earlier and reported again',
  1: 'a fault of botctl or this machine: journal, disk, output',
  2: 'wrong command, input or base URL, or the service or a policy refused',
  3: 'no token, or the service refused it (401, 403)',
  4: 'the service did not find the conversation (404)',
  5: 'the wallet has too little money (402)',
  6: 'the name is taken; nothing was sent now',
  7: 'too many requests (429) until the time ran out',
  8: 'the service or journal could not be reached',
  9: 'unknown: it may have happened',
  10: 'held (waits for you), declined, contradicted, or equal payment found',
  11: 'several entries, and some are not finished',
  130: 'interrupted, or answered No, before anything was sent',
};

/** What to do after the exit codes of a group. */
const exitGroups: Readonly<Record<ExitGroup, string>> = {
  done: 'Done',
  fix: 'Fix what the error names, then run the command again',
  look: 'Look first. If you only change the name, you may pay twice',
  again: 'Run the same command again. Nothing happens twice',
};

/** The exit codes by what to do, as the help and the README list them. */
export const groupedExits = (Object.keys(exitGroups) as ExitGroup[]).map((group) => ({
  group,
  title: exitGroups[group],
  rows: exitTable
    .filter((row) => row.group === group)
    .map(({ exit }) => ({ exit, means: exitMeanings[exit] })),
}));

/** The process stopped before its work was done. Entries that it claimed may have been sent. */
export function endedEarly(
  claimed: { readonly entries: number; readonly lastId: string } | undefined,
  ended = 'botctl stopped before it had finished.',
): Failure {
  if (claimed === undefined)
    return failureWith('bug')`${ended}
      Run the same command again. If it stops again, report what --verbose prints.`;
  const what =
    claimed.entries === 1
      ? `Entry ${claimed.lastId}`
      : `Any of the ${counted(claimed.entries, 'entry', 'entries')} that it began`;
  return failureWith('unknown')`${ended} ${what} may have been sent.
    Run the same command again: ${neverTwice}, and anything already done is reported.`;
}

/** What a command does if nothing prevents it. */
export type Does = 'sends' | 'changes' | 'decides' | 'looks';

/** The command that a failure interrupted. */
export type Interruption = {
  /** Undefined until the command is known. */
  readonly does: Does | undefined;
  /** The command may have done some of it. */
  readonly begun: boolean;
};

/** Failures that can occur between the end of the work and its report. */
const maybeAfterwards: ReadonlySet<FailureCode> = new Set<FailureCode>([
  'bug',
  'machine-fault',
  'stdout-not-writable',
  'unknown',
]);

/**
 * Says what an interrupted command did not do; empty if it only looks or may have finished. `explain.ts` says it for
 * outcomes.
 */
export function endOf(code: FailureCode, { does, begun }: Interruption): string {
  switch (does) {
    case undefined:
      return nothingSentOrChanged;
    case 'sends':
      if (begun) return maybeAfterwards.has(code) ? '' : 'Nothing more was sent.';
      // An earlier run of the same command may have sent it, even if this one cannot start.
      return nothingSentNow;
    case 'changes':
      return begun || maybeAfterwards.has(code) ? '' : nothingChanged;
    case 'decides':
      return begun || maybeAfterwards.has(code) ? '' : 'Nothing was decided.';
    case 'looks':
      return '';
  }
}

/** Only if no earlier attempt can have sent it either. */
export const nothingSent = 'Nothing was sent.';
export const nothingSentNow = 'Nothing was sent this time.';
export const nothingChanged = 'Nothing was changed.';
const nothingSentOrChanged = 'Nothing was sent or changed.';
/** For a row, whose ID an earlier run may have sent. */
export const notSentNow = 'This row was not sent this time.';

/** For when another process is sending the entry. */
export const thisOneSentNothing = 'This command sent nothing.';

/** A person must decide, but nobody can be asked. `why` is a sentence that says both. */
export function needsPerson(code: FailureCode, why: string, next: readonly Suggestion[] = []): Failure {
  return failureWith(code, { next })`${why}
    Run it in the foreground of a terminal to be asked. If you have decided, add --yes.`;
}

export function noTerminalFor(code: FailureCode, what: string, next?: readonly Suggestion[]): Failure {
  const joined = what.endsWith('.') ? `${what} There` : `${what}, and there`;
  return needsPerson(code, `${joined} is no terminal for the question`, next);
}

export const questionAgain = 'Run the same command again to be asked again.';

/** A person answered No, or nothing. */
export function answeredNo(): Failure {
  return failureWith('declined')`Answered No
    ${questionAgain}`;
}

export function bothGiven(one: string, other: string): Failure {
  return failureWith('usage')`--${one} and --${other} are both given
    Give one of them.`;
}
