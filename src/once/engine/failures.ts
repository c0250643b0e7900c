import type { Kind } from '../entry/wanted.ts';
import { failing, failureWith } from '../failures.ts';
import { damagedJournal } from '../journal/failures.ts';
import type { State } from '../journal/journal.ts';
import { neverTwice } from '../sentence.ts';
import { approving, type Declined, declinedBy, forAPerson, resolving } from './deciding.ts';

type OfDeclined = { id: string; declined: Declined | undefined };

/** How the engine fails with an order or a decision, before anything was sent. */
export const engineFailure = failing('engine', {
  'entry-missing': () => damagedJournal('it refers to an entry that it does not contain'),
  /** The entry to send, to replay, or to compare with the order, has changed on the disk. */
  'entry-changed': ({ id, before }: { id: string; before: 'done' | 'in-doubt' | undefined }) => {
    const done = before === 'done' ? '. It was done before' : '. What was sent before may have happened';
    return damagedJournal(`the record of entry ${id} has changed${before === undefined ? '' : done}`);
  },
  /** Nothing left now, and the journal went away before it said so. */
  'still-in-doubt': ({ id, kind, why }: { id: string; kind: Kind; why: string }) => failureWith('unknown')`
    ${why} The ${kind} may have happened in an earlier run (ID ${id})
    Run the same command again: ${neverTwice}.`,
  'unnamed-on-shared': ({ place, kind: what }: { place: string; kind: Kind }) => failureWith(
    'unnamed-shared',
  )`
    The journal ${place} is shared, and a ${what} without a name is never sent through a shared journal
    Give it a name with --once or --idempotency-key: only a name keeps two machines from sending it twice, whatever the journal’s server loses. To read more:
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
    Run its own command again or resume it, which sends it. If it is no longer wanted, decline it.
    $ history ${id}`,
  'needs-another-role': ({ id, role }: { id: string; role: string }) => failureWith('not-allowed-now')`
    Transfer ${id} goes on waiting: the database role ${role} asked for it, and the policy wants another role to approve it ("approvals": "other")
    Let a person approve it who connects to the journal with another role.
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
  /** It is not as it was when the decision was asked for. */
  'changed-since-shown': ({ id }: { id: string }) => failureWith('held')`
    Entry ${id} has changed since this command looked at it
    Look at it again, then decide:
    $ history ${id}`,
  'signature-taken': ({ id, other }: { id: string; other: string }) => failureWith('not-allowed-now')`
    The signature given for entry ${id} belongs to entry ${other}
    Find the signature of its own payment, or leave --signature out if you know by other means.
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
