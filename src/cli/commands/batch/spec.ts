import type { Exit } from '../../../once/failures.ts';
import type { ArgumentSpec, BranchSpec, LeafSpec, OptionSpec } from '../../parse/command.ts';
import { repeatWindowOption } from '../send/spec.ts';
import { waitOptionSpecs } from '../transfer/spec.ts';

const once = 'Sent once';

const input: readonly ArgumentSpec[] = [
  { usage: '<file>', readsStdin: true, about: 'CSV with a header line, or JSON Lines; - reads stdin' },
];

const options: readonly OptionSpec[] = [
  {
    flags: '-o, --once <name>',
    about: 'name the batch (required); each row happens once',
    completes: 'batches',
    group: once,
  },
  {
    flags: '--changed-file',
    about: 'take a corrected file under the same name (with a shared journal)',
    rare: true,
    group: once,
  },
  {
    flags: '--dry-run',
    about: 'show what would happen; without --once: check the file',
  },
  { flags: '--strict', about: 'refuse columns that botctl does not know', rare: true },
  { flags: '--skip-invalid', about: 'send the valid rows even if others are invalid' },
  { flags: '-y, --yes', about: 'do not ask for confirmation' },
  {
    flags: '--report <file>',
    about: 'write the result of each row to a .csv or .jsonl file',
  },
  {
    flags: '--concurrency <n>',
    about: 'how many rows to send at a time (default 8)',
    rare: true,
  },
  {
    flags: '--rate <n/s>',
    about: 'at most this many requests: 20/s, 300/m or 5000/h',
  },
  { flags: '--max-failures <n>', about: 'start no more rows after this many failures' },
];

const exits: readonly Exit[] = [0, 1, 2, 3, 6, 8, 10, 11, 130];

const send: LeafSpec = {
  name: 'send',
  does: 'sends',
  about: 'Send a message for each row',
  details:
    'Columns: conversation_id, content; optional: id, reply_to_message_id, and buttons or components as JSON. Other columns stay with the row and are not sent.',
  arguments: input,
  options: [
    ...options,
    {
      flags: '--template <file>',
      readsStdin: true,
      about: 'make each text from this file; {{column}} stands for a cell',
    },
  ],
  examples: [
    {
      about: 'Try it without an account',
      line: 'botctl --sandbox batch send hello.csv --once hello',
    },
    {
      about: 'Send at most 20 messages a second, and write a report',
      line: 'botctl batch send news.csv --once news-2026-11 --rate 20/s --report report.csv',
    },
    {
      about: 'Look first: which rows are new, done or wrong',
      line: 'botctl batch send news.jsonl --once news-2026-11 --dry-run',
    },
  ],
  exits,
  load: async () => (await import('./run.ts')).sendBatch,
};

const transfer: LeafSpec = {
  name: 'transfer',
  does: 'sends',
  about: 'Make a payment for each row',
  details:
    'Columns: id, to_address, asset, amount; optional: memo. Other columns stay with the row and are not sent.',
  arguments: input,
  options: [
    ...options,
    { flags: '--asset <asset>', about: 'the asset of every row, in the place of a column', rare: true },
    { flags: '--amount <amount>', about: 'the amount of every row, in the place of a column', rare: true },
    { flags: '--decimal-comma', about: 'amounts are written like 1,5', rare: true },
    repeatWindowOption,
    {
      flags: '--skip-repeats',
      about: 'skip rows that were paid already, under another name or id',
      group: once,
    },
    { flags: '--repeat', about: 'pay those rows too', group: once },
    ...waitOptionSpecs.map(
      ({ flags, about, completes }): OptionSpec => ({
        flags,
        about,
        rare: true,
        ...(completes && { completes }),
      }),
    ),
    {
      flags: '--allow-off-curve',
      about: 'pay addresses off the curve, such as multisig vaults',
      rare: true,
    },
    {
      flags: '--allow-unusual',
      about: 'pay mints, programs or the bot’s own wallet',
      rare: true,
    },
  ],
  examples: [
    {
      about: 'Try it without money',
      line: 'botctl --sandbox batch transfer pay.csv --once pay-try',
    },
    {
      about: 'Run it again while it exits 11; no row is paid twice',
      line: 'botctl batch transfer pay.csv --once pay-2026-11 --report report.csv',
    },
    {
      about: 'Read the rows from another program, and stop at the first failure',
      line: 'make-airdrop | botctl batch transfer - --once airdrop-7 --max-failures 1',
    },
  ],
  exits,
  load: async () => (await import('./run.ts')).transferBatch,
};

const status: LeafSpec = {
  name: 'status',
  does: 'looks',
  about: 'Show how far a batch is, even while it runs elsewhere',
  details:
    'It reads only the journal. Exit 0: all rows are done. 11: some are unknown or not finished. 10: some wait for you. 2: the rest was refused. Without a name: always 0.',
  arguments: [
    {
      usage: '[name]',
      about: 'the batch’s name, from --once; without it, all are listed',
      completes: 'batches',
    },
  ],
  options: [{ flags: '--local', about: 'show local times instead of UTC' }],
  examples: [{ about: 'How far is it?', line: 'botctl batch status payroll-2026-11' }],
  exits: [0, 1, 2, 8, 10, 11],
  again: 'run it or the batch again',
  load: async () => (await import('./status.ts')).run,
};

export const batchSpec: BranchSpec = {
  name: 'batch',
  group: 'Every day',
  about: 'Send messages or payments from a file, each row once',
  children: [send, transfer, status],
};
