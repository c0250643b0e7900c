/**
 * What becomes of an attempt that would begin, from the design alone (sections 4, 5, 7, 9 and 15), without a look at
 * the code: limits and recipients, then approval, then a closing, then an equal payment, then the claim.
 */
import { type Cell, first, type Table } from './design.ts';

export const attempts = {
  /** Nothing has its name or its content; something has that never left; or something that may have taken effect. */
  about: ['new', 'never sent', 'in doubt'],
  policy: ['allows it', 'refuses it', 'wants an approval'],
  journal: ['open', 'closed', 'moved'],
  equalPaid: [false, true],
  named: [false, true],
} as const;
export type Attempt = Cell<typeof attempts>;

export type Becomes = {
  readonly does: 'send' | 'propose' | 'hold' | 'leave' | 'refuse' | 'paid-already';
  /** Of what is sent the reply decides. */
  readonly code?:
    | 'held'
    | 'unknown'
    | 'policy-limit'
    | 'usage'
    | 'journal-moved'
    | 'journal-closed'
    | 'paid-already';
  readonly exit?: 1 | 2 | 9 | 10;
};

const inDoubt = ({ about }: Attempt) => about === 'in doubt';
const waits = ({ policy }: Attempt) => policy === 'wants an approval';

const table: Table<Attempt, Becomes> = [
  // What is in doubt is held, never refused and never proposed: over a limit it is held as no longer allowed.
  [(a) => inDoubt(a) && a.policy !== 'allows it', { does: 'hold', code: 'held', exit: 10 }],
  // A closing changes what would begin an attempt: what is in doubt stays 9, `unknown`.
  [(a) => inDoubt(a) && a.journal !== 'open', { does: 'leave', code: 'unknown', exit: 9 }],
  // A payment that is not in doubt stops at an equal one: one in doubt goes on.
  [inDoubt, { does: 'send' }],
  // In a closed journal too, limits refuse first.
  [(a) => a.policy === 'refuses it', { does: 'refuse', code: 'policy-limit', exit: 2 }],
  // A payment that needs an approval needs a name: without one nothing waits.
  [(a) => waits(a) && !a.named, { does: 'refuse', code: 'usage', exit: 2 }],
  // In a moved journal nobody decides, and who proposes decides.
  [(a) => waits(a) && a.journal === 'moved', { does: 'refuse', code: 'journal-moved', exit: 1 }],
  // In a closed one a proposal is still recorded. It is asked about its equal when it is sent.
  [waits, { does: 'propose', code: 'held', exit: 10 }],
  [(a) => a.journal === 'moved', { does: 'refuse', code: 'journal-moved', exit: 1 }],
  // In a closed journal nobody is asked about an equal payment.
  [(a) => a.journal === 'closed', { does: 'refuse', code: 'journal-closed', exit: 10 }],
  [(a) => a.equalPaid, { does: 'paid-already', code: 'paid-already', exit: 10 }],
  [() => true, { does: 'send' }],
];

export const becomes = (attempt: Attempt): Becomes => first(table, attempt);
