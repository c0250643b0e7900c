import type { EngineFacts } from '../../once/engine/facts.ts';
import { approving, resolving } from './chain.ts';
import { handWords } from './history.ts';
import { damaged } from './open.ts';
import { iso } from './phrases.ts';
import { says, type Table } from './told.ts';

export const engineTable: Table<EngineFacts> = {
  'intent-missing': () => damaged('it refers to an entry that it does not contain'),

  'request-changed': ({ id, mayHaveLanded }) => {
    const before = mayHaveLanded ? '. What was sent before may have happened' : '';
    return damaged(`the request of entry ${id} has changed${before}`);
  },

  'intent-changed': ({ id, wasDone }) => {
    const before = wasDone ? '. It was done before' : '';
    return damaged(`the record of entry ${id} has changed${before}`);
  },

  'unnamed-on-shared': ({ place, kind }) => says`
    The journal ${place} is shared, and a ${kind} without a name is never sent through a shared journal
    Give it a name with --once or --idempotency-key: only a name keeps two machines from sending it twice, whatever the journal’s server loses. To read more:
    $ help reruns`,

  'unnamed-proposal': () => says`
    A payment that waits for approval needs a name: give --once
    The name keeps the approval with this payment, also when the command is run again.`,

  'is-proposal': ({ id }) => ({
    message: `Transfer ${id} waits for approval, so it cannot be resumed or resolved`,
    hint: approving.hint,
    next: approving.next(id),
  }),

  'is-approved': ({ id }) => says`
    Transfer ${id} is approved and not sent, so it cannot be resolved
    Run its own command again or resume it, which sends it. If it is no longer wanted, decline it.
    $ history ${id}`,

  'not-a-proposal': ({ id, state, tainted }) => {
    const isInDoubt = tainted && (state === 'held' || state === 'unknown' || state === 'sending');
    return {
      message: `Entry ${id} is ${state} and does not wait for approval${isInDoubt ? ': it may have happened' : ''}`,
      hint: isInDoubt
        ? 'Resume it, or decide whether it happened.'
        : 'The history shows what happened to it. Entries that wait for approval are listed as held.',
      next: isInDoubt
        ? [['resume', id], ...resolving(id)]
        : [
            ['history', id],
            ['history', '--state', 'held'],
          ],
    };
  },

  'proposal-declined': ({ id, declined }) => {
    const who = declined === undefined ? 'A person' : handWords(declined);
    const why = declined === undefined ? '' : ` at ${iso(declined.atMs)}: "${declined.reason}"`;
    return says`${who} declined transfer ${id}${why}
      To make it after all, run the command under a new name.
      $ history ${id}`;
  },

  'changed-since-shown': ({ id }) => says`Entry ${id} has changed since this command looked at it
    Look at it again, then decide:
    $ history ${id}`,

  'being-sent': ({ id }) => says`A running process is sending entry ${id}
    Wait for it to end, or end it. Then decide.`,

  proven: ({ id, state }) => {
    const proof = state === 'accepted' ? 'it happened' : 'it did not happen';
    return says`Entry ${id} is ${state}: the service’s own reply shows that ${proof}
      The history shows its requests.
      $ history ${id}`;
  },
};
