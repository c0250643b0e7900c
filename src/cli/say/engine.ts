import type { EngineFacts } from '../../once/engine/facts.ts';
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
