import { described } from './described.ts';
import { keeping, rules } from './firstRules.ts';
import { tables, view } from './firstTables.ts';
import { observations } from './observations.ts';
import { spendingByAsset, spendingStep } from './spendingStep.ts';

/** An index for each way to narrow the history, newest first within it. */
const narrowings = `SET LOCAL search_path = @schema, pg_temp;
CREATE INDEX intents_name ON intents (name, created_at, seq) WHERE name IS NOT NULL;
CREATE INDEX intents_bot ON intents (bot, created_at, seq);
CREATE INDEX intents_kind ON intents (kind, created_at, seq);
-- A payment is a JSON array that begins with its recipient, an address.
CREATE INDEX intents_recipient ON intents (split_part(payment, '"', 2), created_at, seq) WHERE payment IS NOT NULL;
CREATE INDEX rewrites_recipient ON rewrites (split_part(payment, '"', 2)) WHERE payment IS NOT NULL;
`;

const approvedBody = 'ALTER TABLE @schema.decisions ADD COLUMN fingerprint text COLLATE "C";';

/** What is proposed, and what a policy lets nobody send without a person's word, are told apart. */
const proposals = `SET LOCAL search_path = @schema, pg_temp;
ALTER TABLE standing DROP CONSTRAINT "what is held may have landed, or is a proposal";
ALTER TABLE standing ADD CONSTRAINT "what is held may have landed, or is a proposal" CHECK
  (state <> 'held' OR tainted OR coalesce(why, '') IN ('approval', 'proposed', 'above-limit'));
DO $body$
BEGIN
  EXECUTE replace(pg_get_functiondef('standing_was_inserted()'::regprocedure),
    $$n.why IS NOT DISTINCT FROM 'approval'$$, $$coalesce(n.why, '') IN ('approval', 'proposed', 'above-limit')$$);
  EXECUTE replace(pg_get_functiondef('standing_was_updated()'::regprocedure),
    $$n.why IS DISTINCT FROM 'approval'$$, $$coalesce(n.why, '') NOT IN ('approval', 'proposed', 'above-limit')$$);
END $body$;
`;

const beforeTheFirst = `SET LOCAL search_path = @schema, pg_temp;
ALTER TABLE observations DROP CONSTRAINT observations_verdict_check;
ALTER TABLE observations ADD CONSTRAINT observations_verdict_check CHECK
  (verdict IN ('proven', 'likely', 'contradicted', 'undecided', 'acknowledged', 'before'));
`;

/** When another process first asked this one for what it has claimed and not begun to send. */
const asked = `ALTER TABLE @schema.owners ADD COLUMN asked_at bigint;
COMMENT ON COLUMN @schema.owners.asked_at IS
  'when another process first asked it to give back what it has not begun to send; milliseconds since 1970';
`;

/** At which base URLs there are intents: few, and asked before every claim of a name. */
const services = `SET LOCAL search_path = @schema, pg_temp;
CREATE TABLE services (base_url text COLLATE "C" PRIMARY KEY);
COMMENT ON TABLE services IS 'the base URLs at which there are intents';
COMMENT ON COLUMN services.base_url IS 'as in intents.base_url';
INSERT INTO services (base_url) SELECT DISTINCT base_url FROM intents;

CREATE FUNCTION services_are_known() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, @schema, pg_temp AS $body$
BEGIN
  INSERT INTO services (base_url) SELECT DISTINCT base_url FROM new_rows ORDER BY base_url ON CONFLICT DO NOTHING;
  RETURN NULL;
END $body$;
CREATE TRIGGER services_are_known AFTER INSERT ON intents
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION services_are_known();
CREATE TRIGGER services_stand BEFORE UPDATE ON services
  EXECUTE FUNCTION refuse_always('a base URL stands as it was given');
CREATE TRIGGER services_is_never_deleted BEFORE DELETE OR TRUNCATE ON services
  EXECUTE FUNCTION refuse_always('nothing is deleted from the journal');

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
    EXECUTE format('GRANT SELECT ON services TO %I', given.role);
    IF given.runs THEN EXECUTE format('GRANT INSERT ON services TO %I', given.role); END IF;
  END LOOP;
END $body$;
`;

/**
 * Numbered steps from nothing to the journal on PostgreSQL as it is now. A step that has been released is never
 * changed; each runs in one transaction with the record of its number.
 */
export const migrations: readonly string[] = [
  ['SET LOCAL search_path = @schema, pg_temp;', tables, view, rules, keeping].join('\n'),
  observations,
  narrowings,
  spendingStep,
  approvedBody,
  proposals,
  spendingByAsset,
  beforeTheFirst,
  described,
  asked,
  services,
];

/** The SQL with the schema's name put in for its place, quoted. */
export function inSchema(schema: string, sql: string): string {
  const quoted = quotedName(schema);
  return sql.replaceAll('@schema', () => quoted);
}

export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
