// SQL: the tables and the rules of every journal. They are SQLite's; PostgreSQL turns names of types and little else.
import {
  attemptColumns,
  batchColumns,
  bodyColumns,
  type Columns,
  decisionColumns,
  intentColumns,
  keptColumns,
  namesOf,
  observationColumns,
  paidColumns,
  receiptColumns,
  roleColumn,
  triedColumn,
} from './columns.ts';

/** The number of what stands here. A journal with another number is refused. */
export const schemaVersion = 4;

/** Whether it counts as spent: it was paid, or may have been. */
export const counts = `kind = 'transfer' AND (state IN ('sending', 'unknown', 'accepted')
    OR (state = 'held' AND coalesce(why, '') <> 'approval')
    OR (coalesce(resolved_as, '') = 'happened' AND attempts > 0))`;

/** When a payment was made, or may have been: at its latest claim. */
export const countsAt = `CASE WHEN ${counts} THEN tried_at END AS counts_at`;

/** The batch whose row it is. */
export const batchOfRow = `CASE WHEN named_by = 'row' THEN name END`;

/** Until when a payment may have been made: what is not settled may still be made at any time. */
export const paidUntil = `CASE WHEN state IN ('sending', 'unknown', 'held') THEN 9007199254740991 ELSE tried_at END`;

const table = (name: string, columns: Columns, ...more: readonly string[]): string =>
  `CREATE TABLE ${name} (
  ${[...Object.values(columns).map(({ sql }) => sql), ...more].join(',\n  ')}
) STRICT;`;

const seq = 'seq INTEGER PRIMARY KEY';

/** What belongs to an intent, in the order in which it came. */
const ofIntent = (name: string, columns: Columns, ...more: readonly string[]): string =>
  table(name, columns, seq, 'intent INTEGER NOT NULL REFERENCES intents (seq)', ...more);

/** Flags are 0 or 1, times are milliseconds, lists are JSON. A CHECK is what one row can say of itself. */
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
  'intents',
  { ...intentColumns, ...triedColumn, ...paidColumns },
  ...[seq, 'UNIQUE (key, base_url, kind)'],
  'CHECK ((named_by IS NULL) = (name IS NULL))',
  `CHECK ((kind = 'transfer') = (payment IS NOT NULL))`,
  `CHECK ((state = 'sending') = (owner IS NOT NULL))`,
  `CHECK ((state = 'resolved') = (resolved_as IS NOT NULL))`,
  // An intent that may have landed cannot be called unsent or rejected.
  `CHECK (state NOT IN ('open', 'rejected', 'declined') OR may_have_landed_at IS NULL)`,
  `CHECK (state <> 'unknown' OR may_have_landed_at IS NOT NULL)`,
  'CHECK (may_have_landed_at IS NULL OR tainted = 1)',
  // What waits for a person's approval is not in doubt, and whatever else is held is.
  `CHECK (state <> 'held' OR (coalesce(why, '') = 'approval') = (may_have_landed_at IS NULL))`,
)}

-- A named intent is found by its key.
CREATE INDEX intents_unnamed ON intents (identity, seq) WHERE named_by IS NULL;
CREATE INDEX intents_created ON intents (created_at, seq);
CREATE INDEX intents_not_accepted ON intents (state, created_at, seq) WHERE state <> 'accepted';
-- One index for each filter of the history, which shows the newest first.
CREATE INDEX intents_name ON intents (name, created_at, seq) WHERE name IS NOT NULL;
CREATE INDEX intents_kind ON intents (kind, created_at, seq);
-- A payment begins with its recipient, so this index finds recipients.
CREATE INDEX intents_payment ON intents (payment, created_at) WHERE payment IS NOT NULL;
-- Every claim of a payment asks for equal ones. It passes over the rows of its own batch.
CREATE INDEX intents_equal ON intents (payment, (${paidUntil}), (${batchOfRow})) WHERE ${counts};
-- What was spent, of an asset over all services: if a limit counted per base URL, another spelling of one would evade it.
CREATE INDEX intents_spent ON intents (asset, tried_at, whole, nanos) WHERE ${counts};

${table('batches', batchColumns, 'PRIMARY KEY (name, base_url, kind)')}
${ofIntent('attempts', attemptColumns, 'UNIQUE (intent, number)', 'CHECK ((verdict IS NULL) = (ended_at IS NULL))')}
${ofIntent('decisions', { ...decisionColumns, ...roleColumn })}
CREATE INDEX decisions_intent ON decisions (intent);
${ofIntent('receipts', receiptColumns, 'UNIQUE (value, what, origin)')}
CREATE INDEX receipts_intent ON receipts (intent);
-- What chains were seen to say about intents.
${ofIntent(
  'observations',
  observationColumns,
  `CHECK (verdict <> 'proven' OR (signature IS NOT NULL AND genesis IS NOT NULL))`,
)}
CREATE INDEX observations_intent ON observations (intent);
`;

type Rule = readonly [on: string, when: string, says: string];

/** How an intent may move. Every state may become accepted, and accepted never changes. */
const moves = `
  'open>sending', 'open>held', 'open>resolved', 'open>declined', 'open>accepted',
  'sending>open', 'sending>unknown', 'sending>accepted', 'sending>rejected', 'sending>held',
  'unknown>sending', 'unknown>held', 'unknown>resolved', 'unknown>accepted',
  'held>open', 'held>sending', 'held>resolved', 'held>declined', 'held>accepted',
  'rejected>sending', 'rejected>held', 'rejected>resolved', 'rejected>declined', 'rejected>accepted',
  'resolved>sending', 'resolved>held', 'resolved>accepted', 'declined>accepted'`;

const differs = (...columns: string[]): string =>
  columns.map((one) => `NEW.${one} IS DISTINCT FROM OLD.${one}`).join(' OR ');

const intentRules: readonly Rule[] = [
  [
    'INSERT ON intents',
    `NEW.tainted = 1 OR NOT (NEW.state = 'sending'
      OR (NEW.state = 'held' AND NEW.attempts = 0 AND coalesce(NEW.why, '') = 'approval'))`,
    'an intent begins claimed, or as a proposal, and untainted',
  ],
  ['UPDATE ON intents', differs('seq', ...namesOf(keptColumns)), 'an intent keeps its key and identity'],
  // People were shown what was ever proposed.
  [
    'UPDATE ON intents',
    `(${differs(...namesOf({ ...bodyColumns, ...paidColumns }))})
      AND NOT (OLD.state IN ('open', 'rejected', 'resolved') AND OLD.tainted = 0 AND coalesce(OLD.resolved_as, '') <> 'happened'
        AND NOT EXISTS (SELECT 1 FROM decisions WHERE intent = OLD.seq AND kind = 'proposed'))`,
    'the body of an intent is frozen',
  ],
  ['UPDATE ON intents', 'NEW.attempts < OLD.attempts', 'attempts are not uncounted'],
  ['UPDATE ON intents', 'OLD.tainted = 1 AND NEW.tainted = 0', 'a tainted intent stays tainted'],
  [
    'UPDATE ON intents',
    `OLD.reported_at IS NOT NULL AND (${differs('reported_at')})`,
    'an outcome is first reported once',
  ],
  [
    'UPDATE ON intents',
    `NEW.state <> OLD.state AND (OLD.state || '>' || NEW.state) NOT IN (${moves})`,
    'no intent moves between these states',
  ],
  // An intent that was not sent may wait for a person's approval, even if an earlier attempt came to nothing.
  [
    'UPDATE ON intents',
    `NEW.state = 'held' AND OLD.state IN ('open', 'rejected', 'resolved') AND coalesce(NEW.why, '') <> 'approval'`,
    'no intent moves between these states',
  ],
  // What waits for approval is approved or declined. A row that another entry has paid was never proposed.
  [
    'UPDATE ON intents',
    `OLD.state = 'held' AND (NEW.state = 'open' AND NEW.approved = 0
      OR coalesce(OLD.why, '') = 'approval' AND (NEW.state = 'sending' OR NEW.state = 'resolved'
        AND EXISTS (SELECT 1 FROM decisions WHERE intent = OLD.seq AND kind = 'proposed')))`,
    'no intent moves between these states',
  ],
  [
    'UPDATE ON intents',
    `NEW.approved = 1 AND OLD.approved = 0 AND NOT EXISTS (SELECT 1 FROM decisions
      WHERE intent = OLD.seq AND kind = 'approved' AND fingerprint = OLD.fingerprint)`,
    'only a decision about this body approves it',
  ],
  [
    'UPDATE ON intents',
    `NEW.state = 'sending' AND OLD.resolved_as = 'happened'`,
    'what happened is not sent again',
  ],
  [
    'UPDATE ON intents',
    `NEW.state = 'accepted' AND OLD.state <> 'accepted'
      AND NOT EXISTS (SELECT 1 FROM attempts WHERE intent = OLD.seq AND verdict = 'accepted')`,
    'only an accepted attempt makes an intent accepted',
  ],
  ['UPDATE ON intents', 'NEW.owner <> OLD.owner', 'a claim passes on only through unknown'],
];

const otherRules: readonly Rule[] = [
  [
    'INSERT ON attempts',
    `NOT EXISTS (SELECT 1 FROM intents WHERE seq = NEW.intent AND state = 'sending')`,
    'an attempt needs a claim',
  ],
  ['INSERT ON attempts', 'NEW.verdict IS NOT NULL', 'an attempt begins without a verdict'],
  ['UPDATE ON attempts', differs('seq', 'intent', 'number', 'started_at'), 'an attempt stays where it began'],
  [
    'UPDATE ON attempts',
    `OLD.verdict IS NOT NULL AND NOT (coalesce(OLD.phase, '') = 'process-died'
      AND coalesce(NEW.phase, 'process-died') <> 'process-died' AND NEW.verdict IS NOT NULL)`,
    'an attempt ends once',
  ],
  [
    'INSERT ON observations',
    `NEW.verdict = 'proven' AND NOT EXISTS (SELECT 1 FROM receipts WHERE intent = NEW.intent
      AND what = 'signature' AND origin = NEW.genesis AND value = NEW.signature)`,
    'what is proven has a payment of its own',
  ],
  ['UPDATE ON batches', differs('name', 'base_url', 'kind'), 'a batch keeps its name'],
  ['UPDATE ON decisions', 'true', 'a decision stands as it was made'],
  ['UPDATE ON receipts', 'true', 'a receipt stands as it was given'],
  ['UPDATE ON observations', 'true', 'an observation stands as it was made'],
  ['UPDATE ON losses', 'true', 'a loss stands as it was accepted'],
  [
    'UPDATE ON meta',
    `OLD.name IN ('journal-id', 'salt') OR NEW.name <> OLD.name`,
    'a journal keeps its id and its salt',
  ],
];

/** What no statement may do, whichever process runs it. */
export const rules: readonly Rule[] = [...intentRules, ...otherRules];

/** Nothing is deleted from these. */
export const kept = [
  ...['meta', 'losses', 'intents', 'batches', 'attempts', 'decisions', 'receipts', 'observations'],
] as const;

export const deletion = 'nothing is deleted from the journal';

/** What follows from a change, whichever statement made it. */
export const consequences: readonly (readonly [on: string, when: string, does: string])[] = [
  [
    'UPDATE ON attempts',
    `NEW.verdict IN ('unknown', 'held')`,
    `UPDATE intents SET tainted = 1, may_have_landed_at = coalesce(may_have_landed_at, NEW.started_at)
     WHERE seq = NEW.intent`,
  ],
];
