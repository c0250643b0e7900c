/** What a journal in a file keeps; what is counted of it is in spending.ts. */
export const tables = `
CREATE TABLE meta (
  name  TEXT PRIMARY KEY,
  value BLOB NOT NULL
) STRICT;

-- Random for each journal; with what it makes of a token nobody can do anything elsewhere.
INSERT INTO meta (name, value) VALUES ('salt', randomblob(32));
-- Twice: with a flipped bit in it no token would be known again, and nothing would tell why.
INSERT INTO meta (name, value) SELECT 'salt-again', value FROM meta WHERE name = 'salt';

CREATE TABLE intents (
  seq                 INTEGER PRIMARY KEY,
  id                  TEXT NOT NULL UNIQUE,
  kind                TEXT NOT NULL CHECK (kind IN ('message', 'transfer')),
  base_url            TEXT NOT NULL,
  -- Where it is not the base URL of the identity, in which loopback has one name.
  spelled_url         TEXT,
  bot                 TEXT NOT NULL,
  named_by            TEXT CHECK (named_by IN ('once', 'run', 'key', 'row')),
  name                TEXT,
  row_id              TEXT,
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
  CHECK (state <> 'unknown' OR tainted = 1),
  -- Held without a doubt: it waits for a person's approval.
  CHECK (state <> 'held' OR tainted = 1 OR coalesce(why, '') IN ('approval', 'proposed', 'above-limit'))
) STRICT;

CREATE UNIQUE INDEX intents_key ON intents (key, base_url, kind);
-- A named intent is found by its key.
CREATE INDEX intents_unnamed ON intents (identity, seq) WHERE named_by IS NULL;
CREATE INDEX intents_created ON intents (created_at, seq);
CREATE INDEX intents_not_accepted ON intents (state, created_at) WHERE state <> 'accepted';
CREATE INDEX intents_unfinished_payment ON intents (payment)
  WHERE payment IS NOT NULL AND state IN ('sending', 'unknown', 'held');
-- The same payment, done before under no name of its own: few, where the rows of a batch are many.
CREATE INDEX intents_unnamed_payment ON intents (payment, updated_at)
  WHERE payment IS NOT NULL AND (named_by IS NULL OR named_by = 'run');
-- One for each way to narrow the history, newest first within it.
CREATE INDEX intents_name ON intents (name, created_at, seq) WHERE name IS NOT NULL;
CREATE INDEX intents_bot ON intents (bot, created_at, seq);
CREATE INDEX intents_kind ON intents (kind, created_at, seq);
-- A payment is a JSON array that begins with its recipient, an address.
CREATE INDEX intents_recipient ON intents (substr(payment, 3, instr(payment, '",') - 3), created_at, seq)
  WHERE payment IS NOT NULL;

-- At which base URLs there are intents: few, and asked before every claim of a name.
CREATE TABLE services (base_url TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

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
  kind         TEXT NOT NULL CHECK (kind IN ('happened', 'did-not-happen', 'send-again')),
  who          TEXT NOT NULL,
  at           INTEGER NOT NULL,
  reason       TEXT NOT NULL,
  signature    TEXT,
  -- Of an approval: the body that it is for.
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

-- What chains were seen to say of intents.
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
`;
