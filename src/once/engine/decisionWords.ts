import type { Decision } from '../journal/journal.ts';
import { iso } from '../phrases.ts';
import type { Suggestion } from '../sentence.ts';

// Suggested commands for a person who must decide, and sentences about decisions made.

const seen = 'WHAT YOU SAW';
/** The option with the reason of a decision about what happened. */
export const whatWasSeen = ['--reason', seen];
const givenUp = 'WHY IT IS GIVEN UP';
const whyDeclined = 'WHY IT IS DECLINED';

/** Whether a reason is still the placeholder of a pasted suggestion: nobody has checked anything yet. */
export function isStillToFillIn(text: string): boolean {
  return text === seen || text === givenUp || text === whyDeclined;
}

/** The two commands that resolve an entry. Each keeps what the operator saw. */
export function resolving(id: string): Suggestion[] {
  return ['--happened', '--did-not-happen'].map((word) => forAPerson('resolve', id, word, ...whatWasSeen));
}

/** A command that only a person at a terminal may run. A program is given the command that looks instead. */
export function forAPerson(command: string, id: string, ...more: readonly string[]): Suggestion {
  return { decides: [command, id, ...more], looks: ['history', id] };
}

/** Gives up an entry that was never sent and never proposed. */
export function givingUpUnsent(id: string): Suggestion {
  return forAPerson('resolve', id, '--did-not-happen', '--reason', givenUp);
}

/** What to do about an entry that waits for approval. */
export const approving = {
  hint: 'Check the recipient and the amount. Then approve it or decline it:',
  next: (id: string): Suggestion[] => [['history', id], forAPerson('approve', id), declining(id)],
};

export function declining(id: string): Suggestion {
  return forAPerson('decline', id, '--reason', whyDeclined);
}

/** A person on a machine, with the database role if the journal is on a server. */
export function handWords({ who, role }: Pick<Decision, 'who' | 'role'>): string {
  return role === undefined ? who : `${who} (database role ${role})`;
}

export type Declined = Pick<Decision, 'who' | 'role' | 'atMs' | 'reason'>;

/** The start of a sentence that says who declined `what`, and when. */
export function declinedBy(what: string, declined: Declined | undefined): string {
  if (declined === undefined) return `A person declined ${what}`;
  return `${handWords(declined)} declined ${what} at ${iso(declined.atMs)}: "${declined.reason}"`;
}
