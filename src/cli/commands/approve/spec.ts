import { type ArgsOf, command, options } from '../../parse/command.ts';

export const approveSpec = command({
  group: 'Money',
  does: 'sends',
  about: 'Approve payments that wait for it, and send them',
  details:
    'Anyone who can use the journal may approve; with "approvals": "other" in the policy, anyone but the person who asked for it.',
  arguments: ['<ids...>  payments waiting for approval: the ID, its first characters, or a name'],
  options: options(['-y, --yes  do not ask for confirmation; needs whole IDs']),
  examples: { 'See one payment in full, and approve it': 'botctl approve 3f9a' },
  exits: [0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 130],
});

export const declineSpec = command({
  group: 'Money',
  does: 'decides',
  about: 'Decline payments that wait for approval; nothing is sent',
  arguments: ['<ids...>  payments waiting for approval: the ID, its first characters, or a name'],
  options: options([
    '--reason <text>  what is wrong; the same command will say so',
    '-y, --yes  do not ask for confirmation; needs whole IDs',
  ]),
  examples: { 'Decline a wrong amount': 'botctl decline 3f9a --reason "the invoice says 120"' },
  exits: [0, 1, 2, 8, 10, 11, 130],
});

export type ApproveArgs = ArgsOf<typeof approveSpec>;
export type DeclineArgs = ArgsOf<typeof declineSpec>;
