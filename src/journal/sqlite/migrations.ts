import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { observations } from './observations.ts';
import { spendingByAsset, spendingStep } from './spendingStep.ts';

/**
 * Numbered steps from an empty file to the journal as it is now. A step that has been released is never
 * changed; each runs in one transaction with the record of its number.
 */

const firstJournal = `
CREATE TABLE meta (
  name  TEXT PRIMARY KEY,
  value BLOB NOT NULL
) STRICT;

CREATE TABLE intents (
  seq                 INTEGER PRIMARY KEY,
  id                  TEXT NOT NULL UNIQUE,
  kind                TEXT NOT NULL CHECK (kind IN ('message', 'transfer')),
  base_url            TEXT NOT NULL,
  bot                 TEXT NOT NULL,
  named_by            TEXT CHECK (named_by IN ('once', 'run', 'key', 'row')),
  name                TEXT,
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
  resolved_as         TEXT CHECK (resolved_as IN ('happened', 'did-not-happen')),
  attempts            INTEGER NOT NULL DEFAULT 0,
  created_at          INTEGER NOT NULL,
  updated_at          INTEGER NOT NULL,
  reported_at         INTEGER,
  left_behind         INTEGER NOT NULL DEFAULT 0 CHECK (left_behind IN (0, 1)),
  CHECK ((named_by IS NULL) = (name IS NULL)),
  CHECK ((kind = 'transfer') = (payment IS NOT NULL)),
  CHECK ((state = 'sending') = (owner IS NOT NULL)),
  CHECK ((state = 'resolved') = (resolved_as IS NOT NULL)),
  -- Of what may have landed, neither "nothing left" nor "rejected" can be said.
  CHECK (state NOT IN ('open', 'rejected') OR tainted = 0),
  CHECK (state NOT IN ('unknown', 'held') OR tainted = 1)
) STRICT;

CREATE UNIQUE INDEX intents_key ON intents (key, base_url, kind);
-- A named intent is found by its key.
CREATE INDEX intents_unnamed ON intents (identity, seq) WHERE named_by IS NULL;
CREATE INDEX intents_row_name ON intents (name) WHERE named_by = 'row';
CREATE INDEX intents_created ON intents (created_at, seq);
CREATE INDEX intents_not_accepted ON intents (state, created_at) WHERE state <> 'accepted';
CREATE INDEX intents_unfinished_payment ON intents (payment)
  WHERE payment IS NOT NULL AND state IN ('sending', 'unknown', 'held');

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
  seq        INTEGER PRIMARY KEY,
  intent     INTEGER NOT NULL REFERENCES intents (seq),
  kind       TEXT NOT NULL CHECK (kind IN ('happened', 'did-not-happen', 'send-again')),
  who        TEXT NOT NULL,
  at         INTEGER NOT NULL,
  reason     TEXT NOT NULL,
  signature  TEXT
) STRICT;
CREATE INDEX decisions_intent ON decisions (intent);

-- What an intent is never changes, and the one thing it can become again is itself.
CREATE TRIGGER intents_identity_is_fixed
BEFORE UPDATE OF seq, id, kind, base_url, bot, key, created_at, named_by, name, identity ON intents
WHEN NEW.seq <> OLD.seq OR NEW.id <> OLD.id OR NEW.kind <> OLD.kind OR NEW.base_url <> OLD.base_url OR NEW.bot <> OLD.bot
  OR NEW.key <> OLD.key OR NEW.created_at <> OLD.created_at OR NEW.named_by IS NOT OLD.named_by
  OR NEW.name IS NOT OLD.name OR NEW.identity <> OLD.identity
BEGIN SELECT RAISE(ABORT, 'an intent keeps its key and identity'); END;

CREATE TRIGGER intents_body_is_frozen BEFORE UPDATE OF body, fingerprint, payment ON intents
WHEN (NEW.body <> OLD.body OR NEW.fingerprint <> OLD.fingerprint OR NEW.payment IS NOT OLD.payment)
  AND NOT (OLD.state IN ('rejected', 'resolved') AND OLD.tainted = 0 AND OLD.resolved_as IS NOT 'happened')
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

-- INSERT OR REPLACE deletes without asking the triggers of deletion.
CREATE TRIGGER intents_are_not_replaced BEFORE INSERT ON intents
WHEN EXISTS (SELECT 1 FROM intents WHERE seq = NEW.seq OR id = NEW.id)
  OR EXISTS (SELECT 1 FROM intents WHERE key = NEW.key AND base_url = NEW.base_url AND kind = NEW.kind)
BEGIN SELECT RAISE(ABORT, 'nothing is replaced in the journal'); END;

CREATE TRIGGER intents_begin_claimed BEFORE INSERT ON intents
WHEN NEW.state <> 'sending' OR NEW.tainted = 1
BEGIN SELECT RAISE(ABORT, 'an intent begins claimed and untainted'); END;

-- accepted outranks everything and is left by nothing.
CREATE TRIGGER intents_state_moves BEFORE UPDATE OF state ON intents
WHEN NEW.state <> OLD.state AND (OLD.state || '>' || NEW.state) NOT IN (
  'open>sending', 'open>resolved', 'open>accepted',
  'sending>open', 'sending>unknown', 'sending>accepted', 'sending>rejected', 'sending>held',
  'unknown>sending', 'unknown>held', 'unknown>resolved', 'unknown>accepted',
  'held>sending', 'held>resolved', 'held>accepted',
  'rejected>sending', 'rejected>accepted',
  'resolved>sending', 'resolved>accepted')
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

CREATE TRIGGER decisions_are_kept BEFORE DELETE ON decisions
BEGIN SELECT RAISE(ABORT, 'nothing is deleted from the journal'); END;

CREATE TRIGGER decisions_stand BEFORE UPDATE ON decisions
BEGIN SELECT RAISE(ABORT, 'a decision stands as it was made'); END;
`;

/**
 * What the second round needs, laid out once: rows of batches by their ids, base URLs as they were spelled, what
 * the service or the chain gives to one intent only, losses, and what is held without ever having been sent.
 * SQLite's own way to loosen a check is to write the new one into the schema: nothing on the disk depends on it.
 */
const secondRound = `
ALTER TABLE intents ADD COLUMN row_id TEXT;
-- Where it is not the base URL of the identity, in which loopback has one name.
ALTER TABLE intents ADD COLUMN spelled_url TEXT;

PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql,
  'CHECK (state NOT IN (''unknown'', ''held'') OR tainted = 1)',
  'CHECK (state <> ''unknown'' OR tainted = 1),
  -- Held without a doubt: a proposal, of which no attempt was made.
  CHECK (state <> ''held'' OR tainted = 1 OR (attempts = 0 AND why IS ''approval''))')
WHERE type = 'table' AND name = 'intents';
PRAGMA writable_schema = RESET;

DROP TRIGGER intents_begin_claimed;
CREATE TRIGGER intents_begin_claimed BEFORE INSERT ON intents
WHEN NEW.tainted = 1 OR NOT (NEW.state = 'sending' OR (NEW.state = 'held' AND NEW.attempts = 0 AND NEW.why IS 'approval'))
BEGIN SELECT RAISE(ABORT, 'an intent begins claimed, or as a proposal, and untainted'); END;

CREATE TRIGGER intents_spelling_is_fixed BEFORE UPDATE OF row_id, spelled_url ON intents
WHEN NEW.row_id IS NOT OLD.row_id OR NEW.spelled_url IS NOT OLD.spelled_url
BEGIN SELECT RAISE(ABORT, 'an intent keeps its row and its spelling'); END;

-- The same payment, done before under no name of its own: few, where the rows of a batch are many.
CREATE INDEX intents_unnamed_payment ON intents (payment, updated_at)
  WHERE payment IS NOT NULL AND (named_by IS NULL OR named_by = 'run');

-- A transfer id or a signature of one service, or an instruction on one chain, belongs to one intent.
CREATE TABLE receipts (
  seq     INTEGER PRIMARY KEY,
  origin  TEXT NOT NULL,
  what    TEXT NOT NULL CHECK (what IN ('transfer-id', 'signature', 'instruction')),
  value   TEXT NOT NULL CHECK (value <> ''),
  intent  INTEGER NOT NULL REFERENCES intents (seq),
  UNIQUE (value, what, origin)
) STRICT;

CREATE TRIGGER receipts_are_not_replaced BEFORE INSERT ON receipts
WHEN EXISTS (SELECT 1 FROM receipts WHERE seq = NEW.seq)
  OR EXISTS (SELECT 1 FROM receipts WHERE value = NEW.value AND what = NEW.what AND origin = NEW.origin)
BEGIN SELECT RAISE(ABORT, 'nothing is replaced in the journal'); END;

CREATE TRIGGER receipts_are_kept BEFORE DELETE ON receipts
BEGIN SELECT RAISE(ABORT, 'nothing is deleted from the journal'); END;

CREATE TRIGGER receipts_stand BEFORE UPDATE ON receipts
BEGIN SELECT RAISE(ABORT, 'a receipt stands as it was given'); END;

-- Numbers that are known to have been given and are gone: whoever counts goes on above them.
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

CREATE TRIGGER losses_are_kept BEFORE DELETE ON losses
BEGIN SELECT RAISE(ABORT, 'nothing is deleted from the journal'); END;

CREATE TRIGGER losses_stand BEFORE UPDATE ON losses
BEGIN SELECT RAISE(ABORT, 'a loss stands as it was accepted'); END;

-- Random for each journal; with what it makes of a token nobody can do anything elsewhere.
INSERT OR IGNORE INTO meta (name, value) VALUES ('salt', randomblob(32));
-- Twice: with a flipped bit in it no token would be known again, and nothing would tell why.
INSERT INTO meta (name, value) SELECT 'salt-again', value FROM meta WHERE name = 'salt';

INSERT OR IGNORE INTO receipts (origin, what, value, intent)
SELECT intents.base_url, said.key, said.value, intents.seq FROM intents
JOIN attempts ON attempts.intent = intents.seq AND attempts.verdict = 'accepted'
JOIN json_each(CASE WHEN json_valid(CAST(attempts.reply AS TEXT)) THEN json_object(
  'transfer-id', json_extract(CAST(attempts.reply AS TEXT), '$.transfer_id'),
  'signature', json_extract(CAST(attempts.reply AS TEXT), '$.signature')) ELSE '{}' END) AS said
WHERE intents.kind = 'transfer' AND said.type = 'text' AND said.value <> '' ORDER BY intents.seq;
`;

/** An index for each way to narrow the history, newest first within it. */
const narrowings = `
DROP INDEX intents_row_name;
CREATE INDEX intents_name ON intents (name, created_at, seq) WHERE name IS NOT NULL;
CREATE INDEX intents_bot ON intents (bot, created_at, seq);
CREATE INDEX intents_kind ON intents (kind, created_at, seq);
-- A payment is a JSON array that begins with its recipient, an address.
CREATE INDEX intents_recipient ON intents (substr(payment, 3, instr(payment, '",') - 3), created_at, seq)
  WHERE payment IS NOT NULL;
`;

const approvedBody = 'ALTER TABLE decisions ADD COLUMN fingerprint TEXT;';

/** What is proposed, and what a policy lets nobody send without a person's word, are told apart. */
const proposals = `
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql,
  'CHECK (state <> ''held'' OR tainted = 1 OR why IS ''approval'')',
  'CHECK (state <> ''held'' OR tainted = 1 OR coalesce(why, '''') IN (''approval'', ''proposed'', ''above-limit''))')
WHERE type = 'table' AND name = 'intents';
PRAGMA writable_schema = RESET;

DROP TRIGGER intents_begin_claimed;
CREATE TRIGGER intents_begin_claimed BEFORE INSERT ON intents
WHEN NEW.tainted = 1 OR NOT (NEW.state = 'sending'
  OR (NEW.state = 'held' AND NEW.attempts = 0 AND coalesce(NEW.why, '') IN ('approval', 'proposed', 'above-limit')))
BEGIN SELECT RAISE(ABORT, 'an intent begins claimed, or as a proposal, and untainted'); END;

DROP TRIGGER intents_held_for_approval;
CREATE TRIGGER intents_held_for_approval BEFORE UPDATE OF state ON intents
WHEN NEW.state = 'held' AND OLD.state IN ('open', 'rejected', 'resolved')
  AND coalesce(NEW.why, '') NOT IN ('approval', 'proposed', 'above-limit')
BEGIN SELECT RAISE(ABORT, 'no intent moves between these states'); END;
`;

const beforeTheFirst = `
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, '''acknowledged'')', '''acknowledged'', ''before'')')
WHERE type = 'table' AND name = 'observations';
PRAGMA writable_schema = RESET;
`;

/** At which base URLs there are intents: few, and asked before every claim of a name. */
const services = `
CREATE TABLE services (base_url TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
INSERT INTO services (base_url) SELECT DISTINCT base_url FROM intents;

CREATE TRIGGER services_are_known AFTER INSERT ON intents
WHEN NOT EXISTS (SELECT 1 FROM services WHERE base_url = NEW.base_url)
BEGIN INSERT INTO services (base_url) VALUES (NEW.base_url); END;
CREATE TRIGGER services_are_kept BEFORE DELETE ON services
BEGIN SELECT RAISE(ABORT, 'nothing is deleted from the journal'); END;
CREATE TRIGGER services_stand BEFORE UPDATE ON services
BEGIN SELECT RAISE(ABORT, 'a base URL stands as it was given'); END;
`;

export const migrations: readonly string[] = [
  firstJournal,
  secondRound,
  observations,
  narrowings,
  spendingStep,
  approvedBody,
  proposals,
  spendingByAsset,
  beforeTheFirst,
  services,
];

/** A step may loosen a check of the schema itself, which nothing else is ever allowed to write to. */
export function applyStep(database: DatabaseSyncInstance, step: string): void {
  database.enableDefensive(false);
  try {
    database.exec(step);
  } finally {
    database.enableDefensive(true);
  }
}
