import type { Outcome } from '../engine/outcome.ts';
import { type Exit, exitOf, Failure, type FailureCode, retryOf } from '../errors.ts';
import type { Attempt, Intent } from '../journal/journal.ts';
import { endOf } from './ends.ts';
import { inWords } from './inWords.ts';
import { sentence } from './nothing.ts';
import { acceptedWarnings } from './notices.ts';
import { notSentWords } from './notSent.ts';
import {
  didNotHappenWords,
  heldWords,
  inProgress,
  openWords,
  rejectionCode,
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

type Concluded = Outcome & { is: 'concluded' };

export async function explain(outcome: Outcome, nowMs: number): Promise<Explanation> {
  switch (outcome.is) {
    case 'concluded':
      return explainState(outcome, nowMs);
    case 'still-sending':
      return fail('in-progress', inProgress(outcome.intent, outcome.by));
    case 'not-sent':
      return fail(...notDone(notSentWords(outcome), outcome.because !== 'declined'));
    case 'not-recorded':
      return fail('not-recorded', {
        message: `${outcome.attempt.status === undefined ? 'An attempt ended' : 'A reply came'} (${summary(outcome.attempt)}) but the journal could not record it: ${await messageOf(outcome.cause)}`,
        hint: hintToRecord(outcome),
      });
  }
}

/** Of what is not well by the journal alone, why, and what to do; nothing of the rest. */
export function explainStanding(
  intent: Intent,
  attempt: Attempt | undefined,
  nowMs: number,
): Problem | undefined {
  if (intent.state === 'open' || intent.state === 'sending') return undefined;
  return explainState({ is: 'concluded', intent, attempt, replayed: false, createdNow: false }, nowMs)
    .problem;
}

/** State decides first; the last reply only says which of the untainted failures it was. */
function explainState(outcome: Concluded, nowMs: number): Explanation {
  const { intent, attempt } = outcome;
  switch (intent.state) {
    case 'accepted':
      return { exit: 0, warnings: acceptedWarnings(intent, attempt) };
    case 'resolved':
      return intent.resolvedAs === 'happened'
        ? { exit: 0, warnings: [] }
        : fail(...notDone(didNotHappenWords(intent)));
    case 'sending':
      return fail('in-progress', inProgress(intent));
    case 'unknown':
      return fail('unknown', unknownWords(outcome, nowMs), attempt);
    case 'held':
      return fail('held', heldWords(intent, attempt), attempt);
    case 'rejected':
      return fail(rejectionCode(attempt?.status), rejectionWords(outcome), attempt);
    case 'open':
      return fail(...openWords(outcome, nowMs), attempt);
  }
}

/** Nothing left this machine now; an earlier run of it may have sent something. */
function notDone(
  [code, words]: readonly [FailureCode, Words & Refused],
  isRunAgain = true,
): [FailureCode, Words & Refused] {
  const end = endOf(code, { does: 'sends', begun: false, isRunAgain });
  return [code, { ...words, message: `${sentence(words.message)} ${end}` }];
}

function fail(
  code: FailureCode,
  { message, hint, next = [], ...refused }: Words & Refused,
  attempt?: Attempt,
): Explanation {
  const exit = exitOf(code);
  const problem: Problem = {
    code,
    message,
    hint,
    ...(next.length === 0 ? {} : { next }),
    ...(attempt?.status === undefined ? {} : { status: attempt.status }),
    ...(attempt?.requestId === undefined ? {} : { request_id: attempt.requestId }),
    ...allowanceShown(refused.allowance),
    ...(refused.beside === undefined ? {} : { beside: refused.beside }),
    retry: retryOf(code),
  };
  return { exit, problem, warnings: [] };
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
