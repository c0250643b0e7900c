import type { ArgumentSpec, BranchSpec, LeafSpec, OptionSpec } from '../cli/spec.ts';
import type { Exit } from '../errors.ts';

const once = 'Doing it once';
const running = 'Running';
const checking = 'Checking';

const input: readonly ArgumentSpec[] = [
  { usage: '<file>', about: 'CSV under a header, or JSON Lines; - for stdin' },
];

const options: readonly OptionSpec[] = [
  {
    flags: '--once <name>',
    about: 'the batch’s name (needed): each row of it happens once, however often this runs',
    group: once,
  },
  {
    flags: '--dry-run',
    about: 'check every row, show what would be done, and send nothing',
    group: checking,
  },
  { flags: '--skip-invalid', about: 'send the valid rows although others are not', group: checking },
  { flags: '-y, --yes', about: 'ask nothing', group: checking },
  {
    flags: '--report <file>',
    about: 'how each row stands, in input order; .csv or .jsonl by its name',
    group: checking,
  },
  { flags: '--concurrency <n>', about: 'rows at a time (default 8)', group: running },
  { flags: '--rate <n/s>', about: 'requests at most: 20/s, 300/m or 5000/h', group: running },
  { flags: '--max-failures <n>', about: 'begin no new rows once so many are not done', group: running },
];

const exits: readonly Exit[] = [0, 1, 2, 3, 11, 130];

const send: LeafSpec = {
  name: 'send',
  about: 'Post a message for each row',
  details:
    'Columns: id (optional), conversation_id, content, reply_to_message_id, and buttons or components as JSON.',
  arguments: input,
  options,
  examples: [
    {
      about: 'Try it without an account',
      line: 'botctl --sandbox batch send hello.csv --once hello',
    },
    {
      about: 'An announcement, no faster than 20 messages a second, with a report',
      line: 'botctl batch send announcement.csv --once announcement-2026-11 --rate 20/s --report announcement-report.csv',
    },
    {
      about: 'Look first: what is new, what is done, what is wrong',
      line: 'botctl batch send announcement.jsonl --once announcement-2026-11 --dry-run',
    },
  ],
  exits,
  load: async () => (await import('./batch.ts')).sendBatch,
};

const transfer: LeafSpec = {
  name: 'transfer',
  about: 'Make a transfer for each row',
  details: 'Columns: id, to_address, asset, amount, and memo (optional).',
  arguments: input,
  options: [
    ...options,
    { flags: '--allow-off-curve', about: 'the addresses may be multisig vaults’', group: checking },
  ],
  examples: [
    {
      about: 'Try it without money',
      line: 'botctl --sandbox batch transfer payroll.csv --once payroll-try',
    },
    {
      about: 'Payroll: run it again until it exits 0; nobody is paid twice',
      line: 'botctl batch transfer payroll.csv --once payroll-2026-11 --report payroll-2026-11-report.csv',
    },
    {
      about: 'An airdrop from another program, stopped by its first failure',
      line: 'make-airdrop | botctl batch transfer - --once airdrop-7 --max-failures 1 --json',
    },
  ],
  exits,
  load: async () => (await import('./batch.ts')).transferBatch,
};

export const batchSpec: BranchSpec = {
  name: 'batch',
  about: 'Thousands of messages or transfers from a file, each once',
  children: [send, transfer],
};
