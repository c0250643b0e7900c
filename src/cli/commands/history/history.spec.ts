import { states } from '../../../once/journal/columns.ts';
import { options } from '../../parse/args.ts';
import { type ArgsOf, command } from '../../parse/command.ts';
import { momentRule } from '../../wording/history.ts';

export const historySpec = command({
  group: 'Every day',
  does: 'looks',
  about: 'List messages and payments, or show one in full',
  arguments: ['[ids...]  entries: the ID, its first characters (4 or more), or a name'],
  options: options([
    [`-s, --state <state>  only entries in this state: ${states.join(', ')}`, { completes: states }],
    ['--kind <kind>  only this kind: message or transfer', { completes: ['message', 'transfer'] }],
    ['--batch <name>  only the rows of this batch', { completes: 'batches' }],
    '-t, --to <address>  only payments to this address (or its start), or to @NAME',
    '--asset <asset>  only payments of this asset',
    `--since <when>  only entries begun since then: ${momentRule}`,
    '--until <when>  only entries begun by then; a day counts to its end',
    '-n, --limit <n>  show this many at most, or all (default 20; --json: all)',
    '--total  only the totals, by asset and state',
    ['--format <format>  export for the books, oldest first: csv or jsonl', { completes: ['csv', 'jsonl'] }],
  ]),
  examples: {
    'See every request and decision of one entry, and what to do': 'botctl history 3f9a',
    'See what a payroll paid to one address': 'botctl history --total --batch payroll-2026-11 --to 9WzD',
    'Export a month; exit 11 if something is not settled yet':
      'botctl history --kind transfer --since 2026-11-01 --until 2026-11-30 --format csv > november.csv',
  },
});

export type HistoryArgs = ArgsOf<typeof historySpec>;
