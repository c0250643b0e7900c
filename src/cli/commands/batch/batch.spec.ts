import { type Args, options } from '../../parse/args.ts';
import { type ArgsOf, command } from '../../parse/command.ts';

const once = 'Sent once';

const rows = {
  does: 'sends',
  arguments: [['<file>  CSV with a header line, or JSON Lines; - reads stdin', { readsStdin: true }]],
} as const;

const rowOptions = [
  ...options(
    [['-o, --once <name>  name the batch (required); each row happens once', { completes: 'batches' }]],
    once,
  ),
  ...options([
    '--dry-run  show what would happen; send nothing',
    ['--column <field=name>  the file’s name for a field: id="Invoice ID"', { repeatable: true }],
    '--skip-invalid  send the valid rows even if others are invalid',
    '-y, --yes  do not ask for confirmation',
    '--report <file>  write the result of each row to a .csv or .jsonl file',
    '--concurrency <n>  how many rows to send at a time (default 8)',
    '--rate <n/s>  at most this many requests: 20/s, 300/m or 5000/h',
    '--max-failures <n>  start no more rows after this many failures',
  ]),
];

const send = command({
  ...rows,
  about: 'Send a message for each row',
  details:
    'Columns: conversation_id, content; optional: id, reply_to_message_id, and buttons or components as JSON. Other columns stay with the row and are not sent.',
  options: [
    ...rowOptions,
    ...options([
      ['--template <file>  make each text from this file; {{column}} is a cell', { readsStdin: true }],
    ]),
  ],
  examples: {
    'Try it without an account': 'botctl --sandbox batch send hello.csv --once hello',
    'Send at most 20 messages a second, and write a report':
      'botctl batch send news.csv --once news-2026-11 --rate 20/s --report report.csv',
    'Look first: which rows are new, done or wrong':
      'botctl batch send news.jsonl --once news-2026-11 --dry-run',
  },
});

const transfer = command({
  ...rows,
  about: 'Make a payment for each row',
  details:
    'Columns: id, to_address, asset, amount; optional: memo. Other columns stay with the row and are not sent.',
  options: [
    ...rowOptions,
    ...options([
      '--asset <asset>  the asset of every row, instead of a column',
      '--amount <amount>  the amount of every row, instead of a column',
      '--decimal-comma  amounts are written like 1,5 or 1.234,50',
    ]),
    ...options(
      [
        '--skip-repeats  skip rows paid by another entry in the last 12 hours',
        '--repeat  pay those rows too',
      ],
      once,
    ),
    ...options([
      '--propose  send nothing until a person approves it',
      [
        '--wait [until]  wait until finalized (or confirmed) on the chain, at most 2m or --max-wait',
        { completes: ['finalized', 'confirmed'] },
      ],
      '--allow-off-curve  pay addresses off the curve, such as multisig vaults',
    ]),
  ],
  examples: {
    'Try it without money': 'botctl --sandbox batch transfer pay.csv --once pay-try',
    'Run it again while it exits 11; no row is paid twice':
      'botctl batch transfer pay.csv --once pay-2026-11 --report report.csv',
    'Read the rows from another program, and stop at the first failure':
      'make-airdrop | botctl batch transfer - --once airdrop-7 --max-failures 1',
  },
});

const status = command({
  does: 'looks',
  about: 'Show how far a batch is, even while it runs elsewhere',
  details:
    'It reads only the journal. Exit 0: all rows are done. 11: some are unknown or not finished. 10: some wait for you. 2: the rest was refused. Without a name: always 0.',
  arguments: [
    ['[name]  the batch’s name, from --once; without it, all are listed', { completes: 'batches' }],
  ],
  examples: { 'How far is it?': 'botctl batch status payroll-2026-11' },
});

export const batchSpec = {
  group: 'Every day',
  about: 'Send messages or payments from a file, each row once',
  children: { send, transfer, status },
} as const;

export type BatchArgs = Args<(typeof rowOptions)[number]['name']>;

export type BatchSendArgs = ArgsOf<typeof send>;

export type BatchTransferArgs = ArgsOf<typeof transfer>;

export type StatusArgs = ArgsOf<typeof status>;
