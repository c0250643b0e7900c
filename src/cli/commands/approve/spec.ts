import type { LeafSpec } from '../../parse/command.ts';

export const approveSpec: LeafSpec = {
  name: 'approve',
  group: 'Money',
  does: 'sends',
  about: 'Approve payments that wait for it, and send them',
  details:
    'Anyone who can use the journal may approve; with "approvals": "other" in the policy, anyone but the person who asked for it.',
  arguments: [
    {
      usage: '<ids...>',
      about: 'payments waiting for approval: the ID, its first characters, or a name',
      completes: 'proposals',
    },
  ],
  options: [
    {
      flags: '--overrule',
      about: 'approve what was declined; asks first, or needs --yes, and keeps both decisions',
      rare: true,
    },
    { flags: '-y, --yes', about: 'do not ask for confirmation; needs whole IDs' },
  ],
  examples: [{ about: 'See one payment in full, and approve it', line: 'botctl approve 3f9a' }],
  exits: [0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 130],
  load: async () => (await import('./run.ts')).approve,
};

export const declineSpec: LeafSpec = {
  name: 'decline',
  group: 'Money',
  does: 'decides',
  about: 'Decline payments that wait for approval; nothing is sent',
  arguments: [
    {
      usage: '<ids...>',
      about: 'payments waiting for approval: the ID, its first characters, or a name',
      completes: 'proposals',
    },
  ],
  options: [
    { flags: '--reason <text>', about: 'what is wrong; the same command will say so' },
    {
      flags: '--overrule',
      about:
        'decline what was approved but not sent yet; asks first, or needs --yes, and keeps both decisions',
      rare: true,
    },
    { flags: '-y, --yes', about: 'do not ask for confirmation; needs whole IDs' },
  ],
  examples: [
    { about: 'Decline a wrong amount', line: 'botctl decline 3f9a --reason "the invoice says 120"' },
  ],
  exits: [0, 1, 2, 8, 10, 11, 130],
  load: async () => (await import('./run.ts')).decline,
};
