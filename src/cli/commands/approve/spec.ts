import type { LeafSpec } from '../../parse/command.ts';

export const approveSpec: LeafSpec = {
  name: 'approve',
  does: 'sends',
  about: 'Approve what was proposed, and send it',
  arguments: [
    { usage: '<ids...>', about: 'proposals: ids or keys, or their first characters', completes: 'intents' },
  ],
  options: [
    {
      flags: '--overrule',
      about: 'approve what was declined (asks, or takes --yes); both decisions are kept',
    },
    { flags: '-y, --yes', about: 'do not ask for confirmation: you have checked it' },
  ],
  examples: [
    { about: 'What waits for approval', line: 'botctl history --state held' },
    { about: 'One proposal, shown whole before it is sent', line: 'botctl approve 3f9a' },
    { about: 'One that was declined, after all', line: 'botctl approve 3f9a --overrule' },
  ],
  exits: [0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 130],
  load: async () => (await import('./run.ts')).approve,
};

export const declineSpec: LeafSpec = {
  name: 'decline',
  does: 'decides',
  about: 'Decline what was proposed: it is not sent, and its command says why',
  arguments: [
    { usage: '<ids...>', about: 'proposals: ids or keys, or their first characters', completes: 'intents' },
  ],
  options: [
    { flags: '--reason <text>', about: 'what is wrong with it; kept with your name and the time' },
    {
      flags: '--overrule',
      about: 'decline what was approved and not sent yet (asks, or takes --yes); both decisions are kept',
    },
    { flags: '-y, --yes', about: 'do not ask for confirmation' },
  ],
  examples: [
    { about: 'What waits for approval', line: 'botctl history --state held' },
    { about: 'A wrong amount', line: 'botctl decline 3f9a --reason "the invoice says 120"' },
    {
      about: 'One that was approved, and could not be sent yet',
      line: 'botctl decline 3f9a --overrule --reason "paid by hand"',
    },
  ],
  exits: [0, 1, 2, 11, 130],
  load: async () => (await import('./run.ts')).decline,
};
