import type { EngineFacts } from '../../once/engine/facts.ts';
import { approving, deciding, declining, resolving } from './chain.ts';
import { handWords } from './history.ts';
import { damaged } from './open.ts';
import { iso, optionWords } from './phrases.ts';
import type { Table } from './told.ts';

export const engineTable: Table<EngineFacts> = {
  'intent-missing': () => damaged('it names an intent that it does not find'),

  'request-changed': ({ id, mayHaveLanded }) => {
    const before = mayHaveLanded ? '. What was sent before may have happened' : '';
    return damaged(`the request of intent ${id} is not what it was${before}`);
  },

  'intent-changed': ({ id, wasDone }) => {
    const before = wasDone ? '. It was done before' : '';
    return damaged(`what is kept of intent ${id} is not what it was${before}`);
  },

  'policy-changed': () => ({
    message: 'The journal was given another policy since this command began',
    hint: 'Run the same command again: it goes by the new one.',
  }),

  'unnamed-on-shared': ({ place, kind }) => ({
    message: `The journal ${place} is shared, and a ${kind} without a name is not sent through one`,
    hint: 'Name what you send, with --once, --run or --idempotency-key: only a name keeps two machines from sending it twice, whatever the journal’s server may lose. More about that:',
    next: [['help', 'reruns']],
  }),

  'own-proposal': ({ id, proposed }) => ({
    message:
      proposed === undefined
        ? `The policy wants intent ${id} approved by somebody else than the one who proposed it, and the journal does not show who that is`
        : `The policy wants intent ${id} approved by somebody else: ${handWords(proposed)} proposed it at ${iso(proposed.atMs)}`,
    hint: 'Have somebody else check and approve it: as another user or, on a server, in another database role. Or decline it:',
    next: [['history', id], declining(id)],
  }),

  'is-proposal': ({ id, tainted }) =>
    tainted
      ? {
          message: `Intent ${id} waits for approval: it is not resumed, but approved; and it may have happened`,
          hint: 'Check the wallet. Then approve it, or decide whether it happened.',
          next: deciding({ id, heldReason: 'approval' }),
        }
      : {
          message: `Intent ${id} waits for approval: it is neither resumed nor resolved, but approved or declined`,
          hint: approving.hint,
          next: approving.next(id),
        },

  'not-a-proposal': ({ id, state, tainted }) => {
    const isInDoubt = tainted && (state === 'held' || state === 'unknown' || state === 'sending');
    return {
      message: `Intent ${id} is ${state} and does not wait for approval${isInDoubt ? ': it may have happened' : ''}`,
      hint: isInDoubt
        ? 'Resume it, or decide whether it happened.'
        : 'The history shows how it came to that. What waits for approval is listed as held.',
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
    return {
      message: `${who} declined intent ${id}${why}`,
      hint: 'To send it all the same, a person overrules that; both decisions are kept:',
      next: [
        ['history', id],
        ['approve', id, '--overrule'],
      ],
    };
  },

  'begun-again': ({ id, later }) => ({
    message: `Intent ${id} was declined, and the same was begun again since (intent ${later})`,
    hint: 'Go on with the later one.',
    next: [['history', later]],
  }),

  'being-sent': ({ id }) => ({
    message: `A running process is sending intent ${id}`,
    hint: 'Wait until it has ended, or end it; then decide.',
  }),

  proven: ({ id, state }) => {
    const proof = state === 'accepted' ? 'it happened' : 'it did not happen';
    return {
      message: `Intent ${id} is ${state}: the service’s own reply shows that ${proof}`,
      hint: 'The history shows its attempts.',
      next: [['history', id]],
    };
  },

  'decided-otherwise': ({ id, decision: { kind, reason, signature }, earlier }) => {
    const { who = 'An operator', reason: why = '' } = earlier ?? {};
    const when = earlier === undefined ? '' : ` at ${iso(earlier.atMs)}`;
    const said = kind === 'happened' ? 'did not happen' : 'happened';
    const options = [
      ...(signature === undefined ? [] : optionWords({ name: 'signature', value: signature })),
      ...optionWords({ name: 'reason', value: reason }),
    ];
    return {
      message: `${who} decided${when} that intent ${id} ${said} ("${why}")`,
      hint: 'If that was wrong, overrule it; both decisions are kept:',
      next: [['resolve', id, `--${kind}`, ...options, '--overrule']],
    };
  },
};
