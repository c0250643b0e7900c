// SQL: what is asked of a shared journal.

import type { Gathering, Process } from '../once/journal/journal.ts';
import { processDied } from '../once/journal/rows.ts';

type Cell = null | number | string | boolean | Uint8Array;
export type Row = Readonly<Record<string, Cell>>;

/** A time of the server, in milliseconds. */
export const inMs = (time: string): string => /* sql */ `(extract(epoch FROM ${time}) * 1000)::bigint`;

/** The server's clock now, not when the transaction began. */
export const nowMs = inMs('clock_timestamp()');

export function processOf({ host, pid }: Row): Process {
  return { host: String(host), pid: Number(pid) };
}

/**
 * Every statement that runs on a shared journal, by name. Each serves many items that were asked for together:
 * `@given(…)` holds them, numbered by `n`, and every row of the answer names its item. Plans are made once for a
 * session, perhaps on an empty journal, and must suit a full one. So a big table is read only row by row through a
 * fence (OFFSET 0), which leaves the planner no other join, or with = ANY. Only the given items may be joined in
 * another way.
 */

/**
 * Compares the kind without its index. On an empty journal that index looks as good to the planner as the right one,
 * but on a full journal it selects half of all rows.
 */
export const isKind = (kind: string): string => `(i.kind || '') = ${kind}`;

/** For each row so far, the rows of a table that meet this condition, found by an index. */
export const each = (table: string, as: string, condition: string): string =>
  `CROSS JOIN LATERAL (SELECT * FROM @schema.${table} ${as} WHERE ${condition} OFFSET 0) ${as}`;

const perhaps = (table: string, as: string, condition: string): string =>
  `LEFT JOIN LATERAL (SELECT * FROM @schema.${table} ${as} WHERE ${condition} OFFSET 0) ${as} ON true`;

/** The columns of an intent from `i` (intents), `s` (standing) and `r` (the current body). */
const columns = `i.id, i.kind, i.base_url, i.spelled_url, i.bot, i.named_by, i.name, i.row_id, i.columns, i.key, i.identity,
  coalesce(r.fingerprint, i.fingerprint) AS fingerprint, s.payment, coalesce(r.body, i.body) AS body, s.state, s.tainted,
  s.may_have_landed_at, s.token_hash, s.owner, s.why, s.resolved_as, s.attempts, i.created_at, s.updated_at,
  s.reported_at`;

/** The lease shows whether the owner may be dead. Only `ended_at` records that it is. */
const owner = `o.renewed_at AS owner_renewed_at, o.ended_at AS owner_ended_at`;
export const intent = `${columns}, ${owner}`;

const byId = each('intents', 'i', 'i.id = g.id');
export const standing = each('standing', 's', 's.intent = i.seq');
const rewritten = perhaps(
  'rewrites',
  'r',
  's.body_version > 1 AND r.intent = s.intent AND r.version = s.body_version',
);
export const rest = `${rewritten} ${perhaps('owners', 'o', 'o.id = s.owner')}`;

/** Matches an origin with any path. */
const atOrigin = (row: string): string =>
  `(${row}.base_url = g.origin OR starts_with(${row}.base_url, g.origin || '/'))`;

/** By another intent than what is sought: by rows of its own batch, or by all others. */
const paidBefore = (
  intents: string,
): string => `SELECT i.seq, s.state = 'accepted' OR s.state = 'resolved' AS is_sure,
    coalesce((SELECT CASE WHEN min(a.started_at) < g.since AND max(a.started_at) >= g.latest_since
        THEN max(a.started_at) ELSE min(a.started_at) END
      FROM @schema.attempts a WHERE a.intent = i.seq
      AND coalesce(a.verdict, '') NOT IN ('rejected', 'unsent', 'limited')
      AND a.started_at >= (SELECT coalesce(max(d.at), 0) FROM @schema.decisions d
        WHERE d.intent = i.seq AND d.kind = 'did-not-happen')), s.updated_at) AS paid_at
  FROM ${intents}
  WHERE s.payment = g.payment AND i.identity <> g.identity
  AND (coalesce(i.named_by, '') = 'row' AND i.name IS NOT DISTINCT FROM g.batch) = g.is_own
  AND ${atOrigin('i')} AND s.state IN ('sending', 'unknown', 'held', 'accepted', 'resolved')
  AND (s.state <> 'held' OR s.tainted) AND coalesce(s.resolved_as, 'happened') = 'happened'`;

const unfinished = `s.state IN ('open', 'sending', 'unknown', 'held')`;

/** The given items with the number of their intent. */
const given = (fields: string): string =>
  `WITH given AS MATERIALIZED (SELECT g.*, i.seq FROM @given(${fields}) ${byId})`;

/** The standings of the given items, for an update. */
const ofGiven = `FROM given g WHERE s.intent = g.seq AND s.intent = ANY (ARRAY(SELECT seq FROM given))`;

/** A payment is a JSON array that begins with its recipient, so the indexes of payments find all to an address. */
export const isPaidTo = (payment: string, to: string): string =>
  `${payment} >= '["' || ${to} || '",' AND ${payment} < '["' || ${to} || '"-' AND ${payment} IS NOT NULL`;

const recipientOf = (payment: string): string => `split_part(${payment}, '"', 2)`;

const paidToHead = (payment: string, first: string): string =>
  `${payment} >= '["' || ${first} AND ${payment} < '["' || g.after AND ${payment} IS NOT NULL`;

const nextRecipient = (first: string): string => `(SELECT ${recipientOf('i.payment')} FROM @schema.intents i
          WHERE ${paidToHead('i.payment', first)} ORDER BY i.payment LIMIT 1)`;

const lastBatch = (before: string): string => `(SELECT i.name FROM @schema.intents i
          WHERE i.named_by = 'row' AND i.name < ${before} ORDER BY i.name DESC LIMIT 1)`;

export const rowsReportedTogether = 20_000;

export const statements = {
  get: `SELECT g.n, ${intent} FROM @given(id text) ${byId} ${standing} ${rest}`,
  findByKey: `SELECT g.n, ${intent} FROM @given(key text, base_url text, kind text)
          ${each('intents', 'i', `i.key = g.key AND i.base_url = g.base_url AND ${isKind('g.kind')}`)} ${standing} ${rest}`,
  findUnnamed: `SELECT g.n, found.* FROM @given(identity text) CROSS JOIN LATERAL (
          SELECT ${intent} FROM @schema.intents i ${standing} ${rest}
          WHERE i.identity = g.identity AND i.named_by IS NULL
          ORDER BY (${unfinished} AND NOT s.left_behind) DESC, i.seq DESC LIMIT 1) found`,
  called: `SELECT g.n, ${intent} FROM @given(word text) CROSS JOIN LATERAL (SELECT DISTINCT either.seq FROM (
            SELECT i.seq FROM @schema.intents i WHERE i.id = g.word
            UNION ALL SELECT i.seq FROM @schema.intents i WHERE i.key = g.word OFFSET 0) either LIMIT 2) found
          ${each('intents', 'i', 'i.seq = found.seq')} ${standing} ${rest}`,
  startingWith: `SELECT g.n, ${intent} FROM @given(first text, after text) CROSS JOIN LATERAL (
          (SELECT i.seq FROM @schema.intents i WHERE i.id >= g.first AND i.id < g.after ORDER BY i.id LIMIT 2)
          UNION (SELECT i.seq FROM @schema.intents i WHERE i.key >= g.first AND i.key < g.after ORDER BY i.key LIMIT 2)
          LIMIT 2) found
          ${each('intents', 'i', 'i.seq = found.seq')} ${standing} ${rest}`,
  // Each is found from the one before it. Those that a rejected transfer got since are few.
  recipients: `SELECT DISTINCT g.n, found.address FROM @given(first text, after text) CROSS JOIN LATERAL (
          (WITH RECURSIVE paid (address) AS (SELECT ${nextRecipient('g.first')}
            UNION ALL SELECT ${nextRecipient(`paid.address || '"-'`)} FROM paid WHERE paid.address IS NOT NULL)
            SELECT paid.address FROM paid WHERE paid.address IS NOT NULL LIMIT 1000)
          UNION SELECT ${recipientOf('r.payment')} FROM @schema.rewrites r
            WHERE ${paidToHead('r.payment', 'g.first')}) found
          ORDER BY 1, 2`,
  otherUrls: `SELECT g.n, v.base_url FROM @given(base_url text, origin text)
          ${each('services', 'v', `v.base_url >= g.origin AND v.base_url < g.origin || '0'`)}
          WHERE v.base_url <> g.base_url AND ${atOrigin('v')}`,
  unfinishedTwins: `SELECT g.n, ${intent} FROM @given(origin text, payment text, identity text)
          ${each(
            'standing',
            's',
            `s.payment = g.payment AND s.payment IS NOT NULL AND s.state IN ('sending', 'unknown', 'held')`,
          )}
          ${each('intents', 'i', 'i.seq = s.intent')} ${rest}
          WHERE ${atOrigin('i')} AND i.identity <> g.identity ORDER BY i.seq`,
  unnamedOfPayment: `SELECT g.n, ${intent} FROM @given(origin text, payment text, since bigint)
          ${each(
            'intents',
            'i',
            `i.payment = g.payment AND i.payment IS NOT NULL AND (i.named_by IS NULL OR i.named_by = 'run')`,
          )}
          ${standing} ${rest}
          WHERE ${atOrigin('i')} AND s.updated_at >= g.since ORDER BY s.updated_at DESC`,
  // Begun lately, or long before they were paid, or with another body. Payment and time are asked as a row: for equality
  // the planner takes the index of the times, which looks no worse.
  paidBefore: `SELECT g.n, i.id, i.bot, i.named_by, i.name, i.row_id, s.state, s.resolved_as, found.paid_at
          FROM @given(origin text, payment text, identity text, batch text, is_own boolean, since bigint,
            latest_since bigint)
          CROSS JOIN LATERAL (SELECT either.seq, either.is_sure, either.paid_at FROM (
              ${paidBefore(`(SELECT * FROM @schema.intents i
                WHERE (i.payment, i.created_at) >= (g.payment, g.since - 600000) AND i.payment <= g.payment
                AND i.payment IS NOT NULL OFFSET 0) i ${standing}`)}
              UNION ${paidBefore(`(SELECT * FROM @schema.standing s WHERE s.payment = g.payment
                AND s.payment IS NOT NULL AND s.updated_at >= g.since
                AND (s.updated_at - s.created_at > 600000 OR s.body_version > 1) OFFSET 0) s
                ${each('intents', 'i', 'i.seq = s.intent')}`)}) either
            WHERE either.paid_at >= g.since ORDER BY either.is_sure DESC, either.paid_at DESC
            LIMIT CASE WHEN g.is_own THEN NULL ELSE 3 END) found
          ${each('intents', 'i', 'i.seq = found.seq')} ${standing} ORDER BY found.is_sure DESC, found.paid_at DESC`,
  attemptsOf: `SELECT g.n, a.* FROM @given(id text) ${byId} ${each('attempts', 'a', 'a.intent = i.seq')}
          ORDER BY a.number`,
  decisiveAttempt: `SELECT g.n, a.* FROM @given(id text) ${byId} CROSS JOIN LATERAL (
          SELECT * FROM @schema.attempts a WHERE a.intent = i.seq
          ORDER BY (a.verdict IS NOT DISTINCT FROM 'accepted') DESC, a.number DESC LIMIT 1) a`,
  decisionsOf: `SELECT g.n, d.* FROM @given(id text) ${byId} ${each('decisions', 'd', 'd.intent = i.seq')} ORDER BY d.seq`,
  observationsOf: `SELECT g.n, o.* FROM @given(id text) ${byId} ${each('observations', 'o', 'o.intent = i.seq')}
          ORDER BY o.seq`,
  receiptsOf: `SELECT g.n, p.origin, p.what, p.value FROM @given(id text) ${byId} ${each('receipts', 'p', 'p.intent = i.seq')}`,
  otherHolder: `SELECT g.n, i.id FROM @given(id text, origin text, what text, value text)
          ${each('receipts', 'p', 'p.value = g.value AND p.what = g.what AND p.origin = g.origin')}
          ${each('intents', 'i', 'i.seq = p.intent')} WHERE i.id <> g.id`,
  // Owners are joined after grouping, when few rows are left. Joining them for each row took a fifth of the time.
  rowsStanding: `SELECT g.n, rows.*, ${owner} FROM @given(name text) CROSS JOIN LATERAL (
            SELECT i.kind, i.base_url, coalesce(i.spelled_url, i.base_url) AS url, i.bot, s.state, s.resolved_as, s.owner,
              substr(s.payment, strpos(s.payment, '",') + 2) AS paid,
              count(*) AS rows, min(i.created_at) AS begun_at, max(s.updated_at) AS updated_at
            FROM (SELECT * FROM @schema.intents i WHERE i.name = g.name AND i.named_by = 'row' OFFSET 0) i ${standing}
            GROUP BY i.kind, i.base_url, url, i.bot, s.state, s.resolved_as, s.owner, paid OFFSET 0) rows
          ${perhaps('owners', 'o', 'o.id = rows.owner')}`,
  batchInputs: `SELECT g.n, b.* FROM @given(name text) ${each('batches', 'b', 'b.name = g.name')}`,
  batchNames: `SELECT g.n, found.name FROM @given(before text) CROSS JOIN LATERAL (
          WITH RECURSIVE rows (name) AS (SELECT ${lastBatch('g.before')}
            UNION ALL SELECT ${lastBatch('rows.name')} FROM rows WHERE rows.name IS NOT NULL)
          SELECT rows.name FROM rows WHERE rows.name IS NOT NULL) found`,
  keepBatch: `WITH given AS MATERIALIZED (SELECT g.n, g.skipped, g.skipped_in_doubt, g.totals, g.beyond, b.seq
            FROM @given(base_url text, kind text, name text, rows bigint, skipped bigint, skipped_in_doubt bigint,
              totals text, beyond text)
            ${each('batches', 'b', 'b.name = g.name AND b.base_url = g.base_url AND b.kind = g.kind AND b.rows = g.rows')})
          UPDATE @schema.batches b SET skipped = g.skipped, skipped_in_doubt = g.skipped_in_doubt, totals = g.totals,
            beyond = g.beyond
          FROM given g
          WHERE b.seq = g.seq AND b.seq = ANY (ARRAY(SELECT seq FROM given)) RETURNING g.n`,
  // The only statement that reads a whole table, because it counts everything.
  overview: `SELECT g.n, s.state, count(*) AS count, min(s.created_at) AS oldest, max(s.updated_at) AS latest
          FROM @given(all_of boolean) CROSS JOIN @schema.standing s GROUP BY g.n, s.state`,
  owner: `SELECT g.n, ${owner}, o.host, o.pid FROM @given(owner text) ${each('owners', 'o', 'o.id = g.owner')}`,

  begin: `WITH given AS MATERIALIZED (SELECT * FROM @given(id text, kind text, base_url text, spelled_url text, bot text,
            named_by text, name text, row_id text, columns text, key text, identity text, fingerprint text, payment text, body text,
            owner text, token_hash text, at bigint)),
          begun AS (INSERT INTO @schema.intents (id, kind, base_url, spelled_url, bot, named_by, name, row_id, columns,
              key, identity, fingerprint, payment, body, created_at)
            SELECT id, kind, base_url, nullif(spelled_url, base_url), bot, named_by, name, row_id, columns, key, identity,
              fingerprint, payment, decode(body, 'base64'), at FROM given ORDER BY n
            ON CONFLICT DO NOTHING RETURNING seq, id),
          those AS MATERIALIZED (SELECT begun.seq, g.n, g.payment, g.owner, g.token_hash, g.at
            FROM given g JOIN begun ON begun.id = g.id),
          stood AS (INSERT INTO @schema.standing (intent, state, payment, owner, token_hash, attempts, created_at, updated_at)
            SELECT seq, 'sending', payment, owner, token_hash, 1, at, at FROM those),
          tried AS (INSERT INTO @schema.attempts (intent, number, started_at) SELECT seq, 1, at FROM those)
          SELECT n FROM those`,
  claim: `${given('id text, owner text, at bigint')}
          UPDATE @schema.standing s SET state = 'sending', owner = g.owner, why = NULL, resolved_as = NULL, updated_at = g.at
          ${ofGiven} AND s.state NOT IN ('sending', 'accepted') RETURNING g.n`,
  rewrite: `${given('id text, body text, fingerprint text, payment text')},
          moved AS (UPDATE @schema.standing s SET body_version = s.body_version + 1, payment = g.payment
            ${ofGiven} RETURNING g.n, s.intent, s.body_version, g.fingerprint, g.payment, g.body),
          written AS (INSERT INTO @schema.rewrites (intent, version, fingerprint, payment, body)
            SELECT intent, body_version, fingerprint, payment, decode(body, 'base64') FROM moved)
          SELECT n FROM moved`,
  endOwners: `WITH silent AS MATERIALIZED (SELECT g.n, g.silent_since, s.owner FROM @given(id text, silent_since bigint)
            ${byId} ${standing})
          UPDATE @schema.owners o SET ended_at = ${nowMs} FROM silent
          WHERE o.id = silent.owner AND o.id = ANY (ARRAY(SELECT owner FROM silent))
          AND o.ended_at IS NULL AND o.renewed_at < silent.silent_since RETURNING silent.n`,
  endDeadAttempts: `WITH dead AS MATERIALIZED (SELECT g.n, s.intent, g.at FROM @given(id text, at bigint) ${byId} ${standing}
            ${perhaps('owners', 'o', 'o.id = s.owner')}
            WHERE s.state = 'sending' AND (o.id IS NULL OR o.ended_at IS NOT NULL))
          UPDATE @schema.attempts a SET verdict = 'unknown', phase = 'process-died', ended_at = dead.at,
            trouble = '${processDied}'
          FROM dead WHERE a.intent = dead.intent AND a.intent = ANY (ARRAY(SELECT intent FROM dead))
          AND a.verdict IS NULL RETURNING dead.n`,
  markDead: `${given('id text, at bigint')}
          UPDATE @schema.standing s SET state = 'unknown', owner = NULL, tainted = true, updated_at = g.at,
            may_have_landed_at = coalesce(s.may_have_landed_at, s.updated_at)
          ${ofGiven} AND s.state = 'sending'
          AND NOT EXISTS (SELECT FROM @schema.owners o WHERE o.id = s.owner AND o.ended_at IS NULL OFFSET 0) RETURNING g.n`,
  startAttempt: `${given('id text, owner text, token_hash text, at bigint')},
          s AS (UPDATE @schema.standing s SET attempts = s.attempts + 1, token_hash = g.token_hash, updated_at = g.at
            ${ofGiven} AND s.state = 'sending' AND s.owner = g.owner RETURNING s.*, g.n, g.at),
          tried AS (INSERT INTO @schema.attempts (intent, number, started_at) SELECT s.intent, s.attempts, s.at FROM s)
          SELECT s.n, ${columns} FROM s ${each('intents', 'i', 'i.seq = s.intent')} ${rewritten}`,
  endAttempt: `${given(`id text, number int, at bigint, phase text, verdict text, status int, request_id text,
            trouble text, retry_after bigint, duplicate boolean, verified boolean, reply text, headers text`)}
          UPDATE @schema.attempts a SET ended_at = g.at, phase = g.phase, verdict = g.verdict, status = g.status,
            request_id = g.request_id, trouble = g.trouble, retry_after = g.retry_after, duplicate = g.duplicate,
            verified = g.verified, reply = decode(g.reply, 'base64'), headers = g.headers
          FROM given g WHERE a.intent = g.seq AND a.intent = ANY (ARRAY(SELECT seq FROM given)) AND a.number = g.number
          AND (a.verdict IS NULL OR (a.phase = 'process-died' AND g.phase <> 'process-died')) RETURNING g.n`,
  // The claiming process knows the rest of the intent, so only the standing is returned.
  conclude: `${given('id text, owner text, state text, why text, at bigint')}
          UPDATE @schema.standing s SET state = g.state, owner = NULL, why = g.why, updated_at = g.at
          ${ofGiven} AND s.state = 'sending' AND s.owner = g.owner RETURNING g.n, s.*`,
  acceptLate: `${given('id text, at bigint')}
          UPDATE @schema.standing s SET state = 'accepted', owner = NULL, why = NULL, resolved_as = NULL, updated_at = g.at
          ${ofGiven} AND s.state <> 'accepted' RETURNING g.n`,
  keepReceipt: `INSERT INTO @schema.receipts (origin, what, value, intent)
          SELECT g.origin, g.what, g.value, i.seq FROM @given(id text, origin text, what text, value text)
          ${byId} ORDER BY g.value ON CONFLICT DO NOTHING`,
  hold: `${given('id text, why text, at bigint')}
          UPDATE @schema.standing s SET state = 'held', why = g.why, updated_at = g.at
          ${ofGiven} AND s.state = 'unknown' RETURNING g.n`,
  // A decision repeated because its answer was lost is not added twice.
  addDecision: `INSERT INTO @schema.decisions (intent, kind, who, at, reason, signature, fingerprint)
          SELECT i.seq, g.kind, g.who, g.at, g.reason, g.signature, g.fingerprint
          FROM @given(id text, kind text, who text, at bigint, reason text, signature text, fingerprint text) ${byId}
          WHERE (SELECT count(*) FROM @schema.decisions d WHERE d.intent = i.seq AND d.at = g.at AND d.kind = g.kind
            AND d.who = g.who AND d.reason = g.reason) = 0 ORDER BY g.n`,
  // An observation repeated because its answer was lost is not added twice.
  observe: `INSERT INTO @schema.observations (intent, verdict, who, at, signature, genesis, instruction, facts)
          SELECT i.seq, g.verdict, g.who, g.at, g.signature, g.genesis, g.instruction, g.facts
          FROM @given(id text, verdict text, who text, at bigint, signature text, genesis text, instruction text,
            facts text) ${byId}
          WHERE (SELECT count(*) FROM @schema.observations o WHERE o.intent = i.seq AND o.at = g.at
            AND o.verdict = g.verdict AND o.who = g.who AND o.facts = g.facts) = 0 ORDER BY g.n`,
  // A decision says whether an earlier attempt landed. Permission to send again is valid for the age of one key.
  dateLanding: `${given('id text, at bigint')}
          UPDATE @schema.standing s SET may_have_landed_at = g.at ${ofGiven} AND s.tainted RETURNING g.n`,
  resolve: `${given('id text, kind text, at bigint')}
          UPDATE @schema.standing s SET state = 'resolved', resolved_as = g.kind, why = NULL, updated_at = g.at
          ${ofGiven} RETURNING g.n`,
  markReported: `${given('id text, at bigint')}
          UPDATE @schema.standing s SET reported_at = g.at ${ofGiven} AND s.reported_at IS NULL RETURNING g.n`,
  // A batch may have a million rows, so they are marked in pages, each starting where the last one ended.
  markRowsReported: `WITH given AS MATERIALIZED (SELECT g.n, g.at, i.seq
            FROM @given(base_url text, kind text, name text, at bigint, after_seq bigint) CROSS JOIN LATERAL (
              SELECT i.seq FROM @schema.intents i WHERE i.name = g.name AND i.named_by = 'row' AND i.seq > g.after_seq
              AND i.base_url = g.base_url AND ${isKind('g.kind')} ORDER BY i.seq LIMIT ${rowsReportedTogether}) i),
          marked AS (UPDATE @schema.standing s SET reported_at = g.at
            ${ofGiven} AND s.reported_at IS NULL AND (s.state = 'accepted' OR s.resolved_as = 'happened'))
          SELECT n, max(seq) AS last, count(*) AS count FROM given GROUP BY n`,
  supersede: `${given('id text')}
          UPDATE @schema.standing s SET left_behind = true ${ofGiven} AND NOT s.left_behind RETURNING g.n`,

  propose: `WITH given AS MATERIALIZED (SELECT * FROM @given(id text, kind text, base_url text, spelled_url text, bot text,
            named_by text, name text, row_id text, columns text, key text, identity text, fingerprint text, payment text, body text,
            why text, at bigint)),
          begun AS (INSERT INTO @schema.intents (id, kind, base_url, spelled_url, bot, named_by, name, row_id, columns,
              key, identity, fingerprint, payment, body, created_at)
            SELECT id, kind, base_url, nullif(spelled_url, base_url), bot, named_by, name, row_id, columns, key, identity,
              fingerprint, payment, decode(body, 'base64'), at FROM given ORDER BY n
            ON CONFLICT DO NOTHING RETURNING seq, id),
          those AS MATERIALIZED (SELECT begun.seq, g.n, g.payment, g.why, g.at FROM given g JOIN begun ON begun.id = g.id),
          stood AS (INSERT INTO @schema.standing (intent, state, why, payment, attempts, created_at, updated_at)
            SELECT seq, 'held', why, payment, 0, at, at FROM those)
          SELECT n FROM those`,
  holdBack: `${given('id text, why text, at bigint')}
          UPDATE @schema.standing s SET state = 'held', why = g.why, resolved_as = NULL, updated_at = g.at
          ${ofGiven} AND s.state IN ('open', 'rejected', 'resolved', 'held') RETURNING g.n`,
  // By the hour; also how many entries are not in the sums yet.
  spent: `SELECT g.n, c.complete_since, b.hour, b.units::text AS units,
            (SELECT count(*) FROM @schema.spending e
              WHERE NOT e.summed AND e.asset = g.asset) AS unsummed
          FROM @given(asset text, recipient text, since bigint)
          LEFT JOIN LATERAL (SELECT greatest(k.since,
              (SELECT l.at FROM @schema.losses l WHERE l.seq > 0 ORDER BY l.at DESC LIMIT 1)) AS complete_since
            FROM @schema.counting k WHERE k.one = 1 OFFSET 0) c ON true
          LEFT JOIN LATERAL (SELECT u.hour, sum(u.units) AS units FROM (
              SELECT s.hour, s.units FROM @schema.spent s WHERE s.asset = g.asset
                AND s.recipient = g.recipient AND s.hour >= g.since
              UNION ALL SELECT e.at / 3600000, e.units FROM @schema.spending e WHERE NOT e.summed
                AND e.asset = g.asset AND (g.recipient = '' OR e.recipient = g.recipient)) u
            GROUP BY u.hour) b ON true`,
  sumUp: `WITH assets AS MATERIALIZED (SELECT DISTINCT g.asset FROM @given(asset text)),
          due AS MATERIALIZED (SELECT e.seq FROM assets a CROSS JOIN LATERAL (SELECT e.seq FROM @schema.spending e
            WHERE NOT e.summed AND e.asset = a.asset OFFSET 0) e),
          moved AS (UPDATE @schema.spending e SET summed = true WHERE e.seq = ANY (ARRAY(SELECT seq FROM due))
            RETURNING e.asset, e.recipient, e.at / 3600000 AS hour, e.units)
          INSERT INTO @schema.spent AS t (asset, recipient, hour, units)
          SELECT m.asset, r.recipient, m.hour, sum(m.units)
          FROM moved m CROSS JOIN LATERAL (VALUES (''), (m.recipient)) r (recipient)
          GROUP BY m.asset, r.recipient, m.hour ORDER BY 1, 2, 3
          ON CONFLICT (asset, recipient, hour) DO UPDATE SET units = t.units + excluded.units`,
  spenders: `SELECT DISTINCT g.n, i.bot, coalesce(i.spelled_url, i.base_url) AS url FROM @given(asset text, since bigint)
          ${each('intents', 'i', 'i.created_at >= g.since - 86400000')} ${standing}
          WHERE s.updated_at >= g.since AND s.state IN ('sending', 'unknown', 'held', 'accepted', 'resolved')
          AND (s.state <> 'held' OR s.tainted) AND (s.state <> 'resolved' OR s.resolved_as = 'happened')
          AND (s.payment::jsonb)->>1 = g.asset ORDER BY 2, 3`,
  ownSpending: `SELECT g.n, e.at / 3600000 AS hour, e.units::text AS units FROM @given(id text) ${byId}
          CROSS JOIN LATERAL (SELECT * FROM @schema.spending e WHERE e.intent = i.seq ORDER BY e.seq DESC LIMIT 1) e`,
  paidLike: `SELECT g.n, p.address, p.since FROM @given(head text, tail text) CROSS JOIN LATERAL (
            (SELECT p.address, p.since FROM @schema.paid p WHERE p.head = g.head OFFSET 0)
            UNION ALL (SELECT p.address, p.since FROM @schema.paid p WHERE p.tail = g.tail OFFSET 0)) p`,

  attemptStarted: `SELECT g.n FROM @given(id text, number int, owner text) ${byId} ${standing}
          WHERE s.owner = g.owner AND s.attempts = g.number`,
  attemptsKnown: `SELECT g.n FROM @given(id text, number bigint) ${byId}
          ${each('attempts', 'a', 'a.intent = i.seq AND a.number = g.number')}`,
  decisionsKnown: `SELECT g.n FROM @given(id text, number bigint) ${byId}
          ${each('decisions', 'd', 'd.intent = i.seq AND d.at = g.number')}`,
  observationsKnown: `SELECT g.n FROM @given(id text, number bigint) ${byId}
          ${each('observations', 'o', 'o.intent = i.seq AND o.at = g.number')}`,
  policiesKnown: `SELECT g.n FROM @given(id text, number bigint)
          ${each('policies', 'p', 'p.seq = g.number AND p.at::text = g.id')}`,
} as const;

export type StatementName = keyof typeof statements;

export function sqlOf(name: StatementName, schema: string): string {
  return inPlace(statements[name], schema);
}

export function inPlace(sql: string, schema: string): string {
  return sql
    .replace(/@given\(/u, 'json_to_recordset($1::json) AS g(n int, ')
    .replaceAll('@schema', `"${schema}"`);
}

/** The values that a statement needs for one intent, as a JSON object. */
export type Item = Readonly<Record<string, string | number | boolean | null>>;

/** Asks a question about one item or several, and returns the rows of its answer. */
export type Ask = (name: StatementName, ...items: Item[]) => Promise<readonly Row[]>;

/** Runs a statement for these items: a JSON array, in which each item has its number as `n`. */
type RunStatement = (name: StatementName, items: string) => Promise<readonly Row[]>;

/**
 * Asks each question at once, or gathers those asked in the same turn of the event loop: one round trip for a hundred
 * rows of a batch. Gathered questions of several names leave together in the order they were asked, except that attempts
 * end before their intents do.
 */
export function askBy(run: RunStatement, gathering?: Gathering, together?: (ask: () => void) => void): Ask {
  const runAll = (name: StatementName, items: readonly Item[]): Promise<readonly Row[]> =>
    run(name, jsonOf(items));
  if (gathering === undefined) return (name, ...items) => runAll(name, items);
  return gathering.gather<StatementName, Item, Row>({
    run: runAll,
    soon: (ask) => setImmediate(ask),
    ...(together === undefined ? {} : { together }),
    last: 'conclude',
  });
}

function jsonOf(items: readonly Item[]): string {
  return `[${items.map((item, n) => `{"n":${n},${JSON.stringify(item).slice(1)}`).join(',')}]`;
}
