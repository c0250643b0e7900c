// SQL: the tables and the rules of every journal, written for SQLite. PostgreSQL replaces type names and little else.
import {
  attemptColumns,
  batchColumns,
  bodyColumns,
  type Columns,
  closingColumns,
  decisionColumns,
  entryColumns,
  keptColumns,
  namesOf,
  needsColumn,
  observationColumns,
  paidColumns,
  receiptColumns,
  roleColumn,
  triedColumn,
} from './columns.ts';

/** The version of this schema. A file of an earlier version is brought up to date; any other journal is refused. */
export const schemaVersion = 5;

/** Whether it counts as spent: it was paid, or may have been. */
export const countsAsPaid = `kind = 'transfer' AND (state IN ('sending', 'unknown', 'accepted')
    OR (state = 'held' AND coalesce(why, '') <> 'approval')
    OR (coalesce(resolved_as, '') = 'happened' AND was_in_doubt = 1))`;

/** Whether its present body was approved after it was last proposed and last declined. */
export const approvedBy = (
  decisions: string,
): string => `(payment IS NOT NULL AND coalesce(why, '') <> 'approval'
    AND EXISTS (SELECT 1 FROM ${decisions} AS yes WHERE yes.entry = entries.seq AND yes.kind = 'approved'
      AND yes.fingerprint = entries.fingerprint AND NOT EXISTS (SELECT 1 FROM ${decisions} AS other
        WHERE other.entry = entries.seq AND other.kind IN ('proposed', 'declined') AND other.seq > yes.seq)))`;

/** When a payment was made, or may have been: at its latest attempt. And whether it is approved. */
export const derived = (decisions: string): string =>
  `CASE WHEN ${countsAsPaid} THEN tried_at END AS counts_at, ${approvedBy(decisions)} AS approved`;

export const batchOfRow = `CASE WHEN named_by = 'row' THEN name END`;

/**
 * The recipient is the first item of the payment's JSON array. `abs` is there because PostgreSQL refuses a negative
 * length.
 */
export const recipientIn = (instr: string, payment = 'payment'): string =>
  `substr(${payment}, 3, abs(${instr}(${payment}, '",') - 3))`;

/** The latest time at which a payment may have been made. An unsettled one may still be made at any time. */
export const paidUntil = `CASE WHEN state IN ('sending', 'unknown', 'held') THEN 9007199254740991 ELSE tried_at END`;

const table = (name: string, columns: Columns, ...more: readonly string[]): string =>
  `CREATE TABLE ${name} (
  ${[...Object.values(columns).map(({ sql }) => sql), ...more].join(',\n  ')}
) STRICT;`;

const seq = 'seq INTEGER PRIMARY KEY';

/** A table of rows that belong to entries, in the order in which they came. */
const ofEntry = (name: string, columns: Columns, ...more: readonly string[]): string =>
  table(name, columns, seq, 'entry INTEGER NOT NULL REFERENCES entries (seq)', ...more);

export const closings = table(
  'closings',
  closingColumns,
  seq,
  'CHECK ((ended_at IS NULL) = (ended_by IS NULL))',
);

/** The indexes that differ from those of version 4. */
export const latestIndexes = `
CREATE INDEX entries_recipient ON entries ((${recipientIn('instr')}), created_at, seq)
  WHERE payment IS NOT NULL;
CREATE INDEX entries_settled ON entries (payment) WHERE resolved_as = 'happened' AND was_in_doubt = 0;
-- Every claim of a payment asks for equal ones. It passes over the rows of its own batch.
CREATE INDEX entries_equal ON entries (payment, (${paidUntil}), (${batchOfRow})) WHERE ${countsAsPaid};
-- What was spent, of an asset over all services: if a limit counted per base URL, another spelling of one would evade it.
CREATE INDEX entries_spent ON entries (asset, tried_at, whole, nanos) WHERE ${countsAsPaid};
`;

/** Flags are 0 or 1, times are milliseconds, lists are JSON. A CHECK states what must be true of one row alone. */
export const tables = `
CREATE TABLE meta (
  name   TEXT PRIMARY KEY,
  value  BLOB NOT NULL
) STRICT;

-- What was accepted as lost, as JSON, and by whom.
CREATE TABLE losses (
  seq     INTEGER PRIMARY KEY,
  who     TEXT NOT NULL,
  at      INTEGER NOT NULL,
  detail  TEXT NOT NULL
) STRICT;

${table(
  'entries',
  { ...entryColumns, ...triedColumn, ...paidColumns },
  ...[seq, 'UNIQUE (key, base_url, kind)'],
  'CHECK ((named_by IS NULL) = (name IS NULL))',
  `CHECK ((kind = 'transfer') = (payment IS NOT NULL))`,
  `CHECK ((state = 'sending') = (owner IS NOT NULL))`,
  `CHECK ((state = 'resolved') = (resolved_as IS NOT NULL))`,
  // An entry that may have taken effect cannot be called unsent or rejected.
  `CHECK (state NOT IN ('open', 'rejected', 'declined') OR in_doubt_since IS NULL)`,
  `CHECK (state <> 'unknown' OR in_doubt_since IS NOT NULL)`,
  'CHECK (in_doubt_since IS NULL OR was_in_doubt = 1)',
  // A held entry is in doubt, unless it waits for a person's approval.
  `CHECK (state <> 'held' OR (coalesce(why, '') = 'approval') = (in_doubt_since IS NULL))`,
)}

-- A named entry is found by its key.
CREATE INDEX entries_unnamed ON entries (identity, seq) WHERE named_by IS NULL;
CREATE INDEX entries_created ON entries (created_at, seq);
CREATE INDEX entries_not_accepted ON entries (state, created_at, seq) WHERE state <> 'accepted';
-- One index for each filter of the history, which shows the newest first.
CREATE INDEX entries_name ON entries (name, created_at, seq) WHERE name IS NOT NULL;
CREATE INDEX entries_kind ON entries (kind, created_at, seq);
${latestIndexes}

${table('batches', batchColumns, 'PRIMARY KEY (name, base_url, kind)')}
${ofEntry('attempts', attemptColumns, 'UNIQUE (entry, number)', 'CHECK ((verdict IS NULL) = (ended_at IS NULL))')}
${ofEntry('decisions', { ...decisionColumns, ...roleColumn }, needsColumn.needs.sql)}
CREATE INDEX decisions_entry ON decisions (entry);
${ofEntry('receipts', receiptColumns, 'UNIQUE (value, what, origin)')}
CREATE INDEX receipts_entry ON receipts (entry);
-- What chains were seen to say about entries.
${ofEntry(
  'observations',
  observationColumns,
  `CHECK (verdict <> 'proven' OR (signature IS NOT NULL AND genesis IS NOT NULL))`,
)}
CREATE INDEX observations_entry ON observations (entry);
${closings}
`;

type Rule = readonly [on: string, when: string, says: string];

/** How an entry may move. Every state may become accepted, and accepted never changes. */
const moves = `
  'open>sending', 'open>held', 'open>resolved', 'open>declined', 'open>accepted',
  'sending>open', 'sending>unknown', 'sending>accepted', 'sending>rejected', 'sending>held',
  'unknown>sending', 'unknown>held', 'unknown>resolved', 'unknown>accepted',
  'held>open', 'held>sending', 'held>resolved', 'held>declined', 'held>accepted',
  'rejected>sending', 'rejected>held', 'rejected>resolved', 'rejected>declined', 'rejected>accepted',
  'resolved>sending', 'resolved>held', 'resolved>accepted', 'declined>accepted'`;

const differs = (...columns: string[]): string =>
  columns.map((one) => `NEW.${one} IS DISTINCT FROM OLD.${one}`).join(' OR ');

/** A body that may have taken effect, was proposed or was decided about never changes. */
export const frozenBody: Rule = [
  'UPDATE ON entries',
  `(${differs(...namesOf({ ...bodyColumns, ...paidColumns }))})
      AND NOT (OLD.state IN ('open', 'rejected', 'resolved') AND OLD.was_in_doubt = 0 AND coalesce(OLD.resolved_as, '') <> 'happened'
        AND NOT EXISTS (SELECT 1 FROM decisions WHERE entry = OLD.seq))`,
  'the body of an entry is frozen',
];

const entryRules: readonly Rule[] = [
  [
    'INSERT ON entries',
    `NEW.was_in_doubt = 1 OR NOT (NEW.state = 'sending'
      OR (NEW.state = 'held' AND NEW.attempts = 0 AND coalesce(NEW.why, '') = 'approval'))`,
    'an entry begins claimed, or as a proposal, and not in doubt',
  ],
  ['UPDATE ON entries', differs('seq', ...namesOf(keptColumns)), 'an entry keeps its key and identity'],
  frozenBody,
  ['UPDATE ON entries', 'NEW.attempts < OLD.attempts', 'attempts are not uncounted'],
  ['UPDATE ON entries', 'OLD.was_in_doubt = 1 AND NEW.was_in_doubt = 0', 'an entry in doubt stays in doubt'],
  [
    'UPDATE ON entries',
    `OLD.reported_at IS NOT NULL AND (${differs('reported_at')})`,
    'an outcome is first reported once',
  ],
  [
    'UPDATE ON entries',
    `NEW.state <> OLD.state AND (OLD.state || '>' || NEW.state) NOT IN (${moves})`,
    'no entry moves between these states',
  ],
  // An open, rejected or resolved entry can be held only to wait for approval.
  [
    'UPDATE ON entries',
    `NEW.state = 'held' AND OLD.state IN ('open', 'rejected', 'resolved') AND coalesce(NEW.why, '') <> 'approval'`,
    'no entry moves between these states',
  ],
  // A proposal can only be approved or declined. A row that another entry has paid was never proposed.
  [
    'UPDATE ON entries',
    `OLD.state = 'held' AND (NEW.state = 'open' AND NOT EXISTS (SELECT 1 FROM decisions
        WHERE entry = OLD.seq AND kind = 'approved' AND fingerprint = OLD.fingerprint)
      OR coalesce(OLD.why, '') = 'approval' AND (NEW.state = 'sending' OR NEW.state = 'resolved'
        AND EXISTS (SELECT 1 FROM decisions WHERE entry = OLD.seq AND kind = 'proposed')))`,
    'no entry moves between these states',
  ],
  [
    'UPDATE ON entries',
    `NEW.state = 'sending' AND OLD.resolved_as = 'happened'`,
    'what happened is not sent again',
  ],
  [
    'UPDATE ON entries',
    `NEW.state = 'accepted' AND OLD.state <> 'accepted'
      AND NOT EXISTS (SELECT 1 FROM attempts WHERE entry = OLD.seq AND verdict = 'accepted')`,
    'only an accepted attempt makes an entry accepted',
  ],
  ['UPDATE ON entries', 'NEW.owner <> OLD.owner', 'a claim passes on only through unknown'],
];

const otherRules: readonly Rule[] = [
  [
    'INSERT ON attempts',
    `NOT EXISTS (SELECT 1 FROM entries WHERE seq = NEW.entry AND state = 'sending')`,
    'an attempt needs a claim',
  ],
  ['INSERT ON attempts', 'NEW.verdict IS NOT NULL', 'an attempt begins without a verdict'],
  ['UPDATE ON attempts', differs('seq', 'entry', 'number', 'started_at'), 'an attempt stays where it began'],
  [
    'UPDATE ON attempts',
    // A process that was thought dead may still prove that it happened. Its other replies come too late.
    `OLD.verdict IS NOT NULL AND NOT (coalesce(OLD.phase, '') = 'process-died' AND NEW.verdict = 'accepted')`,
    'an attempt ends once',
  ],
  [
    'INSERT ON observations',
    `NEW.verdict = 'proven' AND NOT EXISTS (SELECT 1 FROM receipts WHERE entry = NEW.entry
      AND what = 'signature' AND origin = NEW.genesis AND value = NEW.signature)`,
    'what is proven has a payment of its own',
  ],
  ['UPDATE ON batches', differs('name', 'base_url', 'kind'), 'a batch keeps its name'],
  ['UPDATE ON decisions', 'true', 'a decision stands as it was made'],
  ['UPDATE ON receipts', 'true', 'a receipt stands as it was given'],
  ['UPDATE ON observations', 'true', 'an observation stands as it was made'],
  [
    'UPDATE ON closings',
    `OLD.ended_at IS NOT NULL OR OLD.kind = 'moved' OR ${differs('seq', 'kind', 'who', 'at', 'reason')}`,
    'a closing ends once, and that of a move never',
  ],
  ['UPDATE ON losses', 'true', 'a loss stands as it was accepted'],
  [
    'UPDATE ON meta',
    `OLD.name IN ('journal-id', 'salt') OR NEW.name <> OLD.name`,
    'a journal keeps its id and its salt',
  ],
];

/** What no statement may do, whichever process runs it. */
export const rules: readonly Rule[] = [...entryRules, ...otherRules];

export const tablesNeverDeletedFrom = [
  ...['meta', 'losses', 'closings', 'entries', 'batches', 'attempts', 'decisions', 'receipts'],
  'observations',
] as const;

export const deletion = 'nothing is deleted from the journal';

/** What follows from a change, whichever statement made it. */
export const consequences: readonly (readonly [on: string, when: string, does: string])[] = [
  [
    'UPDATE ON attempts',
    `NEW.verdict IN ('unknown', 'held')`,
    `UPDATE entries SET was_in_doubt = 1, in_doubt_since = coalesce(in_doubt_since, NEW.started_at)
     WHERE seq = NEW.entry`,
  ],
];
