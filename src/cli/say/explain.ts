import type { Ending, Oddity, Outcome } from '../../once/engine/outcome.ts';
import type { Wanted } from '../../once/entry/wanted.ts';
import { type Exit, exitOf, type FailureCode, retryOf } from '../../once/failures.ts';
import type { Entry } from '../../once/journal/journal.ts';
import { iso } from '../../once/phrases.ts';
import { neverTwice, type Sentence, says, sentence } from '../../once/says.ts';
import { isUnsent, settling } from './chain.ts';
import { takenBy } from './entry.ts';
import {
  againWords,
  declinedWords,
  didNotHappenWords,
  heldWords,
  inProgress,
  nouns,
  paidAlready,
  summary,
  verbs,
} from './outcomes.ts';
import {
  nothingSent,
  nothingSentNow,
  notSentNow,
  type Problem,
  questionAgain,
  unsentBecause,
} from './told.ts';

/** What a command reports: the exit code and, if it is not 0, the reason and what to do. */
export type Explanation = {
  readonly exit: Exit;
  readonly problem?: Problem;
  readonly warnings: readonly string[];
};

/** What is known beside the outcome: whether it is a row, and whether its bot names a node. */
type BesideIt = { readonly isRow?: boolean; readonly hasNode?: boolean };

export function explain(
  ending: Ending,
  nowMs: number,
  { isRow = false, hasNode = false }: BesideIt = {},
): Explanation {
  const { outcome, code, oddities } = ending;
  if (code === undefined) return { exit: 0, warnings: oddities.map(oddityWords) };
  const stopped = outcome.is === 'concluded' ? outcome.stopped : undefined;
  const closed = stopped?.because === 'closed' ? stopped.failure : undefined;
  const words = wordsOf(ending, code, nowMs, hasNode);
  const { hint, next = [], shown, end } = { ...words, ...closed?.details };
  const message = closed === undefined ? words.message : `${sentence(words.message)} ${closed.message}`;
  const problem: Problem = {
    code,
    message: end === undefined ? message : `${sentence(message)} ${isRow ? notSentNow : end}`,
    ...(hint === undefined ? {} : { hint }),
    ...(next.length === 0 ? {} : { next }),
    ...replyOf(outcome),
    ...shown,
    retry: closed === undefined ? retryOf(code) : 'decide',
  };
  return { exit: exitOf(code), problem, warnings: [] };
}

/** What is shown of the deciding reply. */
function replyOf(outcome: Outcome): { status?: number; request_id?: string } {
  if (outcome.is !== 'concluded' || outcome.attempt === undefined || hasNoReply(outcome.entry)) return {};
  const { status, requestId } = outcome.attempt;
  return {
    ...(status === undefined ? {} : { status }),
    ...(requestId === undefined ? {} : { request_id: requestId }),
  };
}

function hasNoReply({ state }: Entry): boolean {
  return state === 'sending' || state === 'resolved';
}

/** `end` says that nothing was sent. */
type Unsent = Sentence & { readonly end?: string };

function wordsOf(ending: Ending, code: FailureCode, nowMs: number, hasNode: boolean): Unsent {
  const { outcome, complaint } = ending;
  switch (outcome.is) {
    case 'concluded':
      return wordsOfState(outcome, ending, code, nowMs, hasNode);
    case 'still-sending':
      return inProgress(outcome.entry, outcome.by);
    case 'not-sent':
      // What is refused may not have been sent before: that would be held.
      return notDone(
        notSentWords(outcome, nowMs),
        outcome.because !== 'declined' && outcome.because !== 'refused',
      );
    case 'not-recorded':
      return {
        message: `${outcome.attempt.status === undefined ? 'A request ended' : 'A reply came'} (${summary(outcome.attempt, complaint)}) but the journal could not record it: ${messageOf(outcome.cause)}`,
        hint: hintToRecord(outcome),
      };
  }
}

function wordsOfState(
  outcome: Outcome & { is: 'concluded' },
  { complaint, needsOtherName }: Ending,
  code: FailureCode,
  nowMs: number,
  hasNode: boolean,
): Unsent {
  const { entry, attempt, declined } = outcome;
  const said = summary(attempt, complaint);
  switch (entry.state) {
    case 'declined':
      return notDone(declinedWords(entry, declined), entry.inDoubt);
    // An accepted or happened entry is not a failure.
    case 'accepted':
    case 'resolved':
      return outcome.replayed ? notDone(didNotHappenWords(entry)) : didNotHappenWords(entry);
    case 'sending':
      return inProgress(entry);
    case 'held':
      return heldWords(entry, said, needsOtherName, hasNode);
    case 'unknown':
    case 'rejected':
    case 'open':
      return againWords(outcome, said, code, nowMs);
  }
}

/** This run sent nothing; an earlier run may have sent something. */
function notDone(words: Sentence, mayBeSent = true): Unsent {
  return { ...words, end: mayBeSent ? nothingSentNow : nothingSent };
}

function hintToRecord({ entry: { id, key } }: Outcome & { is: 'not-recorded' }): string {
  return `It may have happened: note the reply. Bring the journal back, then run the same command again: ${neverTwice} (ID ${id}). Without that journal it would count as new: if it is lost, repeat the command with --idempotency-key ${key}.`;
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Why nothing was sent now, and what to do about it. */
function notSentWords(outcome: Outcome & { is: 'not-sent' }, nowMs: number): Sentence {
  switch (outcome.because) {
    case 'refused':
      return { message: outcome.failure.message, ...outcome.failure.details };
    case 'paid-already':
      return paidAlready(outcome.equal, nowMs);
    case 'declined':
      return says`Answered No.
        ${questionAgain}`;
    case 'other-bot':
      return otherBotWords(outcome.entry);
    case 'other-body':
      return otherBodyWords(outcome);
  }
}

function otherBotWords({ id, kind, bot }: Entry): Sentence {
  return says`This name is taken by another bot, ${bot} (ID ${id}).
    Use that bot, or give this ${nouns[kind]} a new name.
    $ history ${id}`;
}

/** What the name, the key or the row's id stands for already, and how this differs from it. */
function otherBodyWords({ entry, wanted }: Extract<Outcome, { readonly wanted: Wanted }>): Sentence {
  const { id, kind, namedBy, resolvedAs, state, inDoubt } = entry;
  const what = { undefined: 'key', key: 'key', row: 'row’s id' }[String(namedBy)] ?? 'name';
  const noun = nouns[kind];
  const name = namedBy === 'row' ? 'id' : 'name';
  const mayEnd = isUnsent(entry) && state !== 'declined';
  const isOver =
    state === 'rejected' || state === 'declined' || (state === 'resolved' && resolvedAs !== 'happened');
  const wasProposed = isOver && !inDoubt && namedBy !== undefined;
  return {
    message: `This ${what} ${takenBy(entry, wanted)}.`,
    hint: mayEnd
      ? `If this is another ${noun}, give it a new ${name}. Or settle the earlier one, which was never sent:`
      : `${wasProposed ? `What once waited for approval keeps its content: a corrected ${noun} takes a new ${name}` : `A new ${name} is a second ${noun}, so give one only if you want both`}. The history shows the earlier one:`,
    next: mayEnd ? settling(entry) : [['history', id]],
  };
}

/** Said when nothing was sent now because it was done before or another process did it. */
export function replayNotice({ entry, replayed }: Outcome & { is: 'concluded' }): string | undefined {
  // Who declined it, and why, is told as its problem.
  if (!replayed || entry.state === 'declined') return undefined;
  const { id, kind, state, namedBy } = entry;
  if (state !== 'accepted' && entry.resolvedAs !== 'happened') {
    return `${unsentBecause(`${nouns[kind]} ${id} is ${state}`)} To ${verbs[kind]} it after all, run the original command again.`;
  }
  const at = `at ${iso(entry.updatedAtMs)}`;
  const why =
    state === 'resolved'
      ? `it was decided ${at} that this ${nouns[kind]} happened (ID ${id})`
      : `this ${nouns[kind]} was already accepted ${at} (ID ${id})`;
  const isNamed = namedBy !== undefined && namedBy !== 'run';
  const how = isNamed ? 'give it a new name.' : 'name it: --once NAME, a new name each time.';
  return `${unsentBecause(why)} To ${verbs[kind]} another one, ${how}`;
}

function oddityWords(oddity: Oddity): string {
  switch (oddity.is) {
    case 'status':
      return oddity.status === undefined
        ? 'The service says no status.'
        : `The service says status ${oddity.status}, which is not documented.`;
    case 'another-message':
      return `The reply shows a different ${oddity.field}: ${JSON.stringify(oddity.shows)}.`;
    case 'known-name':
      return 'The service already had a message under this name. This journal had not used the name before; another machine may have.';
  }
}

/** The words of a 409 that means that the service already has it. */
export function conflictNote({ outcome, complaint }: Ending): string | undefined {
  const attempt = outcome.is === 'concluded' ? outcome.attempt : undefined;
  return attempt?.duplicate ? `The service answered with ${summary(attempt, complaint)}.` : undefined;
}

// For an outcome that cannot be reported as it should be.

export function notNotedAsReported(trouble: string): string {
  return `not noted as reported: ${trouble}`;
}
