import type { Bot } from '../connection.ts';
import type { Failure, FailureCode } from '../failures.ts';
import type { Decision, Entry } from '../journal/journal.ts';
import type { PolicyAnswer } from './context.ts';
import { engineFailure } from './failures.ts';
import type { Plan } from './plan.ts';
import type { HeldReason } from './replyMeaning.ts';

/** What `decide` must know besides the plan. */
export type Answers = {
  readonly policy: PolicyAnswer;
  /** Why the journal begins no attempt. */
  readonly closed: Failure | undefined;
  /** The payments that this one would repeat, the latest first. */
  readonly equal: readonly Entry[];
  /** Without a name it cannot be proposed: only a name links a later approval to this payment. */
  readonly isNamed: boolean;
};

/** What will be done. `entry` is the one on record, if there is one. */
export type Course =
  | { readonly is: 'send'; readonly entry: Entry | undefined; readonly reserve: (() => void) | undefined }
  /** `why` is kept, and shown to the person who decides. */
  | {
      readonly is: 'propose';
      readonly entry: Entry | undefined;
      readonly why: string;
      readonly needs: Decision['needs'];
    }
  | { readonly is: 'hold'; readonly entry: Entry; readonly why: HeldReason }
  /** It stays in doubt. */
  | { readonly is: 'leave'; readonly entry: Entry; readonly closed: Failure }
  | { readonly is: 'refuse'; readonly failure: Failure }
  | { readonly is: 'paid-already'; readonly equal: Entry; readonly ids: readonly string[] }
  | { readonly is: 'wait' | 'needs-decision' | 'already-done'; readonly entry: Entry };

/** A plan that still needs a decision. If the name is taken, nothing can be sent. */
export type Undecided = Exclude<Plan, { is: 'name-taken' }>;

/**
 * Decides what to do with a plan. The order is: limits and recipients, approval, a closing, an equal payment, the
 * claim. An entry that may have taken effect is held, never refused and never proposed. Equal payments are checked
 * before its first attempt; those of a proposal, when it is sent.
 */
export function decide(plan: Undecided, { policy, closed, equal, isNamed }: Answers): Course {
  switch (plan.is) {
    case 'hold':
      return { is: 'hold', entry: plan.entry, why: plan.why };
    case 'retry': {
      const { entry } = plan;
      if (policy.is !== 'allowed') return { is: 'hold', entry, why: 'not-allowed' };
      if (closed !== undefined) return { is: 'leave', entry, closed };
      return { is: 'send', entry, reserve: policy.reserve };
    }
    case 'send-same-key':
    case 'new-entry': {
      const entry = plan.is === 'new-entry' ? undefined : plan.entry;
      const [latest] = equal;
      if (policy.is === 'refused') return { is: 'refuse', failure: policy.failure };
      if (policy.is === 'needs-approval') {
        if (!isNamed) return { is: 'refuse', failure: engineFailure('unnamed-proposal', {}) };
        // A proposal is a decision, and no decision is made in a journal that was moved.
        if (closed?.code === 'journal-moved') return { is: 'refuse', failure: closed };
        return { is: 'propose', entry, why: policy.why, needs: policy.needs };
      }
      if (closed !== undefined) return { is: 'refuse', failure: closed };
      if (latest === undefined) return { is: 'send', entry, reserve: policy.reserve };
      return { is: 'paid-already', equal: latest, ids: equal.map(({ id }) => id) };
    }
    default:
      return { is: plan.is, entry: plan.entry };
  }
}

/** The code with which a command ends before it sends anything, as things stand now. */
export function codeAhead(
  plan: Plan,
  answers: Answers,
  { name }: Pick<Bot, 'name'>,
): FailureCode | undefined {
  if (plan.is === 'name-taken') return plan.entry.bot === name ? 'other-body' : 'other-bot';
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
      return course.entry.state === 'declined' ? 'proposal-declined' : 'held';
  }
}
