/** What chains were seen to say of intents. Nothing of it changes, and two intents never have one payment. */
export const observations = `
CREATE TABLE observations (
  seq          INTEGER PRIMARY KEY,
  intent       INTEGER NOT NULL REFERENCES intents (seq),
  verdict      TEXT NOT NULL CHECK (verdict IN ('proven', 'likely', 'contradicted', 'undecided', 'acknowledged')),
  who          TEXT NOT NULL,
  at           INTEGER NOT NULL,
  signature    TEXT,
  genesis      TEXT,
  instruction  TEXT,
  facts        TEXT NOT NULL,
  CHECK (verdict <> 'proven' OR (signature IS NOT NULL AND genesis IS NOT NULL AND instruction IS NOT NULL))
) STRICT;
CREATE INDEX observations_intent ON observations (intent);

CREATE TRIGGER observations_have_their_payment BEFORE INSERT ON observations
WHEN NEW.verdict = 'proven' AND NOT EXISTS (SELECT 1 FROM receipts WHERE intent = NEW.intent
  AND what = 'instruction' AND origin = NEW.genesis AND value = NEW.signature || '/' || NEW.instruction)
BEGIN SELECT RAISE(ABORT, 'what is proven has a payment of its own'); END;

CREATE TRIGGER observations_are_not_replaced BEFORE INSERT ON observations
WHEN EXISTS (SELECT 1 FROM observations WHERE seq = NEW.seq)
BEGIN SELECT RAISE(ABORT, 'nothing is replaced in the journal'); END;

CREATE TRIGGER observations_are_kept BEFORE DELETE ON observations
BEGIN SELECT RAISE(ABORT, 'nothing is deleted from the journal'); END;

CREATE TRIGGER observations_stand BEFORE UPDATE ON observations
BEGIN SELECT RAISE(ABORT, 'an observation stands as it was made'); END;
`;
