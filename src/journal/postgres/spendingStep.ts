/** What may have happened, until it is known that it did not. */
const counts = (row: string): string =>
  `(${row}.state IN ('sending', 'unknown', 'accepted') OR (${row}.state = 'held' AND ${row}.tainted)
    OR ${row}.resolved_as IS NOT DISTINCT FROM 'happened')`;

const happened = (row: string): string =>
  `(${row}.state = 'accepted' OR ${row}.resolved_as IS NOT DISTINCT FROM 'happened')`;

const planned = `LANGUAGE plpgsql SET search_path = pg_catalog, @schema, pg_temp
  SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_indexscan = on`;

const byIndex = `${planned} SET enable_nestloop = on SET enable_hashjoin = off SET enable_mergejoin = off`;
const byPairs = `${planned} SET enable_nestloop = off SET enable_hashjoin = on SET enable_mergejoin = on`;

/** Who, what and how much, of what an intent keeps of its payment. */
const parts = (payment: string): string =>
  `(${payment}::jsonb)->>1, (${payment}::jsonb)->>0, ((${payment}::jsonb)->>2)::numeric`;

/**
 * What is spent, as in a journal in a file; but counting begins when the journal is given its policy. Whoever sums up
 * holds the lock of the asset, which every claim of a transfer takes.
 */
export const spendingStep = `
SET LOCAL search_path = @schema, pg_temp;

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
  base_url   text COLLATE "C" NOT NULL,
  asset      text COLLATE "C" NOT NULL,
  recipient  text COLLATE "C" NOT NULL,
  -- Below nothing, where it is given back.
  units      numeric NOT NULL,
  at         bigint NOT NULL,
  summed     boolean NOT NULL DEFAULT false
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX spending_intent ON spending (intent, seq);
CREATE INDEX spending_unsummed ON spending (base_url, asset) WHERE NOT summed;

CREATE TABLE spent (
  base_url   text COLLATE "C" NOT NULL,
  asset      text COLLATE "C" NOT NULL,
  -- Empty: to all of them together.
  recipient  text COLLATE "C" NOT NULL,
  hour       bigint NOT NULL,
  units      numeric NOT NULL,
  PRIMARY KEY (base_url, asset, recipient, hour)
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
  INSERT INTO spending (intent, base_url, asset, recipient, units, at)
  SELECT n.intent, i.base_url, ${parts('n.payment')}, n.updated_at
  FROM new_rows n JOIN intents i ON i.seq = n.intent WHERE n.payment IS NOT NULL AND ${counts('n')} ORDER BY n.intent;
  RETURN NULL;
END $body$;

CREATE FUNCTION count_anew(moved bigint[], done bigint[]) RETURNS void ${byIndex} AS $body$
BEGIN
  IF moved IS NOT NULL THEN
    INSERT INTO spending (intent, base_url, asset, recipient, units, at)
    SELECT last.intent, last.base_url, last.asset, last.recipient, -last.units, last.at
    FROM unnest(moved) m (intent) CROSS JOIN LATERAL
      (SELECT * FROM spending s WHERE s.intent = m.intent ORDER BY s.seq DESC LIMIT 1) last
    WHERE last.units > 0;
    -- At its latest claim; of one that was never claimed since counting began, now.
    INSERT INTO spending (intent, base_url, asset, recipient, units, at)
    SELECT s.intent, i.base_url, ${parts('s.payment')}, CASE WHEN s.state = 'sending' THEN s.updated_at
      ELSE coalesce((SELECT e.at FROM spending e WHERE e.intent = s.intent ORDER BY e.seq DESC LIMIT 1), s.updated_at) END
    FROM standing s JOIN intents i ON i.seq = s.intent WHERE s.intent = ANY (moved) AND ${counts('s')} ORDER BY s.intent;
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

CREATE FUNCTION what_was_counted_stands() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, @schema, pg_temp AS $body$
BEGIN PERFORM refuse('what was counted stands'); RETURN NULL; END $body$;
CREATE TRIGGER spending_stands AFTER UPDATE ON spending FOR EACH ROW
  WHEN (NEW.seq <> OLD.seq OR NEW.intent <> OLD.intent OR NEW.base_url <> OLD.base_url OR NEW.asset <> OLD.asset
    OR NEW.recipient <> OLD.recipient OR NEW.units <> OLD.units OR NEW.at <> OLD.at OR (OLD.summed AND NOT NEW.summed))
  EXECUTE FUNCTION what_was_counted_stands();
CREATE TRIGGER policies_stand BEFORE UPDATE ON policies
  EXECUTE FUNCTION refuse_always('a policy stands as it was set');
${['policies', 'counting', 'spending', 'spent', 'paid']
  .map(
    (table) => `CREATE TRIGGER ${table}_is_never_deleted BEFORE DELETE OR TRUNCATE ON ${table}
  EXECUTE FUNCTION refuse_always('nothing is deleted from the journal');`,
  )
  .join('\n')}

-- Whatever has not been sent may be kept for a person's word, also where an earlier attempt came to nothing.
ALTER TABLE standing DROP CONSTRAINT "what is held may have landed, or is a proposal";
ALTER TABLE standing ADD CONSTRAINT "what is held may have landed, or is a proposal" CHECK
  (state <> 'held' OR tainted OR why IS NOT DISTINCT FROM 'approval');
DO $body$
BEGIN
  EXECUTE replace(replace(replace(pg_get_functiondef('standing_was_updated()'::regprocedure),
    $$'open>sending', 'open>resolved'$$, $$'open>sending', 'open>held', 'open>resolved'$$),
    $$'rejected>sending'$$, $$'rejected>sending', 'rejected>held'$$),
    $$'resolved>sending'$$, $$'resolved>sending', 'resolved>held'$$);
  EXECUTE replace(pg_get_functiondef('standing_was_updated()'::regprocedure),
    $$WHEN o.resolved_as = 'happened' AND n.state = 'sending'$$,
    $$WHEN n.state = 'held' AND o.state IN ('open', 'rejected', 'resolved') AND n.why IS DISTINCT FROM 'approval'
        THEN 'no intent moves between these states'
      WHEN o.resolved_as = 'happened' AND n.state = 'sending'$$);
END $body$;

DO $body$
DECLARE
  given record;
BEGIN
  FOR given IN SELECT pg_get_userbyid(a.grantee) AS role, bool_or(a.privilege_type = 'INSERT') AS runs
    FROM pg_class c CROSS JOIN aclexplode(c.relacl) a
    WHERE c.oid = 'decisions'::regclass AND a.grantee <> c.relowner AND a.grantee <> 0
      AND a.privilege_type IN ('SELECT', 'INSERT')
    GROUP BY a.grantee
  LOOP
    EXECUTE format('GRANT SELECT ON policies, counting, spending, spent, paid TO %I', given.role);
    CONTINUE WHEN NOT given.runs;
    EXECUTE format('GRANT INSERT ON spending, spent, paid TO %I', given.role);
    EXECUTE format('GRANT UPDATE (summed) ON spending TO %I', given.role);
    EXECUTE format('GRANT UPDATE (units) ON spent TO %I', given.role);
  END LOOP;
END $body$;
`;

/** A limit counts an asset over all services: per base URL, another spelling of one passed it. */
export const spendingByAsset = `SET LOCAL search_path = @schema, pg_temp;
DROP TRIGGER spending_stands ON spending;
ALTER TABLE spending DROP COLUMN base_url;
CREATE INDEX spending_unsummed ON spending (asset) WHERE NOT summed;
CREATE TRIGGER spending_stands AFTER UPDATE ON spending FOR EACH ROW
  WHEN (NEW.seq <> OLD.seq OR NEW.intent <> OLD.intent OR NEW.asset <> OLD.asset OR NEW.recipient <> OLD.recipient
    OR NEW.units <> OLD.units OR NEW.at <> OLD.at OR (OLD.summed AND NOT NEW.summed))
  EXECUTE FUNCTION what_was_counted_stands();

ALTER TABLE spent DISABLE TRIGGER spent_is_never_deleted;
WITH old AS (DELETE FROM spent RETURNING asset, recipient, hour, units)
INSERT INTO spent (base_url, asset, recipient, hour, units)
SELECT '', asset, recipient, hour, sum(units) FROM old GROUP BY asset, recipient, hour;
ALTER TABLE spent ENABLE TRIGGER spent_is_never_deleted;
ALTER TABLE spent DROP COLUMN base_url;
ALTER TABLE spent ADD PRIMARY KEY (asset, recipient, hour);

DO $body$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['spending_begins()', 'count_anew(bigint[],bigint[])'] LOOP
    EXECUTE regexp_replace(pg_get_functiondef(name::regprocedure),
      '(i\\.|last\\.)?base_url, | JOIN intents i ON i\\.seq = [ns]\\.intent', '', 'g');
  END LOOP;
END $body$;
`;

/** Gives the journal its policy, and has it count from then on: of all that was claimed, none may be missed. */
export const setPolicy = {
  alone: 'LOCK TABLE @schema.standing IN SHARE ROW EXCLUSIVE MODE',
  add: 'INSERT INTO @schema.policies (text, who, at) VALUES ($1, $2, $3) RETURNING seq',
  isCounting: 'SELECT FROM @schema.counting',
  start: `INSERT INTO @schema.counting (one, since)
    SELECT 1, least($1::bigint, (SELECT min(created_at) FROM @schema.intents))`,
  seedSpending: `INSERT INTO @schema.spending (intent, asset, recipient, units, at)
    SELECT s.intent, ${parts('s.payment')},
      coalesce((SELECT max(a.started_at) FROM @schema.attempts a WHERE a.intent = s.intent), s.updated_at)
    FROM @schema.standing s
    WHERE s.payment IS NOT NULL AND s.updated_at >= $1::bigint - 72 * 3600000::bigint AND ${counts('s')} ORDER BY s.intent`,
  seedPaid: `INSERT INTO @schema.paid (address, head, tail, since)
    SELECT p.address, lower(left(p.address, 3)), lower(right(p.address, 3)), min(p.since)
    FROM (SELECT (s.payment::jsonb)->>0 AS address, s.created_at AS since FROM @schema.standing s
      WHERE s.payment IS NOT NULL AND ${happened('s')}) p GROUP BY p.address`,
} as const;
