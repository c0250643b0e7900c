import type { LeafSpec } from '../../parse/command.ts';

export const resolveSpec: LeafSpec = {
  name: 'resolve',
  does: 'decides',
  about: 'Record what you found out: it happened, or it did not',
  arguments: [
    { usage: '<ids...>', about: 'intents: ids or keys, or their first characters', completes: 'intents' },
  ],
  options: [
    { flags: '--happened', about: 'it happened: the same command sends nothing' },
    {
      flags: '--signature <signature>',
      about: 'with --happened: the signature you found; checked where an rpc-url is set',
    },
    { flags: '--did-not-happen', about: 'it did not happen: the same command sends it again' },
    { flags: '--reason <text>', about: 'what you saw and where; kept with your name and the time' },
    { flags: '--overrule', about: 'reverse an earlier decision (asks, or takes --yes); both are kept' },
    { flags: '-y, --yes', about: 'do not ask for confirmation' },
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
  exits: [0, 1, 2, 11, 130],
  load: async () => (await import('./run.ts')).run,
};
