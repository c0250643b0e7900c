import type { Decision } from '../journal/journal.ts';
import { iso } from '../phrases.ts';
import type { Suggestion } from '../sentence.ts';

// How a person decides about an entry, and has decided: commands to paste, and words.

const seen = 'WHAT YOU SAW';
/** The reason of a decision about what happened. */
export const whatWasSeen = ['--reason', seen];
const givenUp = 'WHY IT IS GIVEN UP';
const whyDeclined = 'WHY IT IS DECLINED';

/** A suggestion that was pasted without filling in its placeholder: nobody has checked anything yet. */
export function isStillToFillIn(text: string): boolean {
  return text === seen || text === givenUp || text === whyDeclined;
}

/** The two decisions about an entry. Each stores what the operator saw. */
export function resolving(id: string): Suggestion[] {
  return ['--happened', '--did-not-happen'].map((word) => forAPerson('resolve', id, word, ...whatWasSeen));
}

/** A decision for a person at a terminal. Elsewhere the command that looks is suggested instead. */
export function forAPerson(command: string, id: string, ...more: readonly string[]): Suggestion {
  return { decides: [command, id, ...more], looks: ['history', id] };
}

/** Of an entry of which nothing was sent, and that was never proposed. */
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

/** A person on a machine; the database role is what a server knows of them. */
export function handWords({ who, role }: Pick<Decision, 'who' | 'role'>): string {
  return role === undefined ? who : `${who} (database role ${role})`;
}

export type Declined = Pick<Decision, 'who' | 'role' | 'atMs' | 'reason'>;

/** `what` was declined: the start of a sentence. */
export function declinedBy(what: string, declined: Declined | undefined): string {
  if (declined === undefined) return `A person declined ${what}`;
  return `${handWords(declined)} declined ${what} at ${iso(declined.atMs)}: "${declined.reason}"`;
}
