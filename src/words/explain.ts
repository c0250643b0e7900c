import type { Ending } from '../engine/ending.ts';
import type { Outcome } from '../engine/outcome.ts';
import { type Exit, exitOf, Failure, type FailureCode, retryOf } from '../errors.ts';
import type { Intent } from '../journal/journal.ts';
import { endOf } from './ends.ts';
import { inWords } from './inWords.ts';
import { sentence } from './nothing.ts';
import { oddityWords } from './notices.ts';
import { notSentWords } from './notSent.ts';
import {
  didNotHappenWords,
  heldWords,
  inProgress,
  openWords,
  rejectionWords,
  unknownWords,
} from './outcomes.ts';
import { summary, type Words } from './phrases.ts';
import type { Refused } from './policy.ts';
import { allowanceShown, type Problem } from './told.ts';

/** What a command tells its caller: the exit code, and where that is not 0, why and what to do. */
export type Explanation = {
  readonly exit: Exit;
  readonly problem?: Problem;
  readonly warnings: readonly string[];
};

export async function explain(ending: Ending, nowMs: number): Promise<Explanation> {
  const { outcome, code, oddities } = ending;
  if (code === undefined) return { exit: 0, warnings: oddities.map(oddityWords) };
  const { message, hint, next = [], allowance, beside } = await wordsOf(ending, code, nowMs);
  const problem: Problem = {
    code,
    message,
    hint,
    ...(next.length === 0 ? {} : { next }),
    ...replyOf(outcome),
    ...allowanceShown(allowance),
    ...(beside === undefined ? {} : { beside }),
    retry: retryOf(code),
  };
  return { exit: exitOf(code), problem, warnings: [] };
}

/** What is shown of the reply that decided it. */
function replyOf(outcome: Outcome): Pick<Problem, 'status' | 'request_id'> {
  if (outcome.is !== 'concluded' || outcome.attempt === undefined || hasNoReply(outcome.intent)) return {};
  const { status, requestId } = outcome.attempt;
  return {
    ...(status === undefined ? {} : { status }),
    ...(requestId === undefined ? {} : { request_id: requestId }),
  };
}

function hasNoReply({ state }: Intent): boolean {
  return state === 'sending' || state === 'resolved';
}

async function wordsOf(ending: Ending, code: FailureCode, nowMs: number): Promise<Words & Refused> {
  const { outcome, complaint } = ending;
  switch (outcome.is) {
    case 'concluded':
      return wordsOfState(outcome, ending, code, nowMs);
    case 'still-sending':
      return inProgress(outcome.intent, outcome.by);
    case 'not-sent':
      return notDone(code, notSentWords(outcome), outcome.because !== 'declined');
    case 'not-recorded':
      return {
        message: `${outcome.attempt.status === undefined ? 'An attempt ended' : 'A reply came'} (${summary(outcome.attempt, complaint)}) but the journal could not record it: ${await messageOf(outcome.cause)}`,
        hint: hintToRecord(outcome),
      };
  }
}

function wordsOfState(
  outcome: Outcome & { is: 'concluded' },
  { complaint, needsOtherName }: Ending,
  code: FailureCode,
  nowMs: number,
): Words {
  const { intent, attempt } = outcome;
  const said = summary(attempt, complaint);
  switch (intent.state) {
    // What was accepted, or has happened, is no failure.
    case 'accepted':
    case 'resolved':
      return notDone(code, didNotHappenWords(intent));
    case 'sending':
      return inProgress(intent);
    case 'unknown':
      return unknownWords(outcome, said, nowMs);
    case 'held':
      return heldWords(intent, said, needsOtherName);
    case 'rejected':
      return rejectionWords(outcome, said, code);
    case 'open':
      return openWords(outcome, said, code, nowMs);
  }
}

/** Nothing left this machine now; an earlier run of it may have sent something. */
function notDone(code: FailureCode, words: Words & Refused, isRunAgain = true): Words & Refused {
  const end = endOf(code, { does: 'sends', begun: false, isRunAgain });
  return { ...words, message: `${sentence(words.message)} ${end}` };
}

function hintToRecord({ cause, intent: { key }, keptAt }: Outcome & { is: 'not-recorded' }): string {
  if (isGone(cause))
    return `Note what it says: it may have happened. Put the journal back before any command runs again: without it the same command would be a new one. The key was ${key}.`;
  if (keptAt !== undefined)
    return `It may have happened. It was kept in ${keptAt}, and the next command on this machine that sends through this journal records it. Run the same command again: it uses the same key ${key}.`;
  if (cause instanceof Failure && cause.code === 'journal-unreachable')
    return `Note what it says. It may have happened. Run the same command again once the journal’s server answers: it uses the same key ${key}.`;
  return `Note what it says. It may have happened. Make the journal writable and run the same command again: it uses the same key ${key}.`;
}

function isGone(cause: unknown): boolean {
  return cause instanceof Failure && cause.code === 'journal-gone';
}

async function messageOf(thrown: unknown): Promise<string> {
  if (thrown instanceof Failure) return (await inWords(thrown)).message;
  return thrown instanceof Error ? thrown.message : String(thrown);
}
