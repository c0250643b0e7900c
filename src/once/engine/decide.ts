import type { Bot } from '../connection.ts';
import type { Failure, FailureCode } from '../failures.ts';
import type { Decision, Entry } from '../journal/journal.ts';
import type { Word } from './context.ts';
import { engineFailure } from './failures.ts';
import type { Plan } from './plan.ts';
import type { HeldReason } from './verdict.ts';

/** What stands in the way of an attempt. */
export type Answers = {
  /** What the policies say. */
  readonly word: Word;
  /** Why the journal begins no attempt. */
  readonly closed: Failure | undefined;
  /** The payments that this one would repeat, the latest first. */
  readonly equal: readonly Entry[];
  /** Only a name keeps an approval with its payment. */
  readonly isNamed: boolean;
};

/** What will be done. `found` is on record already. */
export type Course =
  | { readonly is: 'send'; readonly found: Entry | undefined; readonly reserve: (() => void) | undefined }
  /** `why` is kept, for who decides. */
  | {
      readonly is: 'propose';
      readonly found: Entry | undefined;
      readonly why: string;
      readonly needs: Decision['needs'];
    }
  | { readonly is: 'hold'; readonly found: Entry; readonly why: HeldReason }
  /** It stays in doubt. */
  | { readonly is: 'leave'; readonly found: Entry; readonly closed: Failure }
  | { readonly is: 'refuse'; readonly failure: Failure }
  | { readonly is: 'paid-already'; readonly equal: Entry; readonly ids: readonly string[] }
  | { readonly is: 'wait' | 'needs-decision' | 'already-done'; readonly found: Entry };

/** Of a name that is taken nothing is left to decide. */
export type Undecided = Exclude<Plan, { is: 'name-taken' }>;

/**
 * What becomes of a plan, as the answers are: limits and recipients, then approval, then a closing, then an equal
 * payment, then the claim. What may have landed is held, never refused, never proposed, and was asked about equal
 * payments at its first attempt. A proposal is asked about them when it is sent.
 */
export function decide(plan: Undecided, { word, closed, equal, isNamed }: Answers): Course {
  switch (plan.is) {
    case 'hold':
      return { is: 'hold', found: plan.found, why: plan.why };
    case 'retry': {
      const { found } = plan;
      if (word.is !== 'allowed') return { is: 'hold', found, why: 'not-allowed' };
      if (closed !== undefined) return { is: 'leave', found, closed };
      return { is: 'send', found, reserve: word.reserve };
    }
    case 'send-same-key':
    case 'new-entry': {
      const found = plan.is === 'new-entry' ? undefined : plan.found;
      const [latest] = equal;
      if (word.is === 'refused') return { is: 'refuse', failure: word.failure };
      if (word.is === 'needs-approval') {
        if (!isNamed) return { is: 'refuse', failure: engineFailure('unnamed-proposal', {}) };
        // A proposal is a decision, and in a journal that was moved nobody decides.
        if (closed?.code === 'journal-moved') return { is: 'refuse', failure: closed };
        return { is: 'propose', found, why: word.why, needs: word.needs };
      }
      if (closed !== undefined) return { is: 'refuse', failure: closed };
      if (latest === undefined) return { is: 'send', found, reserve: word.reserve };
      return { is: 'paid-already', equal: latest, ids: equal.map(({ id }) => id) };
    }
    default:
      return { is: plan.is, found: plan.found };
  }
}

/** The failure with which a command ends before it sends anything, as things stand now. */
export function codeAhead(
  plan: Plan,
  answers: Answers,
  { name }: Pick<Bot, 'name'>,
): FailureCode | undefined {
  if (plan.is === 'name-taken') return plan.found.bot === name ? 'other-body' : 'other-bot';
  const course = decide(plan, answers);
  switch (course.is) {
    case 'send':
    case 'wait':
    case 'already-done':
      return undefined;
    case 'propose':
    case 'hold':
      return 'held';
    case 'leave':
      return 'unknown';
    case 'refuse':
      return course.failure.code;
    case 'paid-already':
      return course.is;
    case 'needs-decision':
      return course.found.state === 'declined' ? 'proposal-declined' : 'held';
  }
}
