import { options } from '../parse/args.ts';
import { type ArgsOf, command } from '../parse/command.ts';

export const approveSpec = command({
  group: 'Money',
  does: 'decides',
  about: 'Approve waiting payments; nothing is sent yet',
  details:
    'It needs only the journal. To send the payment, run its command again, or resume; the limits of that moment apply. If the policy has "approvals": "other", a database role other than the one that asked must approve.',
  arguments: ['[ids...]  payments waiting for approval: the ID, its first characters, or a name'],
  options: options([
    ['--batch <name>  all rows of this batch that wait, shown as one table', { completes: 'batches' }],
    '-y, --yes  do not ask for confirmation; needs whole IDs',
  ]),
  examples: {
    'See one payment in full, and approve it': 'botctl approve 3f9a',
    'Approve all rows of a payroll that wait': 'botctl approve --batch payroll-2026-11',
  },
});

export const declineSpec = command({
  group: 'Money',
  does: 'decides',
  about: 'Decline waiting payments; nothing is sent',
  details: 'An approved payment can be declined until it is sent.',
  arguments: ['[ids...]  payments waiting for approval: the ID, its first characters, or a name'],
  options: options([
    ['--batch <name>  all rows of this batch that wait, shown as one table', { completes: 'batches' }],
    '--reason <text>  what is wrong; the same command will say so',
    '-y, --yes  do not ask for confirmation; needs whole IDs',
  ]),
  examples: { 'Decline a wrong amount': 'botctl decline 3f9a --reason "the invoice says 120"' },
});

export type ApproveArgs = ArgsOf<typeof approveSpec>;

export type DeclineArgs = ArgsOf<typeof declineSpec>;
