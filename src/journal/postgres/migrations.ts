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
];

/** The SQL with the schema's name put in for its place, quoted. */
export function inSchema(schema: string, sql: string): string {
  const quoted = quotedName(schema);
  return sql.replaceAll('@schema', () => quoted);
}

export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
