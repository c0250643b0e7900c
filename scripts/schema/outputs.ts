import * as z from 'zod';
import { type RowState, rowStates } from '../../src/batch/rowState.ts';
import { states } from '../../src/once/journal/columns.ts';
import {
  attempt,
  decision,
  equalPayment,
  head,
  oneOf,
  outcomeFields,
  problem,
  profile,
  request,
  rerun,
  text,
  time,
  warnings,
} from './parts.ts';

/** One kind of object that `--json` prints, and which commands print it. */
export type Output = {
  readonly name: string;
  readonly commands: readonly string[];
  readonly about: string;
  readonly schema: z.ZodObject;
};

const outcome = z
  .strictObject({
    ...head,
    ...outcomeFields,
    decisions: z.array(decision).optional().describe('who proposed, approved and declined it'),
  })
  .meta({ id: 'Outcome', title: 'How it stands with one entry' });

const history = z
  .strictObject({
    ...head,
    ...outcomeFields,
    attempts: z.array(attempt).describe('oldest first'),
    decisions: z.array(decision).describe('oldest first'),
    explained: z
      .strictObject({
        message: text,
        hint: text.optional(),
        next: z.array(text).optional().describe('commands, each to be pasted into a shell'),
      })
      .optional()
      .describe('why it is not done, and what to do'),
  })
  .meta({ id: 'History', title: 'Everything about one entry' });

const walletBalance = z
  .strictObject({
    asset: text,
    mint: text.optional().describe('of a token'),
    amount: text.optional(),
    unknown: text.optional().describe('why there is no amount'),
    too_little: z.literal(true).optional().describe('for what is about to be paid'),
  })
  .meta({ id: 'WalletBalance', title: 'What the wallet holds of an asset' });

const balances = z.array(walletBalance).describe('what the bot’s wallet holds, as the profile’s node says');

const dryRun = z
  .strictObject({
    ...head,
    outcome: z.literal('dry-run'),
    rerun: rerun.describe('what running it would mean'),
    found: text.optional().describe('the entry that it would meet'),
    policy: z
      .strictObject({ word: oneOf(['allowed', 'needs-approval', 'refused']), says: text })
      .optional()
      .describe('what the policies would say'),
    entry: z.strictObject({
      kind: oneOf(['message', 'transfer']),
      key: text.optional().describe('absent if it is random: then it is chosen when the entry is sent'),
      name: text.optional(),
      bot: text,
      base_url: text,
      request,
    }),
    http: z.strictObject({ method: z.literal('POST'), url: text, body: text }),
    balances: balances.optional(),
    equal_payment: equalPayment.optional(),
    warnings,
  })
  .meta({ id: 'DryRun', title: 'A dry run' });

const failure = z
  .strictObject({
    schema: head.schema,
    command: head.command.optional(),
    equal_payment: equalPayment.optional(),
    error: problem,
  })
  .meta({ id: 'Failure', title: 'A failure that concerns no entry' });

const shownProfile = z
  .strictObject({
    ...head,
    profile,
    journal: text.optional().describe('of `config show`: what `config journal` names'),
    path: text.optional().describe('the file that has it, of `config show`'),
  })
  .meta({ id: 'ShownProfile', title: 'A profile, shown or changed' });

const journalOfMachine = z
  .strictObject({
    ...head,
    journal: text.describe('its path, or its URL without the password'),
    set: z.boolean().describe('false if it is this user’s default'),
  })
  .meta({ id: 'JournalOfMachine', title: 'The journal of commands that name no other' });

const removedProfile = z
  .strictObject({ ...head, removed: profile })
  .meta({ id: 'RemovedProfile', title: 'A profile that was removed' });

const sharedJournal = text.describe('its URL without the password');

const lossAccepted = z.boolean().describe('false if nothing is missing');

const acceptedLoss = z
  .strictObject({
    ...head,
    journal: text.describe('the journal’s file, or the URL of a shared one without the password'),
    accepted: lossAccepted,
    missing: z
      .array(z.strictObject({ entry: text, attempt: z.int().optional(), decision: time.optional() }))
      .describe('of what the journal acknowledged to this machine'),
    kept_log: text.optional().describe('the log of a journal that is gone'),
  })
  .meta({ id: 'AcceptedLoss', title: 'A loss that was accepted' });

const backup = z
  .strictObject({
    ...head,
    journal: text.describe('the journal’s file'),
    backup: text.describe('the new file'),
    entries: z.int().describe('how many are in it'),
    attempts: z.int(),
  })
  .meta({ id: 'Backup', title: 'A backup of a journal' });

const closedJournal = z
  .strictObject({
    ...head,
    journal: text.describe('the journal’s file, or the URL of a shared one without the password'),
    closed: z.boolean().describe('whether it is closed for sending now'),
    reason: text.optional().describe('as --reason gave it'),
  })
  .meta({ id: 'ClosedJournal', title: 'A journal that was closed for sending, or opened' });

const migratedJournal = z
  .strictObject({
    ...head,
    journal: sharedJournal,
    made: z.boolean(),
    imported: z.strictObject({ from: text.describe('the file'), entries: z.int() }).optional(),
    grants: text.describe('the SQL that gives the role botctl_runner what it needs'),
  })
  .meta({ id: 'MigratedJournal', title: 'A shared journal, made or found' });

const whichRow = {
  line: z.int().describe('where the row begins in the input'),
  id: text.optional().describe('the row’s own id'),
};

const rowReason = z
  .strictObject({ ...whichRow, reason: text })
  .meta({ id: 'RowReason', title: 'What is wrong with a row' });

const batchRow = z
  .strictObject({ ...head, ...outcomeFields, ...whichRow, equal_payment: equalPayment.optional() })
  .meta({ id: 'BatchRow', title: 'How it stands with one row' });

const batchRowFailure = z
  .strictObject({ ...head, ...whichRow, equal_payment: equalPayment.optional(), error: problem })
  .meta({ id: 'BatchRowFailure', title: 'A row that has no entry now' });

const batchRowRepeated = z
  .strictObject({ ...head, ...whichRow, outcome: z.literal('paid-already'), equal_payment: equalPayment })
  .meta({ id: 'BatchRowRepeated', title: 'A row that was paid already' });

const count = z.int();

const aboutRows: Record<RowState, string> = {
  done: 'accepted, or resolved as happened',
  unknown: 'they may have happened',
  sending: 'by a process that lives',
  waiting: 'they wait, or would wait, for approval',
  approved: 'approved, not sent',
  held: 'you must decide',
  taken: 'another request or bot has their ids',
  rejected: 'by the service',
  declined: 'by a person',
  'not-sent': 'never begun, or nothing of them happened',
  'paid-already': 'other entries paid them, or may have paid them',
  invalid: 'fix them in the file',
  unread: 'the journal could not be asked about them',
};

export const rowCounts = z
  .strictObject(
    Object.fromEntries(
      rowStates.map((state) => [state.replaceAll('-', '_'), count.optional().describe(aboutRows[state])]),
    ),
  )
  .meta({ id: 'RowCounts', title: 'How many rows stand how; what is none is absent' });

export const batchFields = {
  ...head,
  name: text.describe('the batch’s name (`--once`)'),
  bot: text,
  base_url: text,
  rows: z
    .strictObject({
      all: count,
      to_send: count.optional().describe('new, or in doubt and sent again: counted here alone'),
      ...rowCounts.shape,
    })
    .describe('how the rows stood before anything was sent'),
  totals: z
    .array(z.strictObject({ asset: text, all: text, left: text.describe('of rows to send, or being sent') }))
    .optional()
    .describe('of transfers'),
  recipients: count.optional().describe('of transfers'),
  recipients_paid_more_than_once: count.optional(),
  columns: z
    .array(text)
    .optional()
    .describe('the first 20 columns that botctl does not know: kept with each row, not sent'),
  earlier: z
    .strictObject({ batch: text, rows: count, at: time })
    .optional()
    .describe('of the other batches of the last 45 days, the one that paid the most of these rows'),
  equal_payments: z
    .strictObject({
      rows: count.describe('each has a line of its own'),
      in_doubt: count.optional().describe('those that perhaps were not paid'),
    })
    .optional(),
};

const batchDryRun = z
  .strictObject({
    ...batchFields,
    balances: balances.optional(),
    outcome: z.literal('dry-run'),
    error: problem.optional(),
  })
  .meta({ id: 'BatchDryRun', title: 'What a batch would do' });

const batchRefused = z
  .strictObject({
    ...batchFields,
    invalid: z.array(rowReason).optional().describe('the first of them; `--report` has all'),
    refused: z.array(rowReason).optional().describe('the first of those that a policy refuses'),
    error: problem,
  })
  .meta({ id: 'BatchRefused', title: 'A batch of which nothing is sent, because of some of its rows' });

const paidAs = z
  .array(z.strictObject({ name: text.describe('its name or, without a name, its ID'), rows: count }))
  .optional()
  .describe('rows that count as done because other payments made them: by the names of those');

const batchEnd = z
  .strictObject({
    ...batchFields,
    result: z
      .strictObject({
        ...rowCounts.shape,
        done_now: count.describe('by this run'),
        done_before: count,
        done_by_others: count
          .optional()
          .describe('since this run began, by other processes; always present if the journal is shared'),
      })
      .describe('how the rows stand at the end'),
    paid_now: z
      .array(z.strictObject({ asset: text, amount: text }))
      .optional()
      .describe('what this run paid'),
    paid_as: paidAs,
    stopped: oneOf([
      'token',
      'balance',
      'certificate',
      'failures-in-a-row',
      'max-failures',
      'interrupted',
      'failure',
    ])
      .optional()
      .describe('why no new rows were begun'),
    report: text.optional().describe('the file that `--report` wrote'),
    error: problem.optional(),
  })
  .meta({ id: 'BatchEnd', title: 'How a batch ended: its last line' });

const historyTotal = z
  .strictObject({
    ...head,
    since: time.optional().describe('as `--since` says, or when the oldest of them was begun'),
    until: time.optional(),
    totals: z.array(
      z.strictObject({
        state: oneOf(states),
        resolved_as: oneOf(['happened', 'did-not-happen']).optional(),
        approved: z.literal(true).optional().describe('approved, not sent'),
        kind: oneOf(['message', 'transfer']),
        asset: text.optional().describe('of transfers'),
        amount: text.optional().describe('of transfers: their sum'),
        entries: count,
      }),
    ),
  })
  .meta({ id: 'HistoryTotal', title: 'Sums of what was sent' });

const batchStatus = z
  .strictObject({
    ...head,
    name: text,
    kind: oneOf(['message', 'transfer']),
    base_url: text,
    bots: z.array(text),
    rows: count.describe(
      'of its file as its latest run read it; if the journal did not see it begin, those begun',
    ),
    begun: count,
    standings: rowCounts,
    totals: z
      .array(
        z.strictObject({
          asset: text,
          done: text,
          undecided: text.describe('sending, unknown or held'),
        }),
      )
      .optional()
      .describe('of transfers that are rows of its own'),
    paid_as: paidAs,
    begun_at: time,
    updated_at: time,
  })
  .meta({ id: 'BatchStatus', title: 'How a batch stands' });

const sandbox = z
  .strictObject({
    ...head,
    base_url: text,
    tokens: z.strictObject({ full: text, no_send: text, no_wallet: text }),
    conversations: z.array(text),
    wallet: z.strictObject({
      address: text,
      balances: z.array(z.strictObject({ asset: text, amount: text })),
    }),
    rpc_url: text.describe('its Solana node'),
    genesis_hash: text,
    assets: z.record(text, text).describe('each token’s mint'),
  })
  .meta({ id: 'Sandbox', title: 'The sandbox’s first line' });

const sandboxRequest = z
  .strictObject({
    at: time,
    operation: text.describe('`message`, `transfer`, or what else was asked for'),
    status: z.int().describe('0 if a fault left it without one'),
    key: text.optional(),
    effect: text.optional().describe('what came of it'),
    reason: text.optional().describe('the fault or the rule behind it'),
  })
  .meta({ id: 'SandboxRequest', title: 'A request to the sandbox, one line each' });

const verifiedAll = z
  .strictObject({
    ...head,
    verified: z.strictObject({
      proven: z.int(),
      likely: z.int(),
      contradicted: z.int(),
      undecided: z.int(),
      paid_again: count.optional().describe('made more than once, which nobody has noted'),
      not_looked_up: count
        .optional()
        .describe('no node could be asked for them, such as after a profile is gone'),
    }),
    error: problem.optional(),
  })
  .meta({ id: 'VerifiedAll', title: 'How many transfers the chain proved' });

const walletLook = z
  .strictObject({
    ...head,
    wallet: text,
    cluster: text.optional().describe('absent if the node does not say'),
    rpc: text.describe('the host of the node'),
    since: time,
    read: count.describe('how many of its transactions were read'),
    gap: text.optional().describe('why these are not all'),
    not_in_journal: z
      .array(
        z.strictObject({
          signature: text,
          slot: z.int(),
          at: time.optional(),
          paid: z.array(
            z.strictObject({
              mint: text.optional().describe('absent for SOL'),
              amount: text.describe('what the wallet lost'),
              to: z.array(text).describe('who gained'),
            }),
          ),
        }),
      )
      .describe('payments that left the wallet and that no entry has, the latest first'),
    without_signature: z.array(text).describe('the IDs of entries that may have made some of them'),
    error: problem.optional(),
  })
  .meta({ id: 'WalletLook', title: 'What left the wallet past the journal' });

const balance = z
  .strictObject({
    ...head,
    bot: text,
    cluster: text.optional().describe('absent if the node does not say'),
    wallet: text,
    rpc: text.describe('the host of the node'),
    balances,
    error: problem.optional(),
  })
  .meta({ id: 'Balance', title: 'What the wallet holds' });

const doctor = z
  .strictObject({
    ...head,
    in_order: z.boolean().describe('false if a check failed: then the exit code is 1'),
    checks: z.array(
      z.strictObject({
        check: text,
        level: oneOf(['ok', 'warn', 'fail']),
        says: text.describe('what was found'),
        todo: text.optional().describe('what to do if it is not ok'),
        next: z.array(text).optional().describe('commands that do it, each to be pasted into a shell'),
      }),
    ),
  })
  .meta({ id: 'Doctor', title: 'The doctor’s checks' });

const completion = z
  .strictObject({ ...head, shell: text, script: text })
  .meta({ id: 'Completion', title: 'A completion script' });

const option = z.strictObject({
  name: text.describe('long'),
  short: text.optional(),
  value: text.optional().describe('<…> is required, […] is not; absent: it takes none'),
  about: text,
  repeatable: z.literal(true).optional(),
  env: text.optional().describe('the variable that says the same'),
});

const help = z
  .strictObject({
    ...head,
    text: text.optional().describe('of a topic, and nothing else'),
    version: text.optional(),
    options: z.array(option).optional().describe('of every command'),
    commands: z
      .array(
        z.strictObject({
          name: text,
          about: text,
          arguments: z.array(z.strictObject({ usage: text, about: text })),
          options: z.array(option),
        }),
      )
      .optional(),
    exits: z
      .array(z.strictObject({ exit: z.int(), means: text, todo: text.describe('what to do') }))
      .optional(),
  })
  .meta({ id: 'Help', title: 'All that can be typed' });

const policies = z
  .strictObject({
    ...head,
    policies: z
      .array(
        z.strictObject({
          source: text.describe('where it is'),
          limits: z.array(
            z.strictObject({
              asset: text,
              transfer: text.optional().describe('at most at once'),
              day: text.optional().describe('at most in 24 hours'),
              approve_above: text.optional().describe('more waits for a person'),
            }),
          ),
          recipients: z.array(z.strictObject({ name: text, address: text })),
          only_recipients: z.boolean(),
          approvals: z
            .literal('other')
            .optional()
            .describe('the database role that proposed it may not approve it'),
        }),
      )
      .describe('what one of them refuses is refused'),
    left: z
      .array(
        z.strictObject({
          asset: text,
          limit: text.describe('the tightest of a day'),
          spent: text.describe('in these 24 hours, what is in doubt included'),
          remaining: text,
          source: text.describe('whose limit it is'),
        }),
      )
      .optional(),
  })
  .meta({ id: 'Policies', title: 'What a bot may spend' });

const profileCommands = ['add', 'list', 'show', 'use', 'set', 'unset'].map((word) => `config ${word}`);

const batches = ['batch send', 'batch transfer'];

export const outputs: readonly Output[] = [
  {
    name: 'Outcome',
    commands: ['send', 'transfer', 'history', 'resume', 'resolve', 'approve', 'decline', 'verify'],
    about: 'One entry: the request, its state and the service’s answer. A list is one such object per line.',
    schema: outcome,
  },
  {
    name: 'History',
    commands: ['history'],
    about: '`history ID`: an outcome with every attempt and decision.',
    schema: history,
  },
  {
    name: 'HistoryTotal',
    commands: ['history'],
    about: '`history --total`: sums per state and asset.',
    schema: historyTotal,
  },
  {
    name: 'DryRun',
    commands: ['send', 'transfer'],
    about: '`--dry-run`: nothing was journaled or sent.',
    schema: dryRun,
  },
  {
    name: 'Failure',
    commands: ['*'],
    about: 'A failure without an entry. `command` is absent if none was understood.',
    schema: failure,
  },
  {
    name: 'BatchRow',
    commands: batches,
    about:
      'One row each, as it ends; rows that were done before come first. With `--wait` perhaps once more, without `line`.',
    schema: batchRow,
  },
  {
    name: 'BatchRowFailure',
    commands: batches,
    about: 'A row that is not valid, or whose id was used for something else, or by another bot.',
    schema: batchRowFailure,
  },
  {
    name: 'BatchRowRepeated',
    commands: ['batch transfer'],
    about: 'A row that was paid already, and is not paid again by this run.',
    schema: batchRowRepeated,
  },
  {
    name: 'BatchDryRun',
    commands: batches,
    about: '`--dry-run`: every row was checked, and nothing was journaled or sent.',
    schema: batchDryRun,
  },
  {
    name: 'BatchRefused',
    commands: batches,
    about: 'Rows are not valid, or a policy refuses them: nothing was sent.',
    schema: batchRefused,
  },
  { name: 'BatchEnd', commands: batches, about: 'The last line.', schema: batchEnd },
  {
    name: 'JournalOfMachine',
    commands: ['config journal'],
    about: 'The journal of commands that name no other.',
    schema: journalOfMachine,
  },
  {
    name: 'BatchStatus',
    commands: ['batch status'],
    about: 'One line for each service and kind that has a batch of this name.',
    schema: batchStatus,
  },
  {
    name: 'ShownProfile',
    commands: profileCommands,
    about: 'A profile; never its token. `config list` prints one a line.',
    schema: shownProfile,
  },
  {
    name: 'RemovedProfile',
    commands: ['config remove'],
    about: 'The profile as it was.',
    schema: removedProfile,
  },
  {
    name: 'Policies',
    commands: ['policy show', 'policy check'],
    about: 'The policies that apply to a bot, and what is left; or what one file says.',
    schema: policies,
  },
  {
    name: 'AcceptedLoss',
    commands: ['journal accept-loss'],
    about: 'What is known to be missing, once a person has accepted it.',
    schema: acceptedLoss,
  },
  {
    name: 'ClosedJournal',
    commands: ['journal close', 'journal open'],
    about: 'Whether the journal is closed for sending.',
    schema: closedJournal,
  },
  { name: 'Backup', commands: ['journal backup'], about: 'What the copy holds.', schema: backup },
  {
    name: 'MigratedJournal',
    commands: ['journal migrate'],
    about: 'Where `made` is false, there was one already, and nothing was changed.',
    schema: migratedJournal,
  },
  {
    name: 'VerifiedAll',
    commands: ['verify'],
    about: '`verify --all`: the last line.',
    schema: verifiedAll,
  },
  { name: 'WalletLook', commands: ['verify'], about: '`verify --wallet`.', schema: walletLook },
  {
    name: 'Balance',
    commands: ['balance'],
    about: 'SOL and the profile’s tokens, with an `error` if an amount is unknown.',
    schema: balance,
  },
  {
    name: 'Sandbox',
    commands: ['sandbox'],
    about: 'The first line. The tokens are worth nothing outside the sandbox.',
    schema: sandbox,
  },
  {
    name: 'SandboxRequest',
    commands: ['sandbox'],
    about: 'Every further line: one request. It carries no `schema`.',
    schema: sandboxRequest,
  },
  { name: 'Doctor', commands: ['doctor'], about: 'Every check in its order.', schema: doctor },
  { name: 'Completion', commands: ['completion'], about: 'The script.', schema: completion },
  { name: 'Help', commands: ['help'], about: 'Commands, options and exits.', schema: help },
];
