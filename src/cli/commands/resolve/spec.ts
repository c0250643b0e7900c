import type { LeafSpec } from '../../parse/command.ts';

export const resolveSpec: LeafSpec = {
  name: 'resolve',
  group: 'Every day',
  does: 'decides',
  about: 'Record what you found: it happened, or it did not',
  arguments: [
    { usage: '<ids...>', about: 'entries: the ID, its first characters, or a name', completes: 'unfinished' },
  ],
  options: [
    { flags: '--happened', about: 'it happened; the same command then sends nothing' },
    {
      flags: '--signature <signature>',
      about: 'with --happened: the signature you found; botctl checks it on the chain if rpc-url is set',
    },
    { flags: '--did-not-happen', about: 'it did not happen; the same command then sends it again' },
    { flags: '--reason <text>', about: 'what you saw and where; kept with your name and the time' },
    {
      flags: '--overrule',
      about: 'reverse an earlier decision; asks first, or needs --yes, and keeps both',
      rare: true,
    },
    { flags: '-y, --yes', about: 'do not ask for confirmation; needs whole IDs' },
  ],
  examples: [
    {
      about: 'You see the payment in the wallet',
      line: 'botctl resolve 3f9a --happened --signature 5VERv8… --reason "seen in the explorer"',
    },
    {
      about: 'You see no message in the conversation',
      line: 'botctl resolve 3f9a --did-not-happen --reason "not in the conversation"',
    },
    { about: 'List what waits for your decision', line: 'botctl history --state held' },
  ],
  exits: [0, 1, 2, 8, 10, 11, 130],
  load: async () => (await import('./run.ts')).run,
};
