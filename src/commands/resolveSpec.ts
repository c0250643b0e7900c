import type { LeafSpec } from '../cli/spec.ts';

export const resolveSpec: LeafSpec = {
  name: 'resolve',
  about: 'Decide what the service did not prove: it happened, or it did not',
  arguments: [
    { usage: '<ids...>', about: 'intents, by id or key or their beginnings', completes: 'intents' },
  ],
  options: [
    { flags: '--happened', about: 'it did happen: the same command is not sent again' },
    { flags: '--signature <signature>', about: 'with --happened: the chain signature you found' },
    { flags: '--did-not-happen', about: 'it did not happen: the same command sends it' },
    { flags: '--reason <text>', about: 'what you saw, and where; kept with your name and the time' },
  ],
  examples: [
    {
      about: 'The wallet shows the payment',
      line: 'botctl resolve 3f9a --happened --signature 5VERv8… --reason "seen in the explorer"',
    },
    {
      about: 'The conversation shows no message',
      line: 'botctl resolve 3f9a --did-not-happen --reason "not in the conversation"',
    },
    { about: 'What is waiting for a decision', line: 'botctl history --state held' },
  ],
  exits: [0, 1, 2, 11],
  load: async () => (await import('./resolve.ts')).run,
};
