// SQL: the tables and the rules of a journal in a file.

/** The tables of a journal in a file, except those that count spending. */
const tables = `
CREATE TABLE meta (
  name  TEXT PRIMARY KEY,
  value BLOB NOT NULL
) STRICT;

-- Random for each journal, so that a token's hash is of no use elsewhere.
INSERT INTO meta (name, value) VALUES ('salt', randomblob(32));
-- Kept twice: if a bit of it flipped, no token would be recognised again, and nothing would show why.
INSERT INTO meta (name, value) SELECT 'salt-again', value FROM meta WHERE name = 'salt';

CREATE TABLE intents (
  seq                 INTEGER PRIMARY KEY,
  id                  TEXT NOT NULL UNIQUE,
  kind                TEXT NOT NULL CHECK (kind IN ('message', 'transfer')),
  base_url            TEXT NOT NULL,
  -- The URL as given, if the identity spells it differently: there all loopback names count as one.
  spelled_url         TEXT,
  bot                 TEXT NOT NULL,
  named_by            TEXT CHECK (named_by IN ('once', 'run', 'key', 'row')),
  name                TEXT,
  row_id              TEXT,
  -- The row's other columns, as JSON. They are never sent.
  columns             TEXT,
  key                 TEXT NOT NULL CHECK (key <> ''),
  identity            TEXT NOT NULL,
  fingerprint         TEXT NOT NULL,
  payment             TEXT,
  body                BLOB NOT NULL,
  state               TEXT NOT NULL CHECK (state IN
                        ('open', 'sending', 'unknown', 'accepted', 'rejected', 'held', 'resolved')),
  tainted             INTEGER NOT NULL DEFAULT 0 CHECK (tainted IN (0, 1)),
  may_have_landed_at  INTEGER,
  token_hash          TEXT,
  owner               TEXT,
  why                 TEXT,
  resolved_as         TEXT CHECK (resolved_as IN ('happened', 'did-not-happen', 'declined')),
  attempts            INTEGER NOT NULL DEFAULT 0,
  created_at          INTEGER NOT NULL,
  updated_at          INTEGER NOT NULL,
  reported_at         INTEGER,
  left_behind         INTEGER NOT NULL DEFAULT 0 CHECK (left_behind IN (0, 1)),
  CHECK ((named_by IS NULL) = (name IS NULL)),
  CHECK ((kind = 'transfer') = (payment IS NOT NULL)),
  CHECK ((state = 'sending') = (owner IS NOT NULL)),
  CHECK ((state = 'resolved') = (resolved_as IS NOT NULL)),
  -- An intent that may have landed cannot be called unsent or rejected.
  CHECK (state NOT IN ('open', 'rejected') OR tainted = 0),
  CHECK (state <> 'unknown' OR tainted = 1),
  -- Held although nothing of it may have landed: it waits for a person's approval.
  CHECK (state <> 'held' OR tainted = 1 OR coalesce(why, '') IN ('approval', 'proposed', 'above-limit'))
) STRICT;

CREATE UNIQUE INDEX intents_key ON intents (key, base_url, kind);
-- A named intent is found by its key.
CREATE INDEX intents_unnamed ON intents (identity, seq) WHERE named_by IS NULL;
CREATE INDEX intents_created ON intents (created_at, seq);
CREATE INDEX intents_not_accepted ON intents (state, created_at) WHERE state <> 'accepted';
CREATE INDEX intents_unfinished_payment ON intents (payment)
  WHERE payment IS NOT NULL AND state IN ('sending', 'unknown', 'held');
-- Finds the same payment made before without a name of its own. Such intents are few; the rows of a batch are many.
CREATE INDEX intents_unnamed_payment ON intents (payment, updated_at)
  WHERE payment IS NOT NULL AND (named_by IS NULL OR named_by = 'run');
-- One index for each filter of the history, which shows the newest first.
CREATE INDEX intents_name ON intents (name, created_at, seq) WHERE name IS NOT NULL;
CREATE INDEX intents_bot ON intents (bot, created_at, seq);
CREATE INDEX intents_kind ON intents (kind, created_at, seq);
-- A payment begins with its recipient, so this index finds recipients, too. It has the names because a claim asks who
-- else paid the same: it skips the rows of its own batch without reading them.
CREATE INDEX intents_payment ON intents (payment, created_at, name, named_by) WHERE payment IS NOT NULL;
-- Intents that may have been paid long after they began: proposals, and those that were refused at first.
CREATE INDEX intents_late_payment ON intents (payment, updated_at)
  WHERE payment IS NOT NULL AND updated_at - created_at > 600000;

-- The base URLs that have intents. They are few, and every claim of a name asks for them.
CREATE TABLE services (base_url TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

-- What a batch's file asked for when its latest run began.
CREATE TABLE batches (
  name      TEXT NOT NULL,
  base_url  TEXT NOT NULL,
  kind      TEXT NOT NULL CHECK (kind IN ('message', 'transfer')),
  rows      INTEGER NOT NULL CHECK (rows >= 0),
  -- Paid already, or perhaps.
  skipped   INTEGER NOT NULL,
  skipped_in_doubt INTEGER NOT NULL,
  -- The sum of each asset, as JSON.
  totals    TEXT NOT NULL,
  -- What the journal had under this name beyond the file, as JSON.
  beyond    TEXT NOT NULL,
  PRIMARY KEY (name, base_url, kind)
) STRICT, WITHOUT ROWID;

CREATE TABLE attempts (
  seq          INTEGER PRIMARY KEY,
  intent       INTEGER NOT NULL REFERENCES intents (seq),
  number       INTEGER NOT NULL CHECK (number > 0),
  started_at   INTEGER NOT NULL,
  ended_at     INTEGER,
  phase        TEXT CHECK (phase IN ('not-sent', 'sent', 'replied', 'process-died')),
  verdict      TEXT CHECK (verdict IN ('accepted', 'rejected', 'unsent', 'limited', 'unknown', 'held')),
  status       INTEGER,
  request_id   TEXT,
  trouble      TEXT,
  retry_after  INTEGER,
  duplicate    INTEGER NOT NULL DEFAULT 0,
  verified     INTEGER NOT NULL DEFAULT 1,
  reply        BLOB,
  headers      TEXT,
  UNIQUE (intent, number),
  CHECK ((verdict IS NULL) = (ended_at IS NULL))
) STRICT;

CREATE TABLE decisions (
  seq          INTEGER PRIMARY KEY,
  intent       INTEGER NOT NULL REFERENCES intents (seq),
  kind         TEXT NOT NULL CHECK (kind IN
                 ('happened', 'did-not-happen', 'send-again', 'proposed', 'approved', 'declined')),
  who          TEXT NOT NULL,
  at           INTEGER NOT NULL,
  reason       TEXT NOT NULL,
  signature    TEXT,
  -- The body that an approval is for.
  fingerprint  TEXT
) STRICT;
CREATE INDEX decisions_intent ON decisions (intent);

-- A transfer id or a signature of one service, or an instruction on one chain, belongs to one intent.
CREATE TABLE receipts (
  seq     INTEGER PRIMARY KEY,
  origin  TEXT NOT NULL,
  what    TEXT NOT NULL CHECK (what IN ('transfer-id', 'signature', 'instruction')),
  value   TEXT NOT NULL CHECK (value <> ''),
  intent  INTEGER NOT NULL REFERENCES intents (seq),
  UNIQUE (value, what, origin)
) STRICT;

-- What chains were seen to say about intents.
CREATE TABLE observations (
  seq          INTEGER PRIMARY KEY,
  intent       INTEGER NOT NULL REFERENCES intents (seq),
  verdict      TEXT NOT NULL CHECK (verdict IN
                 ('proven', 'likely', 'contradicted', 'undecided', 'acknowledged', 'before')),
  who          TEXT NOT NULL,
  at           INTEGER NOT NULL,
  signature    TEXT,
  genesis      TEXT,
  instruction  TEXT,
  facts        TEXT NOT NULL,
  CHECK (verdict <> 'proven' OR (signature IS NOT NULL AND genesis IS NOT NULL AND instruction IS NOT NULL))
) STRICT;
CREATE INDEX observations_intent ON observations (intent);

-- Numbers that were given to rows which are lost. New rows get higher ones.
CREATE TABLE losses (
  seq         INTEGER PRIMARY KEY,
  what        TEXT NOT NULL CHECK (what IN ('mark', 'intents', 'attempts', 'decisions')),
  first_lost  INTEGER,
  last_lost   INTEGER,
  who         TEXT NOT NULL,
  at          INTEGER NOT NULL,
  CHECK ((what = 'mark') = (last_lost IS NULL)),
  CHECK ((first_lost IS NULL) = (last_lost IS NULL) AND first_lost <= last_lost)
) STRICT;
`;

/** The rows of this table are neither deleted nor changed. */
const keepRows = (table: string, words: string): string => `
CREATE TRIGGER ${table}_are_kept BEFORE DELETE ON ${table}
BEGIN SELECT RAISE(ABORT, 'nothing is deleted from the journal'); END;

CREATE TRIGGER ${table}_stand BEFORE UPDATE ON ${table}
BEGIN SELECT RAISE(ABORT, '${words}'); END;`;

/** What no statement may do, whichever process runs it. */
const rules = `
-- An intent's identity never changes.
CREATE TRIGGER intents_identity_is_fixed
BEFORE UPDATE OF seq, id, kind, base_url, bot, key, created_at, named_by, name, identity ON intents
WHEN NEW.seq <> OLD.seq OR NEW.id <> OLD.id OR NEW.kind <> OLD.kind OR NEW.base_url <> OLD.base_url OR NEW.bot <> OLD.bot
  OR NEW.key <> OLD.key OR NEW.created_at <> OLD.created_at OR NEW.named_by IS NOT OLD.named_by
  OR NEW.name IS NOT OLD.name OR NEW.identity <> OLD.identity
BEGIN SELECT RAISE(ABORT, 'an intent keeps its key and identity'); END;

CREATE TRIGGER intents_spelling_is_fixed BEFORE UPDATE OF row_id, columns, spelled_url ON intents
WHEN NEW.row_id IS NOT OLD.row_id OR NEW.columns IS NOT OLD.columns OR NEW.spelled_url IS NOT OLD.spelled_url
BEGIN SELECT RAISE(ABORT, 'an intent keeps its row and its spelling'); END;

CREATE TRIGGER intents_body_is_frozen BEFORE UPDATE OF body, fingerprint, payment ON intents
WHEN (NEW.body <> OLD.body OR NEW.fingerprint <> OLD.fingerprint OR NEW.payment IS NOT OLD.payment)
  AND NOT (OLD.state IN ('rejected', 'resolved') AND OLD.tainted = 0 AND OLD.resolved_as IS NOT 'happened'
    -- People were shown what was ever proposed.
    AND NOT EXISTS (SELECT 1 FROM decisions WHERE intent = OLD.seq AND kind = 'proposed'))
BEGIN SELECT RAISE(ABORT, 'the body of an intent is frozen'); END;

CREATE TRIGGER intents_attempts_are_counted BEFORE UPDATE OF attempts ON intents
WHEN NEW.attempts < OLD.attempts
BEGIN SELECT RAISE(ABORT, 'attempts are not uncounted'); END;

CREATE TRIGGER intents_taint_stays BEFORE UPDATE OF tainted ON intents
WHEN OLD.tainted = 1 AND NEW.tainted = 0
BEGIN SELECT RAISE(ABORT, 'a tainted intent stays tainted'); END;

CREATE TRIGGER intents_reported_once BEFORE UPDATE OF reported_at ON intents
WHEN OLD.reported_at IS NOT NULL AND NEW.reported_at IS NOT OLD.reported_at
BEGIN SELECT RAISE(ABORT, 'an outcome is first reported once'); END;

CREATE TRIGGER intents_are_kept BEFORE DELETE ON intents
BEGIN SELECT RAISE(ABORT, 'nothing is deleted from the journal'); END;

-- INSERT OR REPLACE deletes rows without running the triggers for deletion.
CREATE TRIGGER intents_are_not_replaced BEFORE INSERT ON intents
WHEN EXISTS (SELECT 1 FROM intents WHERE seq = NEW.seq OR id = NEW.id)
  OR EXISTS (SELECT 1 FROM intents WHERE key = NEW.key AND base_url = NEW.base_url AND kind = NEW.kind)
BEGIN SELECT RAISE(ABORT, 'nothing is replaced in the journal'); END;

CREATE TRIGGER intents_begin_claimed BEFORE INSERT ON intents
WHEN NEW.tainted = 1 OR NOT (NEW.state = 'sending'
  OR (NEW.state = 'held' AND NEW.attempts = 0 AND coalesce(NEW.why, '') IN ('approval', 'proposed', 'above-limit')))
BEGIN SELECT RAISE(ABORT, 'an intent begins claimed, or as a proposal, and untainted'); END;

-- Every state may become accepted, and accepted never changes.
CREATE TRIGGER intents_state_moves BEFORE UPDATE OF state ON intents
WHEN NEW.state <> OLD.state AND (OLD.state || '>' || NEW.state) NOT IN (
  'open>sending', 'open>held', 'open>resolved', 'open>accepted',
  'sending>open', 'sending>unknown', 'sending>accepted', 'sending>rejected', 'sending>held',
  'unknown>sending', 'unknown>held', 'unknown>resolved', 'unknown>accepted',
  'held>sending', 'held>resolved', 'held>accepted',
  'rejected>sending', 'rejected>held', 'rejected>accepted',
  'resolved>sending', 'resolved>held', 'resolved>accepted')
BEGIN SELECT RAISE(ABORT, 'no intent moves between these states'); END;

-- An intent that was not sent may wait for a person's approval, even if an earlier attempt came to nothing.
CREATE TRIGGER intents_held_for_approval BEFORE UPDATE OF state ON intents
WHEN NEW.state = 'held' AND OLD.state IN ('open', 'rejected', 'resolved')
  AND coalesce(NEW.why, '') NOT IN ('approval', 'proposed', 'above-limit')
BEGIN SELECT RAISE(ABORT, 'no intent moves between these states'); END;

CREATE TRIGGER intents_happened_is_not_sent BEFORE UPDATE OF state ON intents
WHEN OLD.resolved_as = 'happened' AND NEW.state = 'sending'
BEGIN SELECT RAISE(ABORT, 'what happened is not sent again'); END;

CREATE TRIGGER intents_unnamed_is_not_reopened BEFORE UPDATE OF state ON intents
WHEN OLD.named_by IS NULL AND OLD.state IN ('rejected', 'resolved') AND NEW.state = 'sending'
BEGIN SELECT RAISE(ABORT, 'an unnamed intent that ended is not sent again'); END;

CREATE TRIGGER intents_accepted_by_attempt BEFORE UPDATE OF state ON intents
WHEN NEW.state = 'accepted' AND OLD.state <> 'accepted'
  AND NOT EXISTS (SELECT 1 FROM attempts WHERE intent = OLD.seq AND verdict = 'accepted')
BEGIN SELECT RAISE(ABORT, 'only an accepted attempt makes an intent accepted'); END;

CREATE TRIGGER intents_owner_keeps BEFORE UPDATE OF owner ON intents
WHEN OLD.owner IS NOT NULL AND NEW.owner IS NOT NULL AND NEW.owner <> OLD.owner
BEGIN SELECT RAISE(ABORT, 'a claim passes on only through unknown'); END;

CREATE TRIGGER services_are_known AFTER INSERT ON intents
WHEN NOT EXISTS (SELECT 1 FROM services WHERE base_url = NEW.base_url)
BEGIN INSERT INTO services (base_url) VALUES (NEW.base_url); END;

CREATE TRIGGER services_are_kept BEFORE DELETE ON services
BEGIN SELECT RAISE(ABORT, 'nothing is deleted from the journal'); END;

CREATE TRIGGER services_stand BEFORE UPDATE ON services
BEGIN SELECT RAISE(ABORT, 'a base URL stands as it was given'); END;

CREATE TRIGGER batches_are_kept BEFORE DELETE ON batches
BEGIN SELECT RAISE(ABORT, 'nothing is deleted from the journal'); END;

CREATE TRIGGER attempts_need_a_claim BEFORE INSERT ON attempts
WHEN (SELECT state FROM intents WHERE seq = NEW.intent) <> 'sending'
BEGIN SELECT RAISE(ABORT, 'an attempt needs a claim'); END;

CREATE TRIGGER attempts_are_not_replaced BEFORE INSERT ON attempts
WHEN EXISTS (SELECT 1 FROM attempts WHERE seq = NEW.seq)
  OR EXISTS (SELECT 1 FROM attempts WHERE intent = NEW.intent AND number = NEW.number)
BEGIN SELECT RAISE(ABORT, 'nothing is replaced in the journal'); END;

CREATE TRIGGER attempts_begin_unjudged BEFORE INSERT ON attempts
WHEN NEW.verdict IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'an attempt begins without a verdict'); END;

CREATE TRIGGER attempts_stay BEFORE UPDATE ON attempts
WHEN NEW.seq <> OLD.seq OR NEW.intent <> OLD.intent OR NEW.number <> OLD.number
  OR NEW.started_at <> OLD.started_at
BEGIN SELECT RAISE(ABORT, 'an attempt stays where it began'); END;

CREATE TRIGGER attempts_end_once BEFORE UPDATE ON attempts
WHEN OLD.verdict IS NOT NULL AND NOT (OLD.phase = 'process-died' AND NEW.phase <> 'process-died')
BEGIN SELECT RAISE(ABORT, 'an attempt ends once'); END;

CREATE TRIGGER attempts_are_kept BEFORE DELETE ON attempts
BEGIN SELECT RAISE(ABORT, 'nothing is deleted from the journal'); END;

CREATE TRIGGER attempts_taint AFTER UPDATE OF verdict ON attempts
WHEN NEW.verdict IN ('unknown', 'held')
BEGIN
  UPDATE intents SET tainted = 1, may_have_landed_at = coalesce(may_have_landed_at, NEW.started_at)
  WHERE seq = NEW.intent;
END;

CREATE TRIGGER decisions_are_not_replaced BEFORE INSERT ON decisions
WHEN EXISTS (SELECT 1 FROM decisions WHERE seq = NEW.seq)
BEGIN SELECT RAISE(ABORT, 'nothing is replaced in the journal'); END;
${keepRows('decisions', 'a decision stands as it was made')}

CREATE TRIGGER receipts_are_not_replaced BEFORE INSERT ON receipts
WHEN EXISTS (SELECT 1 FROM receipts WHERE seq = NEW.seq)
  OR EXISTS (SELECT 1 FROM receipts WHERE value = NEW.value AND what = NEW.what AND origin = NEW.origin)
BEGIN SELECT RAISE(ABORT, 'nothing is replaced in the journal'); END;
${keepRows('receipts', 'a receipt stands as it was given')}

CREATE TRIGGER observations_have_their_payment BEFORE INSERT ON observations
WHEN NEW.verdict = 'proven' AND NOT EXISTS (SELECT 1 FROM receipts WHERE intent = NEW.intent
  AND what = 'instruction' AND origin = NEW.genesis AND value = NEW.signature || '/' || NEW.instruction)
BEGIN SELECT RAISE(ABORT, 'what is proven has a payment of its own'); END;

CREATE TRIGGER observations_are_not_replaced BEFORE INSERT ON observations
WHEN EXISTS (SELECT 1 FROM observations WHERE seq = NEW.seq)
BEGIN SELECT RAISE(ABORT, 'nothing is replaced in the journal'); END;
${keepRows('observations', 'an observation stands as it was made')}
${keepRows('losses', 'a loss stands as it was accepted')}
`;

/** Counts what may have happened, until it is known that it did not. */
const counts = (row: 'OLD' | 'NEW'): string =>
  `(${row}.state IN ('sending', 'unknown', 'accepted') OR (${row}.state = 'held' AND ${row}.tainted = 1)
    OR ${row}.resolved_as IS 'happened')`;

const isCounting = 'EXISTS (SELECT 1 FROM counting)';
const happened = (row: 'OLD' | 'NEW'): string =>
  `(${row}.state = 'accepted' OR ${row}.resolved_as IS 'happened')`;

/**
 * Spending is counted from the first command with a policy on. Until then a row costs only a look at an empty table. A
 * new intent counts by being there; only a change adds an entry, and to give an amount back is another entry. Triggers
 * add the entries, so no statement can forget them. Sums are kept by the hour (`spent`), as text, because SQLite has no
 * integers of that size.
 */
const spending = `
CREATE TABLE counting (
  one         INTEGER PRIMARY KEY CHECK (one = 1),
  -- The journal is complete from this time on.
  since       INTEGER NOT NULL,
  -- Up to this intent, only entries count.
  first       INTEGER NOT NULL
) STRICT;

-- The last intent and the last entry that the sums include: for all recipients together, and for each.
CREATE TABLE summed (
  whose   TEXT PRIMARY KEY CHECK (whose IN ('all', 'each')),
  intent  INTEGER NOT NULL,
  entry   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE spending (
  seq      INTEGER PRIMARY KEY,
  intent   INTEGER NOT NULL REFERENCES intents (seq),
  payment  TEXT NOT NULL,
  at       INTEGER NOT NULL,
  sign     INTEGER NOT NULL CHECK (sign IN (1, -1))
) STRICT;
CREATE INDEX spending_intent ON spending (intent, seq);

-- A limit counts an asset over all services. If it counted per base URL, another spelling of one would evade it.
CREATE TABLE spent (
  asset      TEXT NOT NULL,
  -- Empty for all recipients together.
  recipient  TEXT NOT NULL,
  hour       INTEGER NOT NULL,
  units      TEXT NOT NULL,
  PRIMARY KEY (asset, recipient, hour)
) STRICT, WITHOUT ROWID;

CREATE TABLE paid (
  address  TEXT PRIMARY KEY,
  head     TEXT NOT NULL,
  tail     TEXT NOT NULL,
  since    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX paid_head ON paid (head);
CREATE INDEX paid_tail ON paid (tail);

CREATE TRIGGER spending_moves AFTER UPDATE OF state ON intents
WHEN NEW.kind = 'transfer'
  AND (${counts('OLD')} <> ${counts('NEW')} OR (NEW.state = 'sending' AND OLD.state <> 'sending')) AND ${isCounting}
BEGIN
  INSERT INTO spending (intent, payment, at, sign)
  SELECT NEW.seq, NEW.payment,
    coalesce((SELECT at FROM spending WHERE intent = NEW.seq ORDER BY seq DESC LIMIT 1), NEW.created_at), -1
  WHERE coalesce((SELECT sign = 1 FROM spending WHERE intent = NEW.seq ORDER BY seq DESC LIMIT 1),
    ${counts('OLD')} AND NEW.seq > (SELECT first FROM counting));
  -- Counts at the latest claim, or now if there was none since counting began.
  INSERT INTO spending (intent, payment, at, sign)
  SELECT NEW.seq, NEW.payment, CASE WHEN NEW.state = 'sending' THEN NEW.updated_at
    ELSE coalesce((SELECT at FROM spending WHERE intent = NEW.seq ORDER BY seq DESC LIMIT 1), NEW.updated_at) END, 1
  WHERE ${counts('NEW')};
END;

CREATE TRIGGER spending_made_known AFTER UPDATE OF state ON intents
WHEN NEW.kind = 'transfer' AND ${happened('NEW')} AND NOT ${happened('OLD')} AND ${isCounting}
BEGIN
  INSERT OR IGNORE INTO paid (address, head, tail, since)
  SELECT address, lower(substr(address, 1, 3)), lower(substr(address, -3)), NEW.updated_at
  FROM (SELECT json_extract(NEW.payment, '$[0]') AS address);
END;

CREATE TRIGGER spending_is_kept BEFORE DELETE ON spending
BEGIN SELECT RAISE(ABORT, 'nothing is deleted from the journal'); END;
CREATE TRIGGER spending_stands BEFORE UPDATE ON spending
BEGIN SELECT RAISE(ABORT, 'what was counted stands'); END;
CREATE TRIGGER counting_goes_on BEFORE DELETE ON counting
BEGIN SELECT RAISE(ABORT, 'nothing is deleted from the journal'); END;
`;

/**
 * Numbered steps from an empty file to the current journal. A released step never changes. Each runs in one transaction
 * with the record of its number.
 */
export const migrations: readonly string[] = [[tables, rules, spending].join('')];
