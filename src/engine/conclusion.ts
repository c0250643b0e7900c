import { type Exit, exitOf, type FailureCode, type Problem, retryOf } from '../errors.ts';
import type { Attempt } from '../journal/journal.ts';
import type { Ended } from './doing.ts';
import {
  heldWords,
  inProgress,
  openWords,
  rejectionCode,
  rejectionWords,
  undoneWords,
  unknownWords,
} from './failureWords.ts';
import { acceptedWarnings } from './notices.ts';
import { shortly, type Words } from './phrases.ts';
import { refusalWords } from './refusalWords.ts';

/** What an ended command tells its caller: the exit code, and where that is not 0, why and what to do. */
export type Conclusion = {
  readonly exit: Exit;
  readonly problem?: Problem;
  readonly warnings: readonly string[];
};

type Concluded = Ended & { is: 'concluded' };

export function conclude(ended: Ended, nowMs: number): Conclusion {
  switch (ended.is) {
    case 'concluded':
      return concludeByState(ended, nowMs);
    case 'still-sending':
      return fail('in-progress', inProgress(ended.intent));
    case 'refused':
      return fail(...refusalWords(ended));
    case 'not-recorded':
      return fail('not-recorded', {
        message: `${ended.attempt.status === undefined ? 'An attempt ended' : 'A reply came'} (${shortly(ended.attempt)}) but the journal could not go on: ${messageOf(ended.cause)}`,
        hint: `Note what it says. It may have happened. Make the journal writable and run the same command again: it uses the same key ${ended.intent.key}.`,
      });
  }
}

/** State decides first; the last reply only says which of the untainted failures it was. */
function concludeByState(ended: Concluded, nowMs: number): Conclusion {
  const { intent, attempt } = ended;
  switch (intent.state) {
    case 'accepted':
      return { exit: 0, warnings: acceptedWarnings(intent, attempt) };
    case 'resolved':
      return intent.resolvedAs === 'happened' ? { exit: 0, warnings: [] } : fail(...undoneWords(intent));
    case 'sending':
      return fail('in-progress', inProgress(intent));
    case 'unknown':
      return fail('unknown', unknownWords(ended, nowMs), attempt);
    case 'held':
      return fail('held', heldWords(intent, attempt), attempt);
    case 'rejected':
      return fail(rejectionCode(attempt?.status), rejectionWords(ended), attempt);
    case 'open':
      return fail(...openWords(ended, nowMs), attempt);
  }
}

function fail(code: FailureCode, { message, hint }: Words, attempt?: Attempt): Conclusion {
  const exit = exitOf(code);
  const problem: Problem = {
    code,
    message,
    hint,
    ...(attempt?.status === undefined ? {} : { status: attempt.status }),
    ...(attempt?.requestId === undefined ? {} : { request_id: attempt.requestId }),
    retry: retryOf(exit) ?? 'never',
  };
  return { exit, problem, warnings: [] };
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
