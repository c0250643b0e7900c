/** What may have happened, until it is known that it did not. */
const counts = (row: 'OLD' | 'NEW'): string =>
  `(${row}.state IN ('sending', 'unknown', 'accepted') OR (${row}.state = 'held' AND ${row}.tainted = 1)
    OR ${row}.resolved_as IS 'happened')`;

const isCounting = 'EXISTS (SELECT 1 FROM counting)';
const happened = (row: 'OLD' | 'NEW'): string =>
  `(${row}.state = 'accepted' OR ${row}.resolved_as IS 'happened')`;

/**
 * What is spent, counted from the first policy on that asks for it: until then nothing of this costs a row anything
 * but the look at an empty table. What begins then counts by being there; only what moves is an entry, and one that is
 * given back is another. The triggers see to it, whoever moves it. Sums are made by the hour (`spent`), in whole
 * numbers that SQLite has not.
 */
export const spending = `
CREATE TABLE counting (
  one         INTEGER PRIMARY KEY CHECK (one = 1),
  -- Of all that was done since then, this journal knows.
  since       INTEGER NOT NULL,
  -- The last intent that counts by its entries alone.
  first       INTEGER NOT NULL
) STRICT;

-- The last intent and the last entry that are in the sums: of all recipients together, and of each.
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

-- A limit counts an asset over all services: per base URL, another spelling of one would pass it.
CREATE TABLE spent (
  asset      TEXT NOT NULL,
  -- Empty: to all of them together.
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
  -- At its latest claim; of one that was never claimed since counting began, now.
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
