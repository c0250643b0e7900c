import { byIndex, byPairs } from './rules.ts';

/** What may have happened, until it is known that it did not. */
export const counts = (row: string): string =>
  `(${row}.state IN ('sending', 'unknown', 'accepted') OR (${row}.state = 'held' AND ${row}.tainted)
    OR ${row}.resolved_as IS NOT DISTINCT FROM 'happened')`;

export const happened = (row: string): string =>
  `(${row}.state = 'accepted' OR ${row}.resolved_as IS NOT DISTINCT FROM 'happened')`;

/** Who, what and how much, of what an intent keeps of its payment. */
export const parts = (payment: string): string =>
  `(${payment}::jsonb)->>1, (${payment}::jsonb)->>0, ((${payment}::jsonb)->>2)::numeric`;

/**
 * What is spent, as in a journal in a file; but counting begins when the journal is given its policy. Whoever sums up
 * holds the lock of the asset, which every claim of a transfer takes.
 */
export const spending = `
-- The latest one applies to everybody who sends.
CREATE TABLE policies (
  seq   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  text  text COLLATE "C" NOT NULL,
  who   text COLLATE "C" NOT NULL,
  at    bigint NOT NULL
);

CREATE TABLE counting (
  one    integer PRIMARY KEY CHECK (one = 1),
  since  bigint NOT NULL
);

CREATE TABLE spending (
  seq        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  intent     bigint NOT NULL,
  asset      text COLLATE "C" NOT NULL,
  recipient  text COLLATE "C" NOT NULL,
  -- Below nothing, where it is given back.
  units      numeric NOT NULL,
  at         bigint NOT NULL,
  summed     boolean NOT NULL DEFAULT false
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX spending_intent ON spending (intent, seq);
CREATE INDEX spending_unsummed ON spending (asset) WHERE NOT summed;

-- A limit counts an asset over all services: per base URL, another spelling of one would pass it.
CREATE TABLE spent (
  asset      text COLLATE "C" NOT NULL,
  -- Empty: to all of them together.
  recipient  text COLLATE "C" NOT NULL,
  hour       bigint NOT NULL,
  units      numeric NOT NULL,
  PRIMARY KEY (asset, recipient, hour)
) WITH (fillfactor = 50);

CREATE TABLE paid (
  address  text COLLATE "C" PRIMARY KEY,
  head     text COLLATE "C" NOT NULL,
  tail     text COLLATE "C" NOT NULL,
  since    bigint NOT NULL
);
CREATE INDEX paid_head ON paid (head);
CREATE INDEX paid_tail ON paid (tail);

CREATE FUNCTION spending_begins() RETURNS trigger ${byIndex} AS $body$
BEGIN
  IF NOT EXISTS (SELECT FROM counting) THEN RETURN NULL; END IF;
  INSERT INTO spending (intent, asset, recipient, units, at)
  SELECT n.intent, ${parts('n.payment')}, n.updated_at
  FROM new_rows n WHERE n.payment IS NOT NULL AND ${counts('n')} ORDER BY n.intent;
  RETURN NULL;
END $body$;

CREATE FUNCTION count_anew(moved bigint[], done bigint[]) RETURNS void ${byIndex} AS $body$
BEGIN
  IF moved IS NOT NULL THEN
    INSERT INTO spending (intent, asset, recipient, units, at)
    SELECT last.intent, last.asset, last.recipient, -last.units, last.at
    FROM unnest(moved) m (intent) CROSS JOIN LATERAL
      (SELECT * FROM spending s WHERE s.intent = m.intent ORDER BY s.seq DESC LIMIT 1) last
    WHERE last.units > 0;
    -- At its latest claim; of one that was never claimed since counting began, now.
    INSERT INTO spending (intent, asset, recipient, units, at)
    SELECT s.intent, ${parts('s.payment')}, CASE WHEN s.state = 'sending' THEN s.updated_at
      ELSE coalesce((SELECT e.at FROM spending e WHERE e.intent = s.intent ORDER BY e.seq DESC LIMIT 1), s.updated_at) END
    FROM standing s WHERE s.intent = ANY (moved) AND ${counts('s')} ORDER BY s.intent;
  END IF;
  IF done IS NOT NULL THEN
    INSERT INTO paid (address, head, tail, since)
    SELECT p.address, lower(left(p.address, 3)), lower(right(p.address, 3)), min(p.since)
    FROM (SELECT (s.payment::jsonb)->>0 AS address, s.updated_at AS since FROM standing s WHERE s.intent = ANY (done)) p
    GROUP BY p.address ORDER BY p.address ON CONFLICT DO NOTHING;
  END IF;
END $body$;

CREATE FUNCTION spending_moves() RETURNS trigger ${byPairs} AS $body$
DECLARE
  moved bigint[];
  done bigint[];
BEGIN
  IF NOT EXISTS (SELECT FROM counting) THEN RETURN NULL; END IF;
  SELECT array_agg(n.intent) FILTER (WHERE ${counts('o')} <> ${counts('n')}
      OR (n.state = 'sending' AND o.state <> 'sending')),
    array_agg(n.intent) FILTER (WHERE ${happened('n')} AND NOT ${happened('o')})
  INTO moved, done FROM new_rows n JOIN old_rows o ON o.intent = n.intent WHERE n.payment IS NOT NULL;
  PERFORM count_anew(moved, done);
  RETURN NULL;
END $body$;

CREATE TRIGGER spending_begins AFTER INSERT ON standing
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION spending_begins();
CREATE TRIGGER spending_moves AFTER UPDATE ON standing
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION spending_moves();

CREATE TRIGGER spending_stands AFTER UPDATE ON spending FOR EACH ROW
  WHEN (NEW.seq <> OLD.seq OR NEW.intent <> OLD.intent OR NEW.asset <> OLD.asset
    OR NEW.recipient <> OLD.recipient OR NEW.units <> OLD.units OR NEW.at <> OLD.at OR (OLD.summed AND NOT NEW.summed))
  EXECUTE FUNCTION refuse_always('what was counted stands');
CREATE TRIGGER policies_stand BEFORE UPDATE ON policies
  EXECUTE FUNCTION refuse_always('a policy stands as it was set');
`;
