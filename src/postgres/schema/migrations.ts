// SQL: the shared journal’s rules, step by step.
import { descriptions, tables } from './tables.ts';

/*
 * The rules of a journal in a file, in the same words, as triggers for each statement: one trigger checks all rows of a
 * statement at once. Functions set their own search path, so that nobody can replace a table or operator that they use.
 * They also set how they are planned: their plans are made on an empty journal, kept for a session, and must suit a
 * full one.
 */

/** How an intent may move. Accepted outranks everything and is never left. */
const moves = `
  'open>sending', 'open>held', 'open>resolved', 'open>accepted',
  'sending>open', 'sending>unknown', 'sending>accepted', 'sending>rejected', 'sending>held',
  'unknown>sending', 'unknown>held', 'unknown>resolved', 'unknown>accepted',
  'held>sending', 'held>resolved', 'held>accepted',
  'rejected>sending', 'rejected>held', 'rejected>accepted',
  'resolved>sending', 'resolved>held', 'resolved>accepted'`;

/**
 * A session's settings also apply in its triggers, so all that matter are set here. Without jit = off, the disabled
 * plans look so expensive that they are compiled first, which takes 270 ms for one row.
 */
const planned = `LANGUAGE plpgsql SET search_path = pg_catalog, @schema, pg_temp
  SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_indexscan = on`;

/** For each new row, finds the matching rows of a big table by an index. */
const byIndex = `${planned}
  SET enable_nestloop = on SET enable_hashjoin = off SET enable_mergejoin = off`;

/** Old and new rows have no index, so they must not be compared each with each. A big table is read with = ANY. */
const byPairs = `${planned}
  SET enable_nestloop = off SET enable_hashjoin = on SET enable_mergejoin = on`;

const rules = `
CREATE FUNCTION refuse(sentence text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
BEGIN RAISE EXCEPTION USING ERRCODE = 'ZJ001', MESSAGE = sentence; END $body$;

CREATE FUNCTION refuse_always() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
BEGIN RAISE EXCEPTION USING ERRCODE = 'ZJ001', MESSAGE = TG_ARGV[0]; END $body$;

CREATE FUNCTION intents_were_inserted() RETURNS trigger ${byPairs} AS $body$
DECLARE
  ids bigint[] := (SELECT array_agg(seq) FROM new_rows);
BEGIN
  IF cardinality(ids) <> (SELECT count(*) FROM standing s WHERE s.intent = ANY (ids)) THEN
    PERFORM refuse('an intent begins with its standing');
  END IF;
  RETURN NULL;
END $body$;

CREATE FUNCTION living(ids text[]) RETURNS bigint ${byPairs} AS $body$
BEGIN RETURN (SELECT count(*) FROM owners o WHERE o.id = ANY (ids) AND o.ended_at IS NULL); END $body$;

CREATE FUNCTION services_are_known() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, @schema, pg_temp AS $body$
BEGIN
  INSERT INTO services (base_url) SELECT DISTINCT base_url FROM new_rows ORDER BY base_url ON CONFLICT DO NOTHING;
  RETURN NULL;
END $body$;

CREATE FUNCTION standing_was_inserted() RETURNS trigger ${byPairs} AS $body$
DECLARE
  begun bigint;
  ids bigint[];
  claimers text[];
BEGIN
  SELECT count(*) FILTER (WHERE NOT n.tainted AND n.body_version = 1 AND (n.state = 'sending'
      OR (n.state = 'held' AND n.attempts = 0 AND coalesce(n.why, '') IN ('approval', 'proposed', 'above-limit')))),
    array_agg(n.intent), array_agg(DISTINCT n.owner) FILTER (WHERE n.owner IS NOT NULL)
  INTO begun, ids, claimers FROM new_rows n;
  IF cardinality(ids) <> begun THEN
    PERFORM refuse('an intent begins claimed, or as a proposal, and untainted');
  END IF;
  IF cardinality(ids) <> (SELECT count(*) FROM intents i JOIN new_rows n ON n.intent = i.seq
      AND n.created_at = i.created_at AND n.payment IS NOT DISTINCT FROM i.payment WHERE i.seq = ANY (ids)) THEN
    PERFORM refuse('what stands belongs to an intent');
  END IF;
  IF cardinality(claimers) <> living(claimers) THEN PERFORM refuse('who has ended claims nothing'); END IF;
  RETURN NULL;
END $body$;

CREATE FUNCTION standing_was_updated() RETURNS trigger ${byPairs} AS $body$
DECLARE
  wrong text;
  accepted bigint[];
  reopened bigint[];
  rewritten bigint[];
  claimers text[];
BEGIN
  SELECT min(CASE
      WHEN o.intent IS NULL OR n.created_at <> o.created_at THEN 'an intent keeps its key and identity'
      WHEN n.attempts < o.attempts THEN 'attempts are not uncounted'
      WHEN o.tainted AND NOT n.tainted THEN 'a tainted intent stays tainted'
      WHEN o.reported_at IS NOT NULL AND n.reported_at IS DISTINCT FROM o.reported_at
        THEN 'an outcome is first reported once'
      WHEN n.state <> o.state AND (o.state || '>' || n.state) NOT IN (${moves})
        THEN 'no intent moves between these states'
      WHEN n.state = 'held' AND o.state IN ('open', 'rejected', 'resolved')
        AND coalesce(n.why, '') NOT IN ('approval', 'proposed', 'above-limit')
        THEN 'no intent moves between these states'
      WHEN o.resolved_as = 'happened' AND n.state = 'sending' THEN 'what happened is not sent again'
      WHEN n.owner <> o.owner THEN 'a claim passes on only through unknown'
      WHEN (n.body_version <> o.body_version OR n.payment IS DISTINCT FROM o.payment)
        AND NOT (n.body_version = o.body_version + 1 AND o.state IN ('rejected', 'resolved') AND NOT o.tainted
          AND o.resolved_as IS DISTINCT FROM 'happened')
        THEN 'the body of an intent is frozen'
      END COLLATE "C"),
    array_agg(n.intent) FILTER (WHERE n.state = 'accepted' AND o.state <> 'accepted'),
    array_agg(n.intent) FILTER (WHERE n.state = 'sending' AND o.state IN ('rejected', 'resolved')),
    array_agg(n.intent) FILTER (WHERE n.body_version <> o.body_version),
    array_agg(DISTINCT n.owner) FILTER (WHERE n.owner IS NOT NULL AND o.owner IS NULL)
  INTO wrong, accepted, reopened, rewritten, claimers
  FROM new_rows n LEFT JOIN old_rows o ON o.intent = n.intent;

  IF wrong IS NOT NULL THEN PERFORM refuse(wrong); END IF;
  IF cardinality(accepted) <> (SELECT count(DISTINCT a.intent) FROM attempts a
      WHERE a.intent = ANY (accepted) AND a.verdict = 'accepted') THEN
    PERFORM refuse('only an accepted attempt makes an intent accepted');
  END IF;
  IF reopened IS NOT NULL AND EXISTS (SELECT FROM intents i WHERE i.seq = ANY (reopened) AND i.named_by IS NULL) THEN
    PERFORM refuse('an unnamed intent that ended is not sent again');
  END IF;
  IF cardinality(rewritten) <> (SELECT count(*) FROM new_rows n
      JOIN rewrites r ON r.intent = n.intent AND r.version = n.body_version AND r.payment IS NOT DISTINCT FROM n.payment
      WHERE r.intent = ANY (rewritten) AND n.intent = ANY (rewritten))
    -- People were shown what was ever proposed.
    OR EXISTS (SELECT FROM decisions d WHERE d.intent = ANY (rewritten) AND d.kind = 'proposed') THEN
    PERFORM refuse('the body of an intent is frozen');
  END IF;
  IF cardinality(claimers) <> living(claimers) THEN PERFORM refuse('who has ended claims nothing'); END IF;
  RETURN NULL;
END $body$;

CREATE FUNCTION rewrites_were_inserted() RETURNS trigger ${byIndex} AS $body$
BEGIN
  -- If standing names it in the same statement, it was allowed there. Otherwise it may be the next to be named.
  IF EXISTS (SELECT FROM new_rows n JOIN standing s ON s.intent = n.intent
      WHERE (n.payment IS NULL) <> (s.payment IS NULL) OR NOT (n.version = s.body_version
        OR (n.version = s.body_version + 1 AND s.state IN ('rejected', 'resolved') AND NOT s.tainted
          AND s.resolved_as IS DISTINCT FROM 'happened'))) THEN
    PERFORM refuse('the body of an intent is frozen');
  END IF;
  RETURN NULL;
END $body$;

CREATE FUNCTION attempts_were_inserted() RETURNS trigger ${byPairs} AS $body$
DECLARE
  ids bigint[];
  judged boolean;
  claimed bigint;
  claimers text[];
BEGIN
  SELECT array_agg(DISTINCT n.intent), bool_or(n.verdict IS NOT NULL) INTO ids, judged FROM new_rows n;
  IF judged THEN PERFORM refuse('an attempt begins without a verdict'); END IF;
  SELECT count(*), array_agg(DISTINCT s.owner) INTO claimed, claimers
  FROM standing s WHERE s.intent = ANY (ids) AND s.state = 'sending';
  IF cardinality(ids) <> claimed THEN PERFORM refuse('an attempt needs a claim'); END IF;
  IF cardinality(claimers) <> living(claimers) THEN PERFORM refuse('who has ended attempts nothing'); END IF;
  RETURN NULL;
END $body$;

CREATE FUNCTION receipts_were_inserted() RETURNS trigger ${byPairs} AS $body$
DECLARE
  ids bigint[] := (SELECT array_agg(DISTINCT intent) FROM new_rows);
BEGIN
  IF cardinality(ids) <> (SELECT count(*) FROM intents i WHERE i.seq = ANY (ids)) THEN
    PERFORM refuse('a receipt belongs to an intent');
  END IF;
  RETURN NULL;
END $body$;

CREATE FUNCTION decisions_were_inserted() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, @schema, pg_temp AS $body$
BEGIN
  IF EXISTS (SELECT FROM new_rows n WHERE n.role <> session_user) THEN
    PERFORM refuse('a decision is made in one’s own role');
  END IF;
  RETURN NULL;
END $body$;

CREATE FUNCTION observations_were_inserted() RETURNS trigger ${byIndex} AS $body$
BEGIN
  IF EXISTS (SELECT FROM new_rows n LEFT JOIN receipts r ON r.value = n.signature || '/' || n.instruction
      AND r.what = 'instruction' AND r.origin = n.genesis
      WHERE n.verdict = 'proven' AND r.intent IS DISTINCT FROM n.intent) THEN
    PERFORM refuse('what is proven has a payment of its own');
  END IF;
  RETURN NULL;
END $body$;

CREATE FUNCTION taint(intents bigint[], started bigint[]) RETURNS void ${byIndex} AS $body$
BEGIN
  UPDATE standing s SET tainted = true, may_have_landed_at = coalesce(s.may_have_landed_at, landed.at)
  FROM (SELECT u.intent, min(u.at) AS at FROM unnest(intents, started) u (intent, at) GROUP BY u.intent) landed
  WHERE s.intent = landed.intent AND (NOT s.tainted OR s.may_have_landed_at IS NULL);
END $body$;

CREATE FUNCTION attempts_were_updated() RETURNS trigger ${byPairs} AS $body$
DECLARE
  wrong text;
  doubtful bigint[];
  started bigint[];
BEGIN
  SELECT min(CASE
      WHEN o.intent IS NULL OR n.started_at <> o.started_at THEN 'an attempt stays where it began'
      WHEN o.verdict IS NOT NULL AND NOT (o.phase = 'process-died' AND n.verdict IS NOT NULL
        AND n.phase IS NOT NULL AND n.phase <> 'process-died') THEN 'an attempt ends once'
      END COLLATE "C"),
    array_agg(n.intent) FILTER (WHERE n.verdict IN ('unknown', 'held')),
    array_agg(n.started_at) FILTER (WHERE n.verdict IN ('unknown', 'held'))
  INTO wrong, doubtful, started
  FROM new_rows n LEFT JOIN old_rows o ON o.intent = n.intent AND o.number = n.number;
  IF wrong IS NOT NULL THEN PERFORM refuse(wrong); END IF;
  IF doubtful IS NOT NULL THEN PERFORM taint(doubtful, started); END IF;
  RETURN NULL;
END $body$;

CREATE FUNCTION owner_was_updated() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
BEGIN
  IF OLD.ended_at IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'ZJ001', MESSAGE = 'an owner ends once';
  END IF;
  RAISE EXCEPTION USING ERRCODE = 'ZJ001', MESSAGE = 'an owner stays who it is';
END $body$;

CREATE FUNCTION share_passes_on() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, @schema, pg_temp AS $body$
BEGIN
  IF EXISTS (SELECT FROM owners WHERE id = OLD.owner AND ended_at IS NULL)
    OR NOT EXISTS (SELECT FROM owners WHERE id = NEW.owner AND ended_at IS NULL) THEN
    PERFORM refuse('a share passes on only from an owner that ended to one that lives');
  END IF;
  RETURN NULL;
END $body$;

CREATE FUNCTION salt_was_updated() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, @schema, pg_temp AS $body$
BEGIN
  IF EXISTS (SELECT FROM intents) THEN PERFORM refuse('the salt stays once there are intents'); END IF;
  RETURN NULL;
END $body$;

CREATE TRIGGER intents_were_inserted AFTER INSERT ON intents
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION intents_were_inserted();
CREATE TRIGGER services_are_known AFTER INSERT ON intents
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION services_are_known();
CREATE TRIGGER standing_was_inserted AFTER INSERT ON standing
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION standing_was_inserted();
CREATE TRIGGER standing_was_updated AFTER UPDATE ON standing
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION standing_was_updated();
CREATE TRIGGER rewrites_were_inserted AFTER INSERT ON rewrites
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION rewrites_were_inserted();
CREATE TRIGGER receipts_were_inserted AFTER INSERT ON receipts
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION receipts_were_inserted();
CREATE TRIGGER decisions_were_inserted AFTER INSERT ON decisions
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION decisions_were_inserted();
CREATE TRIGGER observations_were_inserted AFTER INSERT ON observations
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION observations_were_inserted();
CREATE TRIGGER attempts_were_inserted AFTER INSERT ON attempts
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION attempts_were_inserted();
CREATE TRIGGER attempts_were_updated AFTER UPDATE ON attempts
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION attempts_were_updated();

CREATE TRIGGER intents_body_is_frozen BEFORE UPDATE OF body, fingerprint, payment ON intents
  EXECUTE FUNCTION refuse_always('the body of an intent is frozen');
CREATE TRIGGER intents_identity_is_fixed BEFORE UPDATE ON intents
  EXECUTE FUNCTION refuse_always('an intent keeps its key and identity');
CREATE TRIGGER services_stand BEFORE UPDATE ON services
  EXECUTE FUNCTION refuse_always('a base URL stands as it was given');
CREATE TRIGGER rewrites_stand BEFORE UPDATE ON rewrites
  EXECUTE FUNCTION refuse_always('the body of an intent is frozen');
CREATE TRIGGER decisions_stand BEFORE UPDATE ON decisions
  EXECUTE FUNCTION refuse_always('a decision stands as it was made');
CREATE TRIGGER receipts_stand BEFORE UPDATE ON receipts
  EXECUTE FUNCTION refuse_always('a receipt stands as it was given');
CREATE TRIGGER observations_stand BEFORE UPDATE ON observations
  EXECUTE FUNCTION refuse_always('an observation stands as it was made');
CREATE TRIGGER losses_stand BEFORE UPDATE ON losses
  EXECUTE FUNCTION refuse_always('a loss stands as it was accepted');
CREATE TRIGGER servers_stand BEFORE UPDATE ON servers
  EXECUTE FUNCTION refuse_always('a server stands as it was seen');

CREATE TRIGGER owners_end_once AFTER UPDATE ON owners FOR EACH ROW
  WHEN (OLD.ended_at IS NOT NULL OR NEW.id <> OLD.id OR NEW.host <> OLD.host OR NEW.pid <> OLD.pid
    OR NEW.begun_at <> OLD.begun_at)
  EXECUTE FUNCTION owner_was_updated();
CREATE TRIGGER batches_stay AFTER UPDATE ON batches FOR EACH ROW
  WHEN (NEW.seq <> OLD.seq OR NEW.name <> OLD.name OR NEW.base_url <> OLD.base_url OR NEW.kind <> OLD.kind)
  EXECUTE FUNCTION refuse_always('a batch keeps its name');
CREATE TRIGGER batches_go_on AFTER UPDATE ON batches FOR EACH ROW
  WHEN (NEW.round < OLD.round OR (NEW.round = OLD.round AND (NEW.next_ordinal < OLD.next_ordinal
    OR NEW.digest <> OLD.digest OR NEW.rows <> OLD.rows)))
  EXECUTE FUNCTION refuse_always('a batch begins again only in a new round');
CREATE TRIGGER shares_stay AFTER UPDATE ON shares FOR EACH ROW
  WHEN (NEW.batch <> OLD.batch OR NEW.round <> OLD.round OR NEW.first <> OLD.first OR NEW.last <> OLD.last
    OR OLD.ended_at IS NOT NULL)
  EXECUTE FUNCTION refuse_always('a share stays as it was given, and ends once');
CREATE TRIGGER shares_pass_on AFTER UPDATE ON shares FOR EACH ROW WHEN (NEW.owner <> OLD.owner)
  EXECUTE FUNCTION share_passes_on();
CREATE TRIGGER meta_is_kept AFTER UPDATE ON meta FOR EACH ROW
  WHEN (OLD.name = 'journal-id' OR NEW.name <> OLD.name)
  EXECUTE FUNCTION refuse_always('a journal keeps its id');
CREATE TRIGGER salt_stays AFTER UPDATE ON salt EXECUTE FUNCTION salt_was_updated();
`;

const kept = [
  ...['meta', 'salt', 'servers', 'owners', 'intents', 'services', 'rewrites', 'standing', 'attempts'],
  ...['decisions', 'receipts', 'observations', 'losses', 'batches', 'shares'],
  ...['policies', 'counting', 'spending', 'spent', 'paid'],
];

const keeping = kept
  .map(
    (table) => `CREATE TRIGGER ${table}_is_never_deleted BEFORE DELETE OR TRUNCATE ON ${table}
  EXECUTE FUNCTION refuse_always('nothing is deleted from the journal');`,
  )
  .join('\n');

/** Whether it may have happened: true until it is known that it did not. */
export const counts = (row: string): string =>
  `(${row}.state IN ('sending', 'unknown', 'accepted') OR (${row}.state = 'held' AND ${row}.tainted)
    OR ${row}.resolved_as IS NOT DISTINCT FROM 'happened')`;

export const happened = (row: string): string =>
  `(${row}.state = 'accepted' OR ${row}.resolved_as IS NOT DISTINCT FROM 'happened')`;

/** The recipient, asset and amount in an intent's payment. */
export const parts = (payment: string): string =>
  `(${payment}::jsonb)->>1, (${payment}::jsonb)->>0, ((${payment}::jsonb)->>2)::numeric`;

/**
 * What was spent, as in a journal in a file, except that counting begins with the journal's first policy. A process
 * that sums up holds the lock of the asset, which every claim of a transfer takes.
 */
const spending = `
-- The latest policy applies to everyone who sends.
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
  -- Negative if it is given back.
  units      numeric NOT NULL,
  at         bigint NOT NULL,
  summed     boolean NOT NULL DEFAULT false
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX spending_intent ON spending (intent, seq);
CREATE INDEX spending_unsummed ON spending (asset) WHERE NOT summed;

-- A limit counts an asset over all services. If it counted per base URL, another spelling of one would evade it.
CREATE TABLE spent (
  asset      text COLLATE "C" NOT NULL,
  -- Empty for all recipients together.
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
    -- Counts at the latest claim, or now if there was none since counting began.
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

/**
 * The columns of the table intents in a journal in a file, and whether the owner lives, by its lease and by the record.
 */
const intentsNow = `
CREATE VIEW intents_now WITH (security_invoker = true) AS
SELECT i.seq, i.id, i.kind, i.base_url, i.spelled_url, i.bot, i.named_by, i.name, i.row_id, i.columns, i.key, i.identity,
  coalesce(r.fingerprint, i.fingerprint) AS fingerprint, s.payment, coalesce(r.body, i.body) AS body,
  s.state, s.tainted::integer AS tainted, s.may_have_landed_at, s.token_hash, s.owner, s.why, s.resolved_as,
  s.attempts, i.created_at, s.updated_at, s.reported_at, s.left_behind::integer AS left_behind, s.body_version,
  CASE WHEN s.owner IS NULL THEN NULL ELSE coalesce(o.ended_at IS NULL AND o.renewed_at
    + (SELECT convert_from(value, 'UTF8')::bigint FROM meta WHERE name = 'lease-ms')
    >= (extract(epoch FROM clock_timestamp()) * 1000)::bigint, false) END AS owner_lives,
  CASE WHEN s.owner IS NULL THEN NULL ELSE coalesce(o.ended_at IS NOT NULL, true) END AS owner_ended
FROM intents i
JOIN standing s ON s.intent = i.seq
LEFT JOIN rewrites r ON r.intent = s.intent AND r.version = s.body_version
LEFT JOIN owners o ON o.id = s.owner;
`;

/** The payments for people to read: one line for each transfer. Everyone who may look at the journal may read this. */
const payments = `
CREATE VIEW payments WITH (security_invoker = true) AS
SELECT to_timestamp(i.created_at / 1000.0) AS "time", i.bot, (s.payment::jsonb)->>0 AS recipient,
  convert_from(coalesce(r.body, i.body), 'UTF8')::json->>'asset' AS asset, ((s.payment::jsonb)->>2)::numeric AS amount,
  CASE WHEN s.resolved_as IS NULL THEN s.state ELSE 'resolved: ' || s.resolved_as END AS state,
  CASE WHEN i.row_id IS NULL THEN i.name ELSE i.name || ' ' || i.row_id END AS name,
  coalesce((SELECT p.value FROM receipts p WHERE p.intent = i.seq AND p.what = 'signature' LIMIT 1),
    (SELECT d.signature FROM decisions d WHERE d.intent = i.seq AND d.signature IS NOT NULL ORDER BY d.seq DESC LIMIT 1))
    AS signature,
  (SELECT o.verdict FROM observations o WHERE o.intent = i.seq AND o.verdict NOT IN ('acknowledged', 'before')
    ORDER BY o.verdict = 'proven' DESC, o.seq DESC LIMIT 1) AS chain
FROM intents i
JOIN standing s ON s.intent = i.seq
LEFT JOIN rewrites r ON r.intent = s.intent AND r.version = s.body_version
WHERE i.kind = 'transfer';
`;

const views = intentsNow + payments;

/**
 * Numbered steps from nothing to the present schema on PostgreSQL. A released step is never changed. Each runs in one
 * transaction with the record of its number.
 */
export const migrations: readonly string[] = [
  ['SET LOCAL search_path = @schema, pg_temp;', tables, views, rules, spending, keeping, descriptions].join(
    '\n',
  ),
];

/** The SQL with the quoted name of the schema in place of `@schema`. */
export function inSchema(schema: string, sql: string): string {
  const quoted = quotedName(schema);
  return sql.replaceAll('@schema', () => quoted);
}

export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
