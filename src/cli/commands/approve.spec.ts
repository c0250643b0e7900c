import { options } from '../parse/args.ts';
import { type ArgsOf, command } from '../parse/command.ts';

export const approveSpec = command({
  group: 'Money',
  does: 'decides',
  about: 'Approve payments that wait for it; nothing is sent yet',
  details:
    'It needs only the journal. The same command, run again, or resume, then sends the payment within the limits of that moment. With "approvals": "other" in the policy, another database role than the one that asked for it must approve.',
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
  about: 'Decline payments that wait for approval; nothing is sent',
  details: 'A payment that was approved can be declined as long as it was not sent.',
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
