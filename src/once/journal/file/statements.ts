// SQL: the statements of a journal in a file.

import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { type Gathering, type Intent, states } from '../journal.ts';
import { intentOf as intentOfRow, processDied } from '../rows.ts';
import type { RowNumbers } from './mark.ts';

const unfinished = `state IN ('open', 'sending', 'unknown', 'held')`;

/** At this origin, whatever the path. */
const atOrigin = "(base_url = :origin OR substr(base_url, 1, length(:origin) + 1) = :origin || '/')";

/** A payment is a JSON array that begins with its recipient, so the index of payments finds all to an address. */
export const isPaidTo = (payment: string, to: string): string =>
  `${payment} >= '["' || ${to} || '",' AND ${payment} < '["' || ${to} || '"-'`;

/** The first attempt that may have paid, or where that is long ago, the latest. */
const paidAt = `coalesce((SELECT CASE WHEN min(started_at) < since AND max(started_at) >= latest_since
    THEN max(started_at) ELSE min(started_at) END
  FROM attempts WHERE attempts.intent = intents.seq AND coalesce(verdict, '') NOT IN ('rejected', 'unsent', 'limited')
  AND started_at >= (SELECT coalesce(max(at), 0) FROM decisions
    WHERE decisions.intent = intents.seq AND kind = 'did-not-happen')), updated_at)`;

const counted = `kind = 'transfer' AND (state IN ('sending', 'unknown', 'accepted')
                 OR (state = 'held' AND tainted = 1) OR resolved_as IS 'happened')`;

/** The same payment as what is sought, by another intent. Its own batch is told apart first: the index has the names. */
const paysTheSame = `intents.payment = sought.payment AND intents.payment IS NOT NULL
  AND (intents.named_by IS 'row' AND intents.name IS sought.batch) = is_own AND intents.identity <> sought.identity`;

/** Each transfer counts at its latest attempt. */
const spentSince = `SELECT seq AS intent, payment,
  coalesce((SELECT max(started_at) FROM attempts WHERE attempts.intent = intents.seq), updated_at) AS at, 1 AS sign
  FROM intents WHERE updated_at >= :since AND ${counted}`;

const everPaid = `SELECT json_extract(payment, '$[0]') AS address, min(created_at) AS since FROM intents
  WHERE kind = 'transfer' AND (state = 'accepted' OR resolved_as IS 'happened') GROUP BY 1`;

const nextRecipient = (
  after: string,
): string => `(SELECT substr(payment, 3, instr(payment, '",') - 3) FROM intents
  WHERE payment IS NOT NULL AND payment >= '["' || ${after} AND payment < '["' || :head || char(1114111)
  ORDER BY payment LIMIT 1)`;

/** A statement about several items, `@given`: `:…` is a value of each, `@seq` the first number of the added rows. */
const ofGiven = (sql: string): string =>
  sql
    .replace(/:([a-z]\w*)/giu, "(given.value->>'$1')")
    .replace('@given', 'jsonb_each(:given) AS given')
    .replace('@seq', ':seq');

/**
 * Statements that a batch runs for many rows at once, and a single send for one. Every row of an answer has `n`, the
 * position among the given. A call into SQLite costs more than most of what it does there, and so does each bound
 * value: one call with one value for all halved the time of a batch row.
 */
const sets = {
  findByKey: ofGiven(`SELECT given.key AS n, intents.* FROM @given CROSS JOIN intents
              WHERE intents.key = :key AND base_url = :baseUrl AND kind = :kind`),
  unfinishedTwins: ofGiven(`SELECT given.key AS n, intents.* FROM @given CROSS JOIN intents
                    WHERE payment = :payment AND ${atOrigin} AND identity <> :identity
                    AND payment IS NOT NULL AND state IN ('sending', 'unknown', 'held') ORDER BY seq`),
  // Each given item is read once, and not for each row that is looked at. Most were begun lately; some long before they
  // were paid.
  paidBefore: ofGiven(`SELECT n, id, bot, named_by, name, row_id, state, resolved_as, paid_at FROM (
                SELECT *, row_number() OVER (PARTITION BY n ORDER BY is_sure DESC, paid_at DESC) AS place FROM (
                  SELECT sought.n, since, is_own, id, bot, intents.named_by, intents.name, row_id, state, resolved_as,
                    state = 'accepted' OR resolved_as IS 'happened' AS is_sure, ${paidAt} AS paid_at
                  FROM (SELECT given.key AS n, :payment AS payment, :identity AS identity, :batch AS batch, :isOwn AS is_own,
                    :origin AS origin, :since AS since, :latestSince AS latest_since FROM @given LIMIT -1 OFFSET 0) AS sought
                  CROSS JOIN intents WHERE (${paysTheSame} AND created_at >= since - 600000
                    OR ${paysTheSame} AND updated_at >= since AND updated_at - created_at > 600000)
                  AND (base_url = origin OR substr(base_url, 1, length(origin) + 1) = origin || '/') AND ${counted})
                WHERE paid_at >= since) WHERE place <= 3 OR is_own ORDER BY n, place`),
  otherHolder: ofGiven(`SELECT given.key AS n, intents.id FROM @given CROSS JOIN receipts CROSS JOIN intents
                WHERE receipts.value = :value AND what = :what AND origin = :origin
                AND intents.seq = receipts.intent AND intents.id <> :id`),
  // The process that claimed it knows the rest: only what may have changed since.
  claimed:
    ofGiven(`SELECT given.key AS n, tainted, may_have_landed_at, reported_at, created_at FROM @given CROSS JOIN intents
            WHERE intents.id = :id AND state = 'sending' AND owner = :owner`),

  // SQLite numbers the rows itself if no first number is given.
  begin:
    ofGiven(`INSERT INTO intents (seq, id, kind, base_url, spelled_url, bot, named_by, name, row_id, columns, key, identity,
            fingerprint, payment, body, state, owner, token_hash, attempts, created_at, updated_at)
          SELECT @seq + given.key, :id, :kind, :baseUrl, nullif(:spelledUrl, :baseUrl), :bot, :namedBy, :name, :rowId,
            :columns, :key, :identity, :fingerprint, :payment, unhex(:body), 'sending', :owner, :tokenHash, 1, :at, :at
          FROM @given`),
  firstAttempts: ofGiven(`INSERT INTO attempts (seq, intent, number, started_at)
                  SELECT @seq + given.key, intents.seq, 1, :at FROM @given CROSS JOIN intents WHERE intents.id = :id`),
  // Makes SQLite find each attempt by its number. Otherwise it reads all attempts and checks whether each was given.
  endAttempt:
    ofGiven(`UPDATE attempts SET ended_at = :at, phase = :phase, verdict = :verdict, status = :status,
                 request_id = :requestId, trouble = :trouble, retry_after = :retryAfter, duplicate = :duplicate,
                 verified = :verified, reply = unhex(:reply), headers = :headers
               FROM (SELECT given.value, begun.seq FROM @given CROSS JOIN intents CROSS JOIN attempts AS begun
                 WHERE intents.id = :id AND begun.intent = intents.seq AND begun.number = :number
                 LIMIT -1 OFFSET 0) AS given
               WHERE attempts.seq = given.seq`),
  conclude: ofGiven(`UPDATE intents SET state = :state, owner = NULL, why = :why, updated_at = :at FROM @given
             WHERE intents.id = :id AND state = 'sending' AND owner = :owner`),
  keepReceipt: ofGiven(`INSERT INTO receipts (origin, what, value, intent)
                SELECT :origin, :what, :value, intents.seq FROM @given CROSS JOIN intents
                WHERE intents.id = :id AND NOT EXISTS (SELECT 1 FROM receipts AS kept
                  WHERE kept.value = :value AND kept.what = :what AND kept.origin = :origin)`),
};

/** Every statement the journal runs, by its name. */
export const statements = {
  findUnnamed: `SELECT * FROM intents WHERE identity = :identity AND named_by IS NULL
         ORDER BY (${unfinished} AND left_behind = 0) DESC, seq DESC LIMIT 1`,
  // Not by the index: damage to an index shows nowhere else.
  latestUnnamed: `SELECT count(*) AS rows, count(CASE WHEN identity = :identity AND named_by IS NULL THEN 1 END) AS same,
                    max(seq) - min(seq) + 1 AS numbers
                  FROM intents NOT INDEXED WHERE seq > (SELECT max(seq) FROM intents) - :latest`,
  get: `SELECT * FROM intents WHERE id = :id`,
  bySeq: `SELECT * FROM intents WHERE seq = :seq`,
  called: `SELECT * FROM intents WHERE id = :word OR key = :word LIMIT 2`,
  startingWith: `SELECT * FROM intents WHERE id >= :prefix AND id < :prefix || char(1114111)
                 UNION SELECT * FROM intents WHERE key >= :prefix AND key < :prefix || char(1114111) LIMIT 2`,
  // Each is found from the one before it.
  recipients: `WITH RECURSIVE found (address) AS (SELECT ${nextRecipient(':head')}
                 UNION ALL SELECT ${nextRecipient(`found.address || '"-'`)} FROM found WHERE address IS NOT NULL)
               SELECT address FROM found WHERE address IS NOT NULL LIMIT 1000`,
  attemptsOf: `SELECT attempts.* FROM attempts JOIN intents ON intents.seq = attempts.intent
               WHERE intents.id = :id ORDER BY number`,
  decisiveAttempt: `SELECT attempts.* FROM attempts JOIN intents ON intents.seq = attempts.intent
                WHERE intents.id = :id ORDER BY (verdict IS 'accepted') DESC, number DESC LIMIT 1`,
  decisionsOf: `SELECT decisions.* FROM decisions JOIN intents ON intents.seq = decisions.intent
                WHERE intents.id = :id ORDER BY decisions.seq`,
  observationsOf: `SELECT observations.* FROM observations JOIN intents ON intents.seq = observations.intent
                   WHERE intents.id = :id ORDER BY observations.seq`,
  overview: `SELECT state, count(*) AS count, min(created_at) AS oldest, max(updated_at) AS latest
             FROM intents GROUP BY state`,
  rowsStanding: `SELECT kind, base_url, coalesce(spelled_url, base_url) AS url, bot, state, resolved_as, owner, count(*) AS rows,
                   substr(payment, instr(payment, '",') + 2) AS paid,
                   min(created_at) AS begun_at, max(updated_at) AS updated_at
                 FROM intents WHERE name = :name AND named_by = 'row'
                 GROUP BY kind, base_url, url, bot, state, resolved_as, owner, paid`,
  batchInputs: `SELECT * FROM batches WHERE name = :name`,
  // One step of the index for each name, however many rows have it. Most names end in a date, so the latest come first.
  batchNames: `WITH RECURSIVE found (name) AS (
                 SELECT max(name) FROM intents WHERE named_by = 'row'
                 UNION ALL SELECT (SELECT max(name) FROM intents WHERE named_by = 'row' AND name < found.name)
                 FROM found WHERE name IS NOT NULL)
               SELECT name FROM found WHERE name IS NOT NULL LIMIT :limit`,
  keepBatch: `INSERT INTO batches (name, base_url, kind, rows, skipped, skipped_in_doubt, totals, beyond)
              VALUES (:name, :baseUrl, :kind, :rows, :skipped, :skippedInDoubt, :totals, :beyond)
              ON CONFLICT (name, base_url, kind) DO UPDATE SET rows = excluded.rows, skipped = excluded.skipped,
                skipped_in_doubt = excluded.skipped_in_doubt, totals = excluded.totals, beyond = excluded.beyond`,

  receiptsOf: `SELECT origin, what, value FROM receipts JOIN intents ON intents.seq = receipts.intent WHERE intents.id = :id`,
  otherUrls: `SELECT base_url FROM services WHERE base_url >= :origin AND base_url < :origin || '0'
              AND base_url <> :baseUrl AND ${atOrigin}`,
  unnamedOfPayment: `SELECT * FROM intents WHERE payment = :payment AND ${atOrigin} AND updated_at >= :since
                     AND payment IS NOT NULL AND (named_by IS NULL OR named_by = 'run') ORDER BY updated_at DESC`,

  claim: `UPDATE intents SET state = 'sending', owner = :owner, why = NULL, resolved_as = NULL, updated_at = :at
          WHERE id = :id AND state <> 'sending'`,
  rewrite: `UPDATE intents SET body = :body, fingerprint = :fingerprint, payment = :payment WHERE id = :id`,
  markDead: `UPDATE intents SET state = 'unknown', owner = NULL, tainted = 1, updated_at = :at,
               may_have_landed_at = coalesce(may_have_landed_at, updated_at)
             WHERE id = :id AND state = 'sending' AND owner = :owner`,
  endDeadAttempts: `UPDATE attempts SET verdict = 'unknown', phase = 'process-died', ended_at = :at,
                      trouble = '${processDied}'
                    WHERE verdict IS NULL AND intent = (SELECT seq FROM intents WHERE id = :id)`,
  countAttempt: `UPDATE intents SET attempts = attempts + 1, token_hash = :tokenHash, updated_at = :at
                 WHERE id = :id AND state = 'sending' AND owner = :owner RETURNING *`,
  startAttempt: `INSERT INTO attempts (seq, intent, number, started_at) VALUES (:seq, :intent, :number, :at)`,
  acceptLate: `UPDATE intents SET state = 'accepted', owner = NULL, why = NULL, resolved_as = NULL, updated_at = :at
               WHERE id = :id AND state <> 'accepted'`,
  hold: `UPDATE intents SET state = 'held', why = :why, updated_at = :at WHERE id = :id AND state = 'unknown'`,
  addDecision: `INSERT INTO decisions (seq, intent, kind, who, at, reason, signature, fingerprint)
                SELECT :seq, seq, :kind, :who, :at, :reason, :signature, :fingerprint FROM intents WHERE id = :id`,
  forgetLanding: `UPDATE intents SET may_have_landed_at = NULL WHERE id = :id`,
  renewLanding: `UPDATE intents SET may_have_landed_at = :at WHERE id = :id AND tainted = 1`,
  resolve: `UPDATE intents SET state = 'resolved', resolved_as = :kind, why = NULL, updated_at = :at WHERE id = :id`,
  observe: `INSERT INTO observations (intent, verdict, who, at, signature, genesis, instruction, facts)
            SELECT seq, :verdict, :who, :at, :signature, :genesis, :instruction, :facts FROM intents WHERE id = :id`,
  markReported: `UPDATE intents SET reported_at = :at WHERE id = :id AND reported_at IS NULL`,
  markRowsReported: `UPDATE intents SET reported_at = :at
                     WHERE name = :name AND named_by = 'row' AND base_url = :baseUrl AND kind = :kind
                     AND reported_at IS NULL AND (state = 'accepted' OR resolved_as = 'happened')`,
  supersede: `UPDATE intents SET left_behind = 1 WHERE id = :id AND left_behind = 0`,

  intentsHighest: `SELECT max(seq) AS seq FROM intents`,
  attemptsHighest: `SELECT max(seq) AS seq FROM attempts`,
  decisionsHighest: `SELECT max(seq) AS seq FROM decisions`,

  propose: `INSERT INTO intents (seq, id, kind, base_url, spelled_url, bot, named_by, name, row_id, columns, key, identity,
            fingerprint, payment, body, state, why, attempts, created_at, updated_at)
          VALUES (:seq, :id, :kind, :baseUrl, nullif(:spelledUrl, :baseUrl), :bot, :namedBy, :name, :rowId, :columns, :key, :identity,
            :fingerprint, :payment, :body, 'held', :why, 0, :at, :at)`,
  holdBack: `UPDATE intents SET state = 'held', why = :why, resolved_as = NULL, updated_at = :at
             WHERE id = :id AND state IN ('open', 'rejected', 'resolved', 'held')`,

  counting: `SELECT counting.*, (SELECT max(at) FROM losses) AS lost FROM counting`,
  completeSince: `SELECT (SELECT min(created_at) FROM intents) AS since, (SELECT max(at) FROM losses) AS lost`,
  startCounting: `INSERT INTO counting (one, since, first)
                  VALUES (1, min(:at, coalesce((SELECT min(created_at) FROM intents), :at)),
                    coalesce((SELECT max(seq) FROM intents), 0))`,
  startSums: `INSERT INTO summed (whose, intent, entry) SELECT column1, first, 0 FROM counting, (VALUES ('all'), ('each'))`,
  // If clocks went back, this is later than it was. To count something for longer is the safe side.
  seedSpending: `INSERT INTO spending (intent, payment, at, sign) ${spentSince}`,
  seedPaid: `INSERT INTO paid (address, head, tail, since)
             SELECT address, lower(substr(address, 1, 3)), lower(substr(address, -3)), since FROM (${everPaid})`,
  uncounted: `${spentSince}`,
  uncountedOf: `SELECT payment, created_at AS at, 1 AS sign FROM intents WHERE id = :id AND ${counted}`,
  uncountedPaid: `SELECT address, since FROM (${everPaid})
                  WHERE lower(substr(address, 1, 3)) = :head OR lower(substr(address, -3)) = :tail`,
  spent: `SELECT hour, units FROM spent
          WHERE asset = :asset AND recipient = :recipient AND hour >= :since`,
  summed: `SELECT intent, entry, (SELECT max(seq) FROM intents) AS last_intent,
             (SELECT max(seq) FROM spending) AS last_entry FROM summed WHERE whose = :whose`,
  // What began as spent has no entry, or its first entry gives the amount back.
  begunAfter: `SELECT coalesce(moved.payment, intents.payment) AS payment,
                 coalesce(moved.at, intents.created_at) AS at, 1 AS sign
               FROM intents NOT INDEXED LEFT JOIN spending AS moved
                 ON moved.seq = (SELECT min(seq) FROM spending WHERE intent = intents.seq)
               WHERE intents.seq > :after AND intents.seq <= :upTo AND kind = 'transfer'
                 AND CASE WHEN moved.seq IS NULL THEN ${counted} ELSE moved.sign = -1 END`,
  movedAfter: `SELECT payment, at, sign FROM spending WHERE seq > :after`,
  addSpent: `INSERT INTO spent (asset, recipient, hour, units) VALUES (:asset, :recipient, :hour, :units)
             ON CONFLICT (asset, recipient, hour) DO UPDATE SET units = excluded.units`,
  spentInHour: `SELECT units FROM spent
                WHERE asset = :asset AND recipient = :recipient AND hour = :hour`,
  // By when they began, which has an index. Those of two days are enough to name.
  spenders: `SELECT DISTINCT bot, coalesce(spelled_url, base_url) AS url FROM intents
             WHERE created_at >= :since - 86400000 AND updated_at >= :since AND ${counted}
             AND json_extract(payment, '$[1]') = :asset ORDER BY 1, 2`,
  summedTo: `UPDATE summed SET intent = :intent, entry = :entry WHERE whose = :whose`,
  ownSpending: `SELECT coalesce(moved.payment, intents.payment) AS payment, coalesce(moved.at, intents.created_at) AS at,
                  coalesce(moved.sign, ${counted} AND intents.seq > (SELECT first FROM counting)) AS sign
                FROM intents LEFT JOIN spending AS moved
                  ON moved.seq = (SELECT max(seq) FROM spending WHERE intent = intents.seq)
                WHERE intents.id = :id AND kind = 'transfer'`,
  paidLike: `SELECT address, since FROM paid WHERE head = :head UNION ALL SELECT address, since FROM paid WHERE tail = :tail`,
  ...sets,
} as const;

export type StatementName = keyof typeof statements;
export type SetName = keyof typeof sets;

/** These add numbered rows, so the mark must be raised. */
export const numbered: Partial<Record<SetName, keyof RowNumbers>> = {
  begin: 'intents',
  firstAttempts: 'attempts',
};

type RunSet = (name: SetName, items: readonly Item[]) => readonly SqlRow[] | Promise<readonly SqlRow[]>;

/** Asks a question about one item or several, and returns the rows of its answer. */
export type Ask = (name: SetName, ...items: Item[]) => Promise<readonly SqlRow[]>;

/** Asks each question at once, or gathers questions of many rows until none can go on without an answer. */
export function askBy(run: RunSet, gathering?: Gathering): Ask {
  if (gathering === undefined) return async (name, ...items) => run(name, items);
  // After all promises that are settled by now, but within this turn, because a commit must not outlast it.
  return gathering.gather({ run, soon: (ask) => process.nextTick(ask) });
}

type Cell = null | number | bigint | string | Uint8Array;
export type SqlRow = Readonly<Record<string, Cell>>;

/** The schema checks what is written, so a row that breaks its checks was damaged on the disk. */
export class DamagedRow extends Error {}

function sound(row: SqlRow): SqlRow {
  const isTimely = [row.created_at, row.updated_at].every((ms) => Math.abs(Number(ms)) <= lastMs);
  if (!isTimely || !(states as readonly unknown[]).includes(row.state)) throw new DamagedRow();
  return row;
}

// JavaScript has no later dates.
const lastMs = 8.64e15;

export function intentOf(damageable: SqlRow, ownerLives: (owner: string) => boolean): Intent {
  const row = sound(damageable);
  return intentOfRow(row, isOwned(row, ownerLives));
}

export function isOwned({ owner }: SqlRow, ownerLives: (owner: string) => boolean): boolean {
  return typeof owner === 'string' && ownerLives(owner);
}

/** Values by name; a missing one is NULL. */
export type Bindings = Readonly<Record<string, undefined | null | number | string | Uint8Array>>;

/** A prepared statement whose parameters and columns have names. */
export type Statement = {
  run(bindings: Bindings): { readonly changes: number; readonly lastInsertRowid: number };
  get(bindings: Bindings): SqlRow | undefined;
  all(bindings: Bindings): SqlRow[];
};

/**
 * Only we use names; SQLite takes and returns plain lists. Objects that native code reads or makes property by property
 * are a tenth of what a row of a batch costs.
 */
export function prepare(database: DatabaseSyncInstance, sql: string): Statement {
  const names = [...new Set(sql.match(/(?<=:)[a-z]\w*/giu) ?? [])];
  const statement = database.prepare(
    sql.replace(/:([a-z]\w*)/giu, (_all, name) => `?${names.indexOf(name) + 1}`),
  );
  const listed = (bindings: Bindings): StatementCell[] => names.map((name) => bindings[name] ?? null);
  const columns = statement.columns().map(({ name }) => name);
  statement.setReturnArrays(true);
  return {
    run: (bindings) => {
      const { changes, lastInsertRowid } = statement.run(...listed(bindings));
      return { changes: Number(changes), lastInsertRowid: Number(lastInsertRowid) };
    },
    get: (bindings) => {
      const cells = statement.get(...listed(bindings)) as unknown as Cells | undefined;
      return cells === undefined ? undefined : rowOf(cells, columns);
    },
    all: (bindings) =>
      (statement.all(...listed(bindings)) as unknown as Cells[]).map((cells) => rowOf(cells, columns)),
  };
}

type StatementCell = null | number | string | Uint8Array;
type Cells = readonly SqlRow[string][];

function rowOf(cells: Cells, columns: readonly string[]): SqlRow {
  const row: Record<string, SqlRow[string]> = {};
  for (let nth = 0; nth < columns.length; nth += 1) row[columns[nth] ?? ''] = cells[nth] ?? null;
  return row;
}

/** The values that a statement gets for one intent. */
export type Item = Readonly<Record<string, undefined | null | boolean | number | string>>;
