// SQL: the questions to every journal, and its changes. `:name` is a value.
import { countedAsset, type Spending, summedPayment } from '../entry/amount.ts';
import {
  attemptColumns,
  batchColumns,
  bodyColumns,
  closingColumns,
  decisionColumns,
  endColumns,
  entryColumns,
  intoColumns,
  needsColumn,
  observationColumns,
  paidColumns,
  reading,
  receiptColumns,
  roleColumn,
  setColumns,
  triedColumn,
} from './columns.ts';
import { type Dialect, type Statement, statementIn } from './dialect.ts';
import {
  type BatchPayment,
  type Closing,
  type Entry,
  isResolution,
  type Reads,
  type RowKey,
  type Writes,
} from './journal.ts';
import type { Known } from './note.ts';
import { select } from './pages.ts';
import {
  type Ask,
  entryAsBegun,
  entryOf,
  type JournalRow,
  optional,
  processDied,
  rowGroupOf,
  troubleText,
  type Values,
} from './rows.ts';
import { approvedBy, batchOfRow, countsAsPaid, derived, paidUntil, recipientIn } from './schema.ts';
import { spendingIn, spendingOf, spentOf } from './spent.ts';

/** What each database knows about owners in its own way. */
type Owners = {
  self(): string;
  lives(row: JournalRow): boolean;
  /** Whether an owner is dead. Records its end if that is needed. */
  endOwner(owner: string, ask: Ask): Promise<boolean>;
};

/** A text that sorts after every text that begins with `head`. */
const behind = (head: string): string => `${head}\u{10ffff}`;

function textsIn(dialect: Dialect) {
  const { table, position, unindexed, each, withOwner } = dialect;
  const [entries, attempts, decisions] = [table('entries'), table('attempts'), table('decisions')];
  const [receipts, observations, batches] = [table('receipts'), table('observations'), table('batches')];
  const entry = `${withOwner('entries')}, ${derived(decisions)}`;
  const approvedUnsent = `CASE WHEN state = 'open' THEN ${approvedBy(decisions)} END`;
  const seqOf = `(SELECT seq FROM ${entries} WHERE id = :id)`;

  /** At this origin, whatever the path. */
  const atOrigin = `(base_url = :origin OR substr(base_url, 1, length(:origin) + 1) = :origin || '/')`;

  const recipient = recipientIn(position);
  const nextRecipient = (after: string): string => `(SELECT ${recipient} FROM ${entries}
    WHERE payment IS NOT NULL AND ${recipient} ${after} AND ${recipient} < :behind ORDER BY ${recipient} LIMIT 1)`;

  const lastBatch = (before: string): string => `(SELECT name FROM ${entries}
    WHERE named_by = 'row' AND name < ${before} ORDER BY name DESC LIMIT 1)`;

  const batchNames = `WITH RECURSIVE found (name) AS (SELECT ${lastBatch(':before')}
      UNION ALL SELECT ${lastBatch('found.name')} FROM found WHERE found.name IS NOT NULL)
    SELECT name FROM found WHERE name IS NOT NULL`;
  return {
    get: `SELECT ${entry} FROM ${entries} WHERE id = :id`,
    findByKey: `SELECT ${entry} FROM ${entries}
      WHERE key = :key AND base_url = :baseUrl AND ${unindexed('kind')} = :kind`,
    findUnnamed: `SELECT ${entry} FROM ${entries} WHERE identity = :identity AND named_by IS NULL
      AND created_at >= :since
      ORDER BY CASE state WHEN 'held' THEN 0 WHEN 'unknown' THEN 1 WHEN 'sending' THEN 1 WHEN 'open' THEN 2 ELSE 3 END,
        seq DESC LIMIT 1`,
    startingWith: `SELECT ${entry} FROM ${entries} WHERE id >= :head AND id < :behind ORDER BY id LIMIT 2`,
    // Each recipient is found from the one before it.
    recipients: `WITH RECURSIVE found (address) AS (SELECT ${nextRecipient('>= :head')}
        UNION ALL SELECT ${nextRecipient('> found.address')} FROM found WHERE found.address IS NOT NULL)
      SELECT address FROM found WHERE address IS NOT NULL LIMIT 1000`,
    equalEntries: `SELECT ${entry} FROM ${entries} WHERE payment = :payment AND ${countsAsPaid}
      AND (${paidUntil}) >= :since AND ${atOrigin} AND id <> :id AND ${batchOfRow} IS DISTINCT FROM :batch
      ORDER BY tried_at DESC`,
    paidBefore: `SELECT count(*) AS times, max(tried_at) AS last FROM ${entries}
      WHERE payment IS NOT NULL AND ${recipient} = :to AND ${countsAsPaid}`,
    // With CROSS JOIN, SQLite looks up each payment by the index. With IN it would read all transfers for each page.
    batchesPaying: `SELECT payment, name AS batch, max(tried_at) AS at
      FROM ${each(':payments')} AS payments CROSS JOIN ${entries}
      WHERE payment = one AND ${countsAsPaid} AND (${paidUntil}) >= :since
        AND named_by = 'row' AND name <> :batch GROUP BY payment, name`,
    latestSeq: `SELECT coalesce(max(seq), 0) AS seq FROM ${entries}`,
    rowsSince: `SELECT seq, key FROM ${entries} WHERE seq > :after AND ${unindexed('name')} = :name
      AND named_by = 'row' AND payment IS NOT NULL ORDER BY seq`,
    settledBy: `SELECT id FROM ${entries} WHERE payment = :payment AND resolved_as = 'happened' AND was_in_doubt = 0
      AND (SELECT 1 FROM ${decisions} WHERE decisions.entry = entries.seq AND reason = :by LIMIT 1) = 1 LIMIT 1`,
    attemptsOf: `SELECT attempts.* FROM ${attempts} WHERE entry = ${seqOf} ORDER BY number`,
    decisiveAttempt: `SELECT attempts.* FROM ${attempts} WHERE entry = ${seqOf}
      ORDER BY CASE WHEN verdict = 'accepted' THEN 0 ELSE 1 END, number DESC LIMIT 1`,
    decisionsOf: `SELECT decisions.* FROM ${decisions} WHERE entry = ${seqOf} ORDER BY seq`,
    observationsOf: `SELECT observations.* FROM ${observations} WHERE entry = ${seqOf} ORDER BY seq`,
    receiptsOf: `SELECT origin, what, value FROM ${receipts} WHERE entry = ${seqOf} ORDER BY seq`,
    otherHolder: `SELECT id FROM ${entries} WHERE id <> :id
      AND seq IN (SELECT entry FROM ${receipts} WHERE value = :value AND what = :what
        AND (what = 'signature' OR origin = :origin))`,
    signaturesHeld: `SELECT value FROM ${receipts} WHERE what = 'signature' AND value IN ${each(':all')}
      UNION SELECT signature FROM ${observations} WHERE signature IN ${each(':all')}`,
    unsigned: `SELECT id FROM ${entries} WHERE payment IS NOT NULL AND ${countsAsPaid} AND (${paidUntil}) >= :since
      AND NOT EXISTS (SELECT 1 FROM ${receipts}
        WHERE receipts.entry = entries.seq AND what = 'signature') ORDER BY seq`,
    closings: `SELECT closings.* FROM ${table('closings')} WHERE ended_at IS NULL ORDER BY seq`,
    repeated: `SELECT ${entry} FROM ${entries} WHERE payment IS NOT NULL AND state = 'accepted' AND was_in_doubt = 1
      AND attempts > 1 ORDER BY seq`,
    stateCounts: `SELECT state, count(*) AS count FROM ${entries} GROUP BY state`,
    // Owners are looked up for groups, not for rows. A row that another entry's payment settled names that entry.
    rowsStanding: `SELECT ${withOwner('standings')} FROM (
        SELECT kind, base_url, bot, state, why, resolved_as, ${approvedUnsent} AS approved, owner, count(*) AS rows,
          substr(payment, ${position}(payment, '",') + 2) AS paid, CASE WHEN resolved_as = 'happened' AND was_in_doubt = 0
            THEN (SELECT coalesce(other.name, other.id) FROM ${decisions} JOIN ${entries} AS other ON other.id = reason
              WHERE decisions.entry = entries.seq ORDER BY decisions.seq DESC LIMIT 1) END AS paid_as, min(created_at) AS begun_at, max(updated_at) AS updated_at
        FROM ${entries} WHERE name = :name AND named_by = 'row'
        GROUP BY kind, base_url, bot, state, why, resolved_as, approved, owner, paid, paid_as) AS standings`,
    batchInputs: `SELECT batches.* FROM ${batches} WHERE name = :name`,
    // One step of the index for each name, however many rows have it. Most names end in a date: the latest come first.
    batchNames,
    ...spendingIn(dialect),

    begin: `INSERT INTO ${entries} ${intoColumns({ ...entryColumns, ...triedColumn, ...paidColumns })}`,
    addAttempt: `INSERT INTO ${attempts} (entry, number, started_at)
      VALUES (${seqOf}, :number, :at)`,
    claim: `UPDATE ${entries} SET state = 'sending', owner = :owner, why = NULL, resolved_as = NULL,
        updated_at = :at, tried_at = :at
      WHERE id = :id AND state NOT IN ('sending', 'accepted') RETURNING id`,
    rewrite: `UPDATE ${entries} SET ${setColumns({ ...bodyColumns, ...paidColumns })} WHERE id = :id`,
    endDeadAttempts: `UPDATE ${attempts} SET verdict = 'unknown', phase = 'process-died', ended_at = :at,
        trouble = '${processDied}' WHERE verdict IS NULL AND entry = ${seqOf}`,
    markDead: `UPDATE ${entries} SET state = 'unknown', owner = NULL, was_in_doubt = 1, updated_at = :at,
        in_doubt_since = coalesce(in_doubt_since, updated_at)
      WHERE id = :id AND state = 'sending' AND owner = :owner`,
    countAttempt: `UPDATE ${entries} SET attempts = attempts + 1, token_hash = :tokenHash, updated_at = :at,
        tried_at = :at
      WHERE id = :id AND state = 'sending' AND owner = :owner RETURNING *, ${derived(decisions)}`,
    endAttempt: `UPDATE ${attempts} SET ${setColumns(endColumns)}
      WHERE entry = ${seqOf} AND number = :number AND (verdict IS NULL OR :verdict = 'accepted')`,
    conclude: `UPDATE ${entries} SET state = :state, owner = NULL, why = :why, updated_at = :at
      WHERE id = :id AND state = 'sending' AND owner = :owner RETURNING id`,
    acceptLate: `UPDATE ${entries} SET state = 'accepted', owner = NULL, why = NULL, resolved_as = NULL,
        updated_at = :at
      WHERE id = :id AND state <> 'accepted'`,
    keepReceipt: `INSERT INTO ${receipts} (origin, what, value, entry)
      SELECT :origin, :what, :value, seq FROM ${entries} WHERE id = :id AND NOT EXISTS (
        SELECT 1 FROM ${receipts} WHERE value = :value AND what = :what AND origin = :origin)`,
    hold: `UPDATE ${entries} SET state = 'held', why = :why, resolved_as = NULL, updated_at = :at
      WHERE id = :id AND state IN ('open', 'unknown', 'rejected', 'resolved', 'held')`,
    addDecision: `INSERT INTO ${decisions} ${intoColumns({ ...decisionColumns, ...needsColumn }, seqOf)}`,
    approve: `UPDATE ${entries} SET state = 'open', why = NULL, updated_at = :at
      WHERE id = :id AND state = 'held'`,
    decline: `UPDATE ${entries} SET state = 'declined', why = NULL, updated_at = :at WHERE id = :id`,
    dateLanding: `UPDATE ${entries} SET in_doubt_since = :at
      WHERE id = :id AND in_doubt_since IS NOT NULL`,
    resolve: `UPDATE ${entries} SET state = 'resolved', resolved_as = :as, why = NULL, updated_at = :at,
        in_doubt_since = CASE WHEN :as = 'happened' THEN in_doubt_since END
      WHERE id = :id AND NOT (state = 'accepted' AND :as = 'happened')`,
    observe: `INSERT INTO ${observations} ${intoColumns(observationColumns, seqOf)}`,
    markReported: `UPDATE ${entries} SET reported_at = :at WHERE id = :id AND reported_at IS NULL`,
    keepBatch: `INSERT INTO ${batches} ${intoColumns(batchColumns)}
      ON CONFLICT (name, base_url, kind) DO UPDATE SET rows = excluded.rows, invalid = excluded.invalid`,
  };
}

export type Verbs = Readonly<Record<keyof ReturnType<typeof textsIn>, Statement>>;

export function verbsIn(dialect: Dialect): Verbs {
  const made = Object.entries(textsIn(dialect)).map(([verb, text]) => [verb, statementIn(dialect, text)]);
  return Object.fromEntries(made) as Verbs;
}

/** The statement that finds which of these attempts and decisions (number 0) are on record. It returns their places. */
export function whichAreRecorded(dialect: Dialect, noted: readonly Known[]): readonly [Statement, Values] {
  const [entries, attempts, decisions] = ['entries', 'attempts', 'decisions'].map(dialect.table);
  // With EXISTS, PostgreSQL would read all rows.
  const texts = noted.map(
    (_known, nth) => `SELECT ${nth} AS nth FROM ${entries} WHERE id = :entry${nth} AND coalesce(
      (SELECT 1 FROM ${attempts}
        WHERE attempts.entry = entries.seq AND number = :number${nth} AND started_at = :at${nth}),
      (SELECT 1 FROM ${decisions}
        WHERE :number${nth} = 0 AND decisions.entry = entries.seq AND at = :at${nth} LIMIT 1)) = 1`,
  );
  const values = noted.flatMap(({ entry, number, atMs }, nth) => [
    ...([
      [`entry${nth}`, entry],
      [`number${nth}`, number],
      [`at${nth}`, atMs],
    ] as const),
  ]);
  return [statementIn(dialect, texts.join(' UNION ALL ')), Object.fromEntries(values)];
}

const text = (value: string | undefined): string | undefined =>
  value?.replaceAll('\0', '\ufffd').toWellFormed();

const attemptOf = reading(attemptColumns);
const decisionOf = reading({ ...decisionColumns, ...roleColumn, ...needsColumn });
const observationOf = reading(observationColumns);
const receiptOf = reading(receiptColumns);
const batchInputOf = reading(batchColumns);
const rowKeyOf = ({ seq, key }: JournalRow): RowKey => ({ seq: Number(seq), key: String(key) });
const batchPaymentOf = ({ payment, batch, at }: JournalRow): BatchPayment => ({
  payment: String(payment),
  batch: String(batch),
  atMs: Number(at),
});
export const closingOf = reading(closingColumns);

export type AskingBase = { readonly dialect: Dialect; readonly verbs: Verbs; readonly owners: Owners };

/** Leave `beforeNext` out in a commit: a commit must await only the journal. */
export function readsOf(
  ask: Ask,
  { dialect, verbs, owners }: AskingBase,
  beforeNext?: () => Promise<void>,
): Omit<Reads, 'processOf'> {
  const toEntry = (row: JournalRow): Entry => entryOf(row, owners.lives(row));
  const first = async (statement: Statement, values: Values): Promise<Entry | undefined> => {
    const [row] = await ask(statement, values);
    return row && toEntry(row);
  };
  const all = async <Result>(statement: Statement, values: Values, read: (row: JournalRow) => Result) =>
    (await ask(statement, values)).map(read);
  /** A commit reads each sum once, and each of its claims adds to it. */
  const sums = new Map<string, Promise<Spending>>();
  let closings: Promise<readonly Closing[]> | undefined;
  return {
    findUnnamed: (identity, since) => first(verbs.findUnnamed, { identity, since }),
    findByKey: ({ baseUrl, kind }, key) => first(verbs.findByKey, { baseUrl, kind, key }),
    get: (id) => first(verbs.get, { id }),
    startingWith: (head) => all(verbs.startingWith, { head, behind: behind(head) }, toEntry),
    select: (selection) => select(selection, dialect, ask, toEntry, beforeNext ?? (async () => {})),
    recipients: (head) =>
      all(verbs.recipients, { head, behind: behind(head) }, ({ address }) => String(address)),
    attemptsOf: (id) => all(verbs.attemptsOf, { id }, attemptOf),
    decisiveAttempt: async (id) => (await all(verbs.decisiveAttempt, { id }, attemptOf))[0],
    decisionsOf: (id) => all(verbs.decisionsOf, { id }, decisionOf),
    observationsOf: (id) => all(verbs.observationsOf, { id }, observationOf),
    receiptsOf: (id) => all(verbs.receiptsOf, { id }, receiptOf),
    otherHolder: async (id, receipts) => {
      const others = receipts.map((receipt) => ask(verbs.otherHolder, { id, ...receipt }));
      return (await Promise.all(others)).flat()[0]?.id as string | undefined;
    },
    signaturesHeld: (signatures) =>
      all(verbs.signaturesHeld, { all: JSON.stringify(signatures) }, ({ value }) => String(value)),
    unsigned: (since) => all(verbs.unsigned, { since }, ({ id }) => String(id)),
    equalEntries: ({ sinceMs: since, ...about }) => all(verbs.equalEntries, { ...about, since }, toEntry),
    paidBefore: async (to) => {
      const [row] = await ask(verbs.paidBefore, { to });
      return { times: Number(row?.times), lastMs: optional<number>(row?.last) };
    },
    batchesPaying: (payments, batch, since) =>
      all(verbs.batchesPaying, { payments: JSON.stringify(payments), batch, since }, batchPaymentOf),
    latestSeq: async () => Number((await ask(verbs.latestSeq, {}))[0]?.seq),
    rowsSince: (name, after) => all(verbs.rowsSince, { name, after }, rowKeyOf),
    settledBy: async (payment, by) =>
      (await ask(verbs.settledBy, { payment, by }))[0]?.id as string | undefined,
    closings: () => {
      if (beforeNext !== undefined) return all(verbs.closings, {}, closingOf);
      closings ??= all(verbs.closings, {}, closingOf);
      return closings;
    },
    stateCounts: async () =>
      Object.fromEntries(await all(verbs.stateCounts, {}, ({ state, count }) => [state, Number(count)])),
    repeated: () => all(verbs.repeated, {}, toEntry),
    rowsStanding: (name) => all(verbs.rowsStanding, { name }, (row) => rowGroupOf(row, owners.lives(row))),
    batchInputs: (name) => all(verbs.batchInputs, { name }, batchInputOf),
    batchNames: () => all(verbs.batchNames, { before: behind('') }, ({ name }) => String(name)),
    spending: (asset, since) => {
      const counted = countedAsset(asset);
      const sum =
        sums.get(counted) ?? spendingOf({ asset: counted, since }, verbs, ask).then((units) => ({ units }));
      if (beforeNext === undefined) sums.set(counted, sum);
      return sum;
    },
    spent: (asset, since) => spentOf({ asset: countedAsset(asset), since }, verbs, ask),
  };
}

/** Another process changed the entry after it was read. If the work runs again, it takes that into account. */
export class Overtaken extends Error {}

/** Each runs within a commit. */
export function writesOf(ask: Ask, { verbs, owners }: AskingBase, onKnown: (known: Known) => void): Writes {
  const change = async (statement: Statement, values: Values): Promise<void> => {
    await ask(statement, values);
  };
  return {
    begin: async (entry, tokenHash, at) => {
      const countsAtMs = entry.payment === undefined ? undefined : at;
      const owned = { owner: owners.self(), ownerLives: true, tokenHash, attempts: 1, countsAtMs };
      const begun = entryAsBegun(entry, at, { state: 'sending', ...owned });
      const sums = { triedAtMs: at, ...summedPayment(entry.payment) };
      await Promise.all([
        ask(verbs.begin, Object.assign({}, begun, sums)),
        ask(verbs.addAttempt, { id: entry.id, number: 1, at }),
      ]);
      onKnown({ entry: entry.id, number: 1, atMs: at });
      return begun;
    },
    claim: async (id, at) => {
      const claimed = await ask(verbs.claim, { id, owner: owners.self(), at });
      if (claimed.length === 0) throw new Overtaken(`entry ${id} is being sent already`);
    },
    rewrite: (id, to) => change(verbs.rewrite, { ...to, ...summedPayment(to.payment), id }),
    recordDeath: async (id, at) => {
      const [row] = await ask(verbs.get, { id });
      const owner = optional<string>(row?.owner);
      if (owner === undefined || !(await owners.endOwner(owner, ask))) return;
      await change(verbs.endDeadAttempts, { id, at });
      await change(verbs.markDead, { id, owner, at });
    },
    startAttempt: async (id, tokenHash, at) => {
      const [row] = await ask(verbs.countAttempt, { id, owner: owners.self(), tokenHash, at });
      if (row === undefined) throw new Overtaken(`entry ${id} is not claimed by this process`);
      await ask(verbs.addAttempt, { id, number: Number(row.attempts), at });
      onKnown({ entry: id, number: Number(row.attempts), atMs: at });
      return entryOf(row, true);
    },
    endAttempt: (id, number, end, at) =>
      change(verbs.endAttempt, {
        ...end,
        id,
        number,
        endedAtMs: at,
        requestId: text(end.requestId),
        trouble: troubleText(end.trouble),
        headers: JSON.stringify(end.headers),
      }),
    conclude: async (id, state, why, at) => {
      const isOwn = (await ask(verbs.conclude, { id, owner: owners.self(), state, why, at })).length > 0;
      if (!isOwn && state === 'accepted') await change(verbs.acceptLate, { id, at });
      return isOwn;
    },
    keepReceipts: async (id, receipts) => {
      await Promise.all(receipts.map((receipt) => ask(verbs.keepReceipt, { id, ...receipt })));
    },
    hold: (id, why, at) => change(verbs.hold, { id, why, at }),
    decide: async (id, { kind, who, atMs: at, reason, signature, fingerprint, needs }) => {
      const decided = { kind, who: text(who), atMs: at, reason: text(reason), signature, fingerprint, needs };
      await change(verbs.addDecision, { id, ...decided });
      onKnown({ entry: id, number: 0, atMs: at });
      // The time in which it may be sent again starts with the decision.
      if (kind === 'send-again') await change(verbs.dateLanding, { id, at });
      if (isResolution(kind)) await change(verbs.resolve, { id, as: kind, at });
      if (kind === 'approved') await change(verbs.approve, { id, at });
      if (kind === 'declined') await change(verbs.decline, { id, at });
    },
    observe: (id, observation) =>
      change(verbs.observe, { ...observation, id, facts: text(observation.facts) }),
    markReported: (id, at) => change(verbs.markReported, { id, at }),
    keepBatch: (input) => change(verbs.keepBatch, input),
    propose: async (entry, why, at) => {
      const proposed = entryAsBegun(entry, at, { state: 'held', heldReason: why });
      await change(verbs.begin, Object.assign({}, proposed, summedPayment(entry.payment)));
      return proposed;
    },
  };
}
