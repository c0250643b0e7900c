import type { Exit } from '../../../once/failures.ts';
import type { ArgumentSpec, BranchSpec, LeafSpec, OptionSpec } from '../../parse/command.ts';
import { repeatWindowOption } from '../send/spec.ts';
import { waitOptionSpecs } from '../transfer/spec.ts';

const once = 'Exactly once';
const running = 'Pace';
const checking = 'Checking';

const input: readonly ArgumentSpec[] = [
  { usage: '<file>', about: 'CSV with a header, or JSON Lines; - for stdin' },
];

const options: readonly OptionSpec[] = [
  {
    flags: '-o, --once <name>',
    about: 'name the batch (required): each of its rows happens once',
    completes: 'batches',
    group: once,
  },
  {
    flags: '--changed-file',
    about: 'with a shared journal: take a corrected file under the same name',
    group: once,
  },
  {
    flags: '--dry-run',
    about: 'check every row, show what would happen, send nothing',
    group: checking,
  },
  { flags: '--strict', about: 'refuse columns that botctl does not know', group: checking },
  { flags: '--skip-invalid', about: 'send the valid rows even when others are invalid', group: checking },
  { flags: '-y, --yes', about: 'do not ask for confirmation', group: checking },
  {
    flags: '--report <file>',
    about: 'write how each row ended to a .csv or .jsonl file',
    group: checking,
  },
  { flags: '--concurrency <n>', about: 'how many rows at a time (default 8)', group: running },
  {
    flags: '--rate <n/s>',
    about: 'at most so many requests of this runner: 20/s, 300/m, 5000/h',
    group: running,
  },
  { flags: '--max-failures <n>', about: 'start no new rows once this many are not done', group: running },
];

const sharing =
  'With a journal on PostgreSQL, the same command on several machines shares the rows, each once; a runner that dies is taken over. The file must be the same for all. Who is done early waits for the others, --max-wait at most, and exits 11.';

const exits: readonly Exit[] = [0, 1, 2, 3, 6, 10, 11, 130];

const send: LeafSpec = {
  name: 'send',
  does: 'sends',
  about: 'Send a message for each row',
  details: `Columns: id (optional), conversation_id, content, reply_to_message_id, and buttons or components as JSON. Others are kept with the row, not sent. ${sharing}`,
  arguments: input,
  options: [
    ...options,
    {
      flags: '--template <file>',
      about: 'make each row’s content from this text, with {{column}} for its cells',
      group: checking,
    },
  ],
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
  load: async () => (await import('./run.ts')).sendBatch,
};

const transfer: LeafSpec = {
  name: 'transfer',
  does: 'sends',
  about: 'Make a transfer for each row',
  details: `Columns: id, to_address, asset, amount, and memo (optional). Others are kept with the row, not sent. ${sharing}`,
  arguments: input,
  options: [
    ...options,
    repeatWindowOption,
    { flags: '--skip-repeats', about: 'leave out rows that were paid under another name', group: once },
    { flags: '--repeat', about: 'pay them again', group: once },
    ...waitOptionSpecs.map((spec) => ({ ...spec, group: running })),
    {
      flags: '--allow-off-curve',
      about: 'allow addresses off the curve, such as multisig vaults',
      group: checking,
    },
    {
      flags: '--allow-unusual',
      about: 'allow mints, programs, and the bot’s own wallet',
      group: checking,
    },
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
  load: async () => (await import('./run.ts')).transferBatch,
};

const check: LeafSpec = {
  name: 'check',
  does: 'looks',
  about: 'Check the rows of a file, and say in a copy what is wrong with each',
  details:
    'It needs no token and no journal, and sends nothing. FILE.checked.csv is FILE with one more column: problem. Whether rows are new or were done before is shown by --dry-run of batch send or batch transfer.',
  arguments: [{ usage: '<file>', about: 'CSV with a header, or JSON Lines' }],
  options: [
    { flags: '--strict', about: 'refuse columns that botctl does not know' },
    { flags: '--template <file>', about: 'the text of the messages, with {{column}} for its cells' },
    { flags: '--allow-off-curve', about: 'allow addresses off the curve, such as multisig vaults' },
    { flags: '--allow-unusual', about: 'allow mints, programs, and the bot’s own wallet' },
  ],
  examples: [
    { about: 'What is wrong, beside each row', line: 'botctl batch check payroll.csv' },
    { about: 'By the rules of one profile', line: 'botctl batch check payroll.csv --profile payer' },
    { about: 'No column that botctl does not know', line: 'botctl batch check payroll.csv --strict' },
  ],
  exits: [0, 1, 2, 130],
  load: async () => (await import('./check.ts')).run,
};

const status: LeafSpec = {
  name: 'status',
  does: 'looks',
  about: 'Show how the rows of a batch stand, also while it runs elsewhere',
  details:
    'It asks the journal alone, and sends and changes nothing. Exit 0: all rows are done; 11: some are unknown, open, being sent or not begun; 10: a person must decide about some; 2: the rest was refused.',
  arguments: [{ usage: '<name>', about: 'the batch’s name, as --once gave it', completes: 'batches' }],
  options: [{ flags: '--local', about: 'times of this machine’s time zone instead of UTC' }],
  examples: [
    { about: 'How far is it?', line: 'botctl batch status payroll-2026-11' },
    { about: 'As a number', line: 'botctl batch status payroll-2026-11 --quiet' },
    {
      about: 'Its rows that a person must decide about',
      line: 'botctl history --batch payroll-2026-11 --state held',
    },
  ],
  exits: [0, 1, 2, 10, 11],
  load: async () => (await import('./status.ts')).run,
};

const list: LeafSpec = {
  name: 'list',
  does: 'looks',
  about: 'List the batches of the journal and how far they are',
  options: [{ flags: '--local', about: 'times of this machine’s time zone instead of UTC' }],
  examples: [
    { about: 'The latest first', line: 'botctl batch list' },
    { about: 'For a program', line: 'botctl batch list --json' },
    { about: 'Their names alone', line: 'botctl batch list --quiet' },
  ],
  exits: [0, 1, 2],
  load: async () => (await import('./status.ts')).list,
};

export const batchSpec: BranchSpec = {
  name: 'batch',
  about: 'Send thousands of messages or transfers from a file, each once',
  children: [send, transfer, check, status, list],
};
