import { envBot, sandboxBot } from '../../once/connection.ts';
import type { Oddity, Outcome, OutcomeToTell } from '../../once/engine/outcome.ts';
import { isUnsent } from '../../once/engine/standing.ts';
import type { Wanted } from '../../once/entry/wanted.ts';
import { type FailureCode, retryOf } from '../../once/failures.ts';
import { iso } from '../../once/phrases.ts';
import { neverTwice, type Sentence, sentence, withFullStop } from '../../once/sentence.ts';
import { takenBy } from './entry.ts';
import {
  againHint,
  alwaysSafe,
  called,
  declinedWords,
  done,
  equalPaymentWords,
  heldWords,
  inProgress,
  makes,
  nothingOf,
  summary,
  verbs,
} from './outcomes.ts';
import { nothingSent, nothingSentNow, notSentNow, type Problem, questionAgain } from './problem.ts';
import { settling } from './settling.ts';

/** The problem and what to do about it, or the warnings of an entry without a problem. */
export type Explained = {
  readonly problem?: Problem;
  readonly warnings: readonly string[];
};

/** `isRow`: the entry is a batch's row. `hasNode`: its bot names a Solana node. */
type BesideIt = { readonly isRow?: boolean; readonly hasNode?: boolean };

export function explain(
  ending: OutcomeToTell,
  nowMs: number,
  { isRow = false, hasNode = false }: BesideIt = {},
): Explained {
  const { outcome, code, oddities } = ending;
  if (code === undefined) return { warnings: oddities.map(oddityWords) };
  const stopped = outcome.is === 'concluded' ? outcome.stopped : undefined;
  const closed = stopped?.because === 'closed' ? stopped.failure : undefined;
  const words = wordsOf(ending, code, nowMs, hasNode);
  const { hint, next = [], fields, end } = { ...words, ...closed?.details };
  const message = closed === undefined ? words.message : `${withFullStop(words.message)} ${closed.message}`;
  const problem: Problem = {
    code,
    message: end === undefined ? message : `${withFullStop(message)} ${isRow ? notSentNow : end}`,
    ...(hint === undefined ? {} : { hint }),
    ...(next.length === 0 ? {} : { next }),
    ...replyOf(outcome),
    ...fields,
    retry: closed === undefined ? retryOf(code) : 'decide',
  };
  return { problem, warnings: [] };
}

/** The fields to show from the reply that decided the outcome. */
function replyOf(outcome: Outcome): { status?: number; request_id?: string } {
  if (outcome.is !== 'concluded' || outcome.attempt === undefined) return {};
  // No reply decided these.
  if (outcome.entry.state === 'sending' || outcome.entry.state === 'resolved') return {};
  const { status, requestId } = outcome.attempt;
  return {
    ...(status === undefined ? {} : { status }),
    ...(requestId === undefined ? {} : { request_id: requestId }),
  };
}

/** `end` says that nothing was sent. */
type Unsent = Sentence & { readonly end?: string };

/** The sentences for each ending that is a problem. */
function wordsOf(
  { outcome, complaint, needsOtherName }: OutcomeToTell,
  code: FailureCode,
  nowMs: number,
  hasNode: boolean,
): Unsent {
  switch (outcome.is) {
    case 'not-sent':
      return notSentWords(outcome, nowMs);
    case 'still-sending':
      return inProgress(outcome.entry, outcome.by);
    case 'not-recorded': {
      const { attempt, cause, entry } = outcome;
      const came = attempt.status === undefined ? 'A request ended' : 'A reply came';
      return {
        message: `${came} (${summary(attempt, complaint)}) but the journal could not record it: ${messageOf(cause)}`,
        hint: `It may have happened: note the reply. Bring the journal back, then run the same command again: ${neverTwice} (ID ${entry.id}). Without that journal the command counts as new: if the journal is lost, repeat the command with --idempotency-key ${entry.key}.`,
      };
    }
  }
  const { entry, attempt, stopped, declined, replayed } = outcome;
  const { id, kind } = entry;
  const said = summary(attempt, complaint);
  const isCut = stopped?.because === 'interrupted' && attempt?.trouble?.is !== 'interrupted';
  const cut = isCut ? 'Interrupted before the next try. ' : '';
  switch (entry.state) {
    case 'declined':
      return { ...declinedWords(entry, declined), end: entry.wasInDoubt ? nothingSentNow : nothingSent };
    // An entry that was accepted, or resolved as happened, is not a failure.
    case 'accepted':
    case 'resolved':
      return {
        ...sentence`An operator decided that the ${kind} did not happen (ID ${id}).
          To ${verbs[kind]} it after all, run the original command again.`,
        ...(replayed && { end: nothingSentNow }),
      };
    case 'sending':
      return inProgress(entry);
    case 'held':
      return heldWords(outcome, said, needsOtherName, hasNode);
    case 'unknown': {
      // The last attempt was not sent, so the doubt is about an earlier one.
      const isEarlier = attempt?.trouble?.is === 'claim-too-old';
      const why = isEarlier ? `an earlier request was sent, and the last one was not (${said})` : said;
      return {
        message: `${cut}The ${kind} may have been ${done[kind]}: ${why}. ${called(entry)}.`,
        hint: `${againHint(outcome, code, nowMs)} ${alwaysSafe[kind]}`,
        next: [['resume', id]],
      };
    }
    case 'rejected': {
      const isOfProfile = entry.bot !== envBot && entry.bot !== sandboxBot;
      return {
        message: `${cut}The service refused the ${kind} (${said}). ${nothingOf(entry)}`,
        hint: againHint(outcome, code, nowMs),
        next: code === 'token-rejected' && isOfProfile ? [['config', 'set', entry.bot, 'token']] : [],
      };
    }
    case 'open':
      return {
        message: `${cut}The ${kind} was not ${done[kind]} (${said}). botctl ${makes[kind]} it only if you run the command again or resume it (ID ${id}).`,
        hint: againHint(outcome, code, nowMs),
      };
  }
}

/**
 * This run sent nothing. Only a refusal or a No says the same of earlier runs: an entry in doubt has an outcome of its
 * own.
 */
function notSentWords(outcome: Outcome & { is: 'not-sent' }, nowMs: number): Unsent {
  switch (outcome.because) {
    case 'refused':
      return { message: outcome.failure.message, ...outcome.failure.details, end: nothingSent };
    case 'declined':
      return {
        ...sentence`Answered No.
          ${questionAgain}`,
        end: nothingSent,
      };
    case 'paid-already':
      // `--repeat` is not suggested: a person must add it.
      return {
        ...sentence`${equalPaymentWords(outcome.equal, nowMs)}
          Look at the earlier one first: pay again only if a second payment is meant.
          $ history ${outcome.equal.id}`,
        end: nothingSentNow,
      };
    case 'other-bot': {
      const { id, kind, bot } = outcome.entry;
      return {
        ...sentence`This name is taken by another bot, ${bot} (ID ${id}).
          Use that bot, or give this ${kind} a new name.
          $ history ${id}`,
        end: nothingSentNow,
      };
    }
    case 'other-body':
      return { ...otherBodyWords(outcome), end: nothingSentNow };
  }
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The entry that already has this name, key or row's id, and how this request differs from it. */
function otherBodyWords({ entry, wanted }: Extract<Outcome, { readonly wanted: Wanted }>): Sentence {
  const { id, kind, namedBy, resolvedAs, state, wasInDoubt: inDoubt } = entry;
  const what = { undefined: 'key', key: 'key', row: 'row’s id' }[String(namedBy)] ?? 'name';
  const name = namedBy === 'row' ? 'id' : 'name';
  const mayEnd = isUnsent(entry) && state !== 'declined';
  const isOver =
    state === 'rejected' || state === 'declined' || (state === 'resolved' && resolvedAs !== 'happened');
  const wasProposed = isOver && !inDoubt && namedBy !== undefined;
  return {
    message: `This ${what} ${takenBy(entry, wanted)}.`,
    hint: mayEnd
      ? `If this is another ${kind}, give it a new ${name}. Or settle the earlier one, which was never sent:`
      : `${wasProposed ? `A ${kind} that waited for approval keeps its content: give a corrected one a new ${name}` : `Under a new ${name} it is a second ${kind}, so give one only if you want both`}. The history shows the earlier one:`,
    next: mayEnd ? settling(entry) : [['history', id]],
  };
}

/** Shown if nothing was sent now because an earlier run or another process did it. */
export function replayNotice({ entry, replayed }: Outcome & { is: 'concluded' }): string | undefined {
  // Its problem says who declined it, and why.
  if (!replayed || entry.state === 'declined') return undefined;
  const { id, kind, state, namedBy } = entry;
  if (state !== 'accepted' && entry.resolvedAs !== 'happened') {
    return `The ${kind} ${id} is ${state}. To ${verbs[kind]} it after all, run the original command again.`;
  }
  const at = `at ${iso(entry.updatedAtMs)}`;
  const why =
    state === 'resolved'
      ? `It was decided ${at} that this ${kind} happened (ID ${id})`
      : `This ${kind} was already accepted ${at} (ID ${id})`;
  const isNamed = namedBy !== undefined && namedBy !== 'run';
  const how = isNamed ? 'give it a new name.' : 'name it: --once NAME, a new name each time.';
  return `${why}. To ${verbs[kind]} another one, ${how}`;
}

function oddityWords(oddity: Oddity): string {
  switch (oddity.is) {
    case 'status':
      return oddity.status === undefined
        ? 'The service gave no status.'
        : `The service gave the status ${oddity.status}, which is not documented.`;
    case 'another-message':
      return `The reply shows a different ${oddity.field}: ${JSON.stringify(oddity.shows)}.`;
    case 'known-name':
      return 'The service already had a message under this name. This journal had not used the name before; another machine may have.';
  }
}

/** The words of a 409, which says that the service already has the message. */
export function conflictNote({ outcome, complaint }: OutcomeToTell): string | undefined {
  const attempt = outcome.is === 'concluded' ? outcome.attempt : undefined;
  return attempt?.duplicate ? `The service answered with ${summary(attempt, complaint)}.` : undefined;
}
