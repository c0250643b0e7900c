import { states } from '../../once/journal/columns.ts';
import { momentRule } from '../say/history.ts';
import { type Args, options } from './args.ts';
import { type ArgsOf, command } from './command.ts';

/** Options of every command that sends one thing. */
const onceOptions = options(
  [
    '-o, --once <name>  name it; it happens once under that name',
    '--idempotency-key <key>  use this key, which another system has chosen',
    '--dry-run  show the request and whether it was sent before; send nothing',
    '-y, --yes  do not ask for confirmation',
  ],
  'Sent once',
);

export const sendSpec = command({
  group: 'Every day',
  does: 'sends',
  about: 'Send a message, with or without buttons, to a conversation',
  options: [
    ...options(
      [
        '-c, --conversation <id>  the conversation’s ID, from an inbound event',
        ['-m, --content <text>  the text, 1 to 5000 characters', { readsStdin: true }],
        ['--content-file <file>  read the text from a file; - reads stdin', { readsStdin: true }],
        '--reply-to <id>  the ID of the message to reply to',
        [
          '--button <label=…,id=…[,style=…]>  add a button (repeatable); style: success or danger',
          { repeatable: true },
        ],
        ['--components <file>  read the buttons from a JSON file instead', { readsStdin: true }],
        ['--payload <file>  read the whole request as JSON; options override it', { readsStdin: true }],
      ],
      'Message',
    ),
    ...onceOptions,
  ],
  examples: {
    'Try it without an account': 'botctl --sandbox send --conversation conv_demo --content "Hello"',
    'Ask a question once, however often this command runs':
      'botctl send --once vote-42 --conversation conv_7 --content "Ship it?" \\\n      --button label=Yes,id=vote_yes,style=success --button label=No,id=vote_no,style=danger',
    'Send the output of another program': 'uptime | botctl send --conversation conv_7 --content-file -',
  },
});

export type SendArgs = ArgsOf<typeof sendSpec>;

export const transferSpec = command({
  group: 'Every day',
  does: 'sends',
  about: 'Pay SOL or a token from the bot’s wallet',
  options: [
    ...options(
      [
        '-t, --to <address>  the recipient’s address, or @NAME from the policy',
        '--asset <asset>  SOL, or the name of a token',
        '--amount <amount>  how much, such as 5 or 1.5',
        '--memo <text>  a note that goes with the payment',
        ['--payload <file>  read the whole request as JSON; options override it', { readsStdin: true }],
        '--allow-off-curve  pay an address off the curve, such as a multisig vault',
        '--propose  send nothing until a person approves it',
        '--repeat  pay although the same was paid in the last 12 hours; needs a name',
        [
          '--wait [until]  wait until finalized (or confirmed) on the chain',
          { completes: ['finalized', 'confirmed'] },
        ],
      ],
      'Transfer',
    ),
    ...onceOptions,
  ],
  examples: {
    'Try it without money':
      'botctl --sandbox transfer --to 9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM --asset SOL --amount 1.5',
    'Pay once, however often the script runs':
      'botctl transfer --once payout-2026-11-ada --to "$ADA" --asset USDC --amount 250 --yes',
    'Read the request from a JSON file, and print only the signature':
      'botctl transfer --payload payout.json --yes --quiet',
  },
});

export type TransferArgs = ArgsOf<typeof transferSpec>;

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
    ['--column <field=name>  what the file calls a column: id="Invoice ID"', { repeatable: true }],
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
      [
        '--template <file>  make each text from this file; {{column}} stands for a cell',
        { readsStdin: true },
      ],
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
      '--asset <asset>  the asset of every row, in the place of a column',
      '--amount <amount>  the amount of every row, in the place of a column',
      '--decimal-comma  amounts are written like 1,5 or 1.234,50',
    ]),
    ...options(
      [
        '--skip-repeats  leave out rows that another entry has paid in the last 12 hours',
        '--repeat  pay those rows too',
      ],
      once,
    ),
    ...options([
      '--propose  send nothing until a person approves it',
      [
        '--wait [until]  wait until finalized (or confirmed) on the chain: 2m, or what --max-wait says',
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

/** Of both kinds of rows. */
export type BatchArgs = Args<(typeof rowOptions)[number]['name']>;
export type BatchSendArgs = ArgsOf<typeof send>;
export type BatchTransferArgs = ArgsOf<typeof transfer>;
export type StatusArgs = ArgsOf<typeof status>;

export const historySpec = command({
  group: 'Every day',
  does: 'looks',
  about: 'List messages and payments, or show one in full',
  arguments: ['[ids...]  entries: the ID, its first characters (at least 4), or a name'],
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

export const resumeSpec = command({
  group: 'Every day',
  does: 'sends',
  about: 'Send what is unknown again, unchanged, and what was approved',
  details:
    'The service does not repeat a request that it remembers. It may have forgotten a held one: check the wallet or the conversation first.',
  arguments: ['[ids...]  entries: the ID, its first characters, or a name'],
  options: options([
    '--all  everything that is unknown, also after a kill, and what was approved and not sent',
    '--held  with --all: held entries too, except those that wait for approval; asks, or needs --yes',
    '-y, --yes  do not ask for confirmation; needs whole IDs',
  ]),
  examples: { 'Finish what is unknown after a crash': 'botctl resume --all' },
});

export type ResumeArgs = ArgsOf<typeof resumeSpec>;

export const resolveSpec = command({
  group: 'Every day',
  does: 'decides',
  about: 'Record what you found: it happened, or it did not',
  arguments: ['<ids...>  entries: the ID, its first characters, or a name'],
  options: options([
    '--happened  it happened; the same command then sends nothing, if it has a name',
    '--signature <signature>  with --happened: the signature you found; botctl checks it on the chain if rpc-url is set',
    '--did-not-happen  it did not happen; the same command then sends it again',
    '--reason <text>  what you saw and where; kept with your name and the time',
    '-y, --yes  do not ask for confirmation; needs whole IDs',
  ]),
  examples: {
    'You see the payment in the wallet':
      'botctl resolve 3f9a --happened --signature 5VERv8… --reason "seen in the explorer"',
    'You see no message in the conversation':
      'botctl resolve 3f9a --did-not-happen --reason "not in the conversation"',
    'List what waits for your decision': 'botctl history --state held',
  },
});

export type ResolveArgs = ArgsOf<typeof resolveSpec>;

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

export const verifySpec = command({
  group: 'Money',
  does: 'decides',
  about: 'Check on the chain what was paid, and to whom',
  details:
    'It asks the Solana node in the bot’s profile (rpc-url), or in the profile that --profile names. A payment that the node does not show stays undecided: its absence proves nothing.',
  arguments: ['[ids...]  payments: the ID, its first characters, or a name'],
  options: options([
    '--all  every payment without a final answer',
    '--since <when>  with --all: only payments begun since then, as in history',
  ]),
  examples: {
    'Check one payment': 'botctl verify 3f9a',
    'Check every night': 'botctl verify --all --since 48h',
  },
});

export type VerifyArgs = ArgsOf<typeof verifySpec>;

export const balanceSpec = command({
  group: 'Money',
  does: 'looks',
  about: 'Show what is in the bot’s wallet',
  details:
    'It asks a Solana node for SOL and for the tokens in the profile’s assets. The profile needs rpc-url and wallet (without one: BOTCTL_RPC_URL and BOTCTL_WALLET), and no token. The node must answer within 1 s, or --timeout.',
  examples: { 'Show the wallet of the profile in use': 'botctl balance' },
});
