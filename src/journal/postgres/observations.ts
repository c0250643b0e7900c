/**
 * What chains were seen to say of intents, as in a journal in a file. Who may add decisions may add observations: a
 * role that was given its rights before there were any works on.
 */
export const observations = `
SET LOCAL search_path = @schema, pg_temp;

CREATE TABLE observations (
  seq          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  intent       bigint NOT NULL REFERENCES intents (seq),
  verdict      text COLLATE "C" NOT NULL
                 CHECK (verdict IN ('proven', 'likely', 'contradicted', 'undecided', 'acknowledged')),
  who          text COLLATE "C" NOT NULL,
  at           bigint NOT NULL,
  signature    text COLLATE "C",
  genesis      text COLLATE "C",
  instruction  text COLLATE "C",
  facts        text COLLATE "C" NOT NULL,
  CONSTRAINT "what is proven says where"
    CHECK (verdict <> 'proven' OR (signature IS NOT NULL AND genesis IS NOT NULL AND instruction IS NOT NULL))
);
CREATE INDEX observations_intent ON observations (intent);

CREATE FUNCTION observations_were_inserted() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, @schema, pg_temp
  SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_indexscan = on
  SET enable_nestloop = on SET enable_hashjoin = off SET enable_mergejoin = off AS $body$
BEGIN
  IF EXISTS (SELECT FROM new_rows n LEFT JOIN receipts r ON r.value = n.signature || '/' || n.instruction
      AND r.what = 'instruction' AND r.origin = n.genesis
      WHERE n.verdict = 'proven' AND r.intent IS DISTINCT FROM n.intent) THEN
    PERFORM refuse('what is proven has a payment of its own');
  END IF;
  RETURN NULL;
END $body$;

CREATE TRIGGER observations_were_inserted AFTER INSERT ON observations
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION observations_were_inserted();
CREATE TRIGGER observations_stand BEFORE UPDATE ON observations
  EXECUTE FUNCTION refuse_always('an observation stands as it was made');
CREATE TRIGGER observations_is_never_deleted BEFORE DELETE OR TRUNCATE ON observations
  EXECUTE FUNCTION refuse_always('nothing is deleted from the journal');

DO $body$
DECLARE
  given record;
BEGIN
  FOR given IN SELECT pg_get_userbyid(a.grantee) AS role, string_agg(a.privilege_type, ', ') AS rights
    FROM pg_class c CROSS JOIN aclexplode(c.relacl) a
    WHERE c.oid = 'decisions'::regclass AND a.grantee <> c.relowner AND a.grantee <> 0
      AND a.privilege_type IN ('SELECT', 'INSERT')
    GROUP BY a.grantee
  LOOP
    EXECUTE format('GRANT %s ON observations TO %I', given.rights, given.role);
  END LOOP;
END $body$;
`;
