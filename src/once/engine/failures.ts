import type { Kind } from '../entry/wanted.ts';
import { failing, failureWith } from '../failures.ts';
import { damagedJournal } from '../journal/failures.ts';
import type { State } from '../journal/journal.ts';
import { neverTwice } from '../sentence.ts';
import { approving, type Declined, declinedBy, forAPerson, resolving } from './decisionWords.ts';

type OfDeclined = { id: string; declined: Declined | undefined };

/** The failures of an order or a decision before anything is sent. */
export const engineFailure = failing('engine', {
  'entry-missing': () => damagedJournal('it refers to an entry that it does not contain'),
  /** The stored entry has changed on the disk. */
  'entry-changed': ({ id, before }: { id: string; before: 'done' | 'in-doubt' | undefined }) => {
    const done = before === 'done' ? '. It was done before' : '. An earlier request may have taken effect';
    return damagedJournal(`the record of entry ${id} has changed${before === undefined ? '' : done}`);
  },
  /** The journal went away before this run sent anything, and an earlier run may have sent it. */
  'still-in-doubt': ({ id, kind, why }: { id: string; kind: Kind; why: string }) => failureWith('unknown')`
    ${why} The ${kind} may have happened in an earlier run (ID ${id})
    Run the same command again: ${neverTwice}.`,
  'unnamed-on-shared': ({ place, kind: what }: { place: string; kind: Kind }) => failureWith(
    'unnamed-shared',
  )`
    The journal ${place} is shared, and a ${what} without a name is never sent through a shared journal
    Give it a name with --once or --idempotency-key: only a name keeps two machines from sending it twice, even if the journal’s server loses records. To read more:
    $ help reruns`,
  'unnamed-proposal': () => failureWith('usage')`
    A payment that waits for approval needs a name: give --once
    The name keeps the approval with this payment, also when the command is run again.`,
  'is-proposal': ({ id }: { id: string }) =>
    failureWith('held', {
      hint: approving.hint,
      next: approving.next(id),
    })`Transfer ${id} waits for approval, so it cannot be resumed or resolved`,
  'is-approved': ({ id }: { id: string }) => failureWith('not-allowed-now')`
    Transfer ${id} is approved and not sent, so it cannot be resolved
    To send it, run its own command again or resume it. If it is no longer wanted, decline it.
    $ history ${id}`,
  'needs-another-role': ({ id, role }: { id: string; role: string }) => failureWith('not-allowed-now')`
    Transfer ${id} still waits for approval: the database role ${role} proposed it, and the policy requires another role to approve it ("approvals": "other")
    Ask a person who connects to the journal with another role to approve it.
    $ history ${id}`,
  'not-a-proposal': ({ id, state, inDoubt }: { id: string; state: State; inDoubt: boolean }) => {
    const isInDoubt = inDoubt && (state === 'held' || state === 'unknown' || state === 'sending');
    if (isInDoubt)
      return failureWith('not-allowed-now', { next: [forAPerson('resume', id), ...resolving(id)] })`
        Entry ${id} is ${state} and does not wait for approval: it may have happened
        Resume it, or decide whether it happened.`;
    return failureWith('not-allowed-now')`Entry ${id} is ${state} and does not wait for approval
      The history shows what happened to it. Entries that wait for approval are listed as held.
      $ history ${id}
      $ history --state held`;
  },
  'proposal-declined': ({ id, declined }: OfDeclined) => failureWith('proposal-declined')`
    ${declinedBy(`transfer ${id}`, declined)}
    To make it after all, run the command under a new name.
    $ history ${id}`,
  /** The entry changed after the decision was asked for. */
  'changed-since-shown': ({ id }: { id: string }) => failureWith('held')`
    Entry ${id} has changed since this command looked at it
    Look at it again, then decide:
    $ history ${id}`,
  'signature-taken': ({ id, other }: { id: string; other: string }) => failureWith('not-allowed-now')`
    The signature given for entry ${id} belongs to entry ${other}
    Find the signature of this payment. If you know the outcome by other means, leave --signature out.
    $ history ${other}`,
  'being-sent': ({ id }: { id: string }) => failureWith(
    'not-allowed-now',
  )`A running process is sending entry ${id}
    Wait for it to end, or end it. Then decide.`,
  proven: ({ id, state }: { id: string; state: State }) => {
    const proof = state === 'accepted' ? 'it happened' : 'it did not happen';
    return failureWith('not-allowed-now')`Entry ${id} is ${state}: the service’s own reply shows that ${proof}
    The history shows its requests.
    $ history ${id}`;
  },
});
