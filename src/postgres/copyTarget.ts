import { Failure } from '../once/failures.ts';
import type { CopiedIntent, Standing } from '../once/journal/file/sourceFile.ts';
import type { Attempt, BatchInput, Intent } from '../once/journal/journal.ts';
import { receiptValue, troubleText } from '../once/journal/rows.ts';
import { Spent } from '../once/journal/spent.ts';
import { changes, questions } from '../once/journal/verbs.ts';
import { lockOfWriters } from './base.ts';
import type { PgConnection } from './connection.ts';
import { ServerTroubleError, sharedFailure } from './facts.ts';
import { codeOf, isPassing } from './faults.ts';
import { askOn, Gathered } from './gathered.ts';
import type { Lease } from './lease.ts';
import { unknownDigest } from './shares.ts';
import { inSchema, type Row } from './sql.ts';

/** An intent that this journal has too. */
type Known = {
  readonly id: string;
  readonly fingerprint: string;
  readonly standing: Standing;
  readonly leftBehind: boolean;
  readonly isTakenIn: boolean;
};

/** How many intents were added, were here already, were merged, or are held because their tokens are unknown here. */
export type Added = Readonly<Record<'added' | 'known' | 'merged' | 'held', number>>;

export type Conflict = {
  readonly here: string;
  readonly there: CopiedIntent['intent'];
  readonly isSending: boolean;
};

type Inputs = {
  readonly connection: PgConnection;
  readonly schema: string;
  readonly place: string;
  readonly lease: Lease;
};

const mostTries = 5;

/** A shared journal that receives a copy of another one. */
export class CopyTarget {
  readonly #inputs: Inputs;

  constructor(inputs: Inputs) {
    this.#inputs = inputs;
  }

  /** Refuses a role without the rights to copy, before anything is changed. */
  async refuseRole(): Promise<{ readonly isUsed: boolean; readonly mayAdopt: boolean }> {
    const [row] = await this.#query('place', []);
    if (row?.may_add !== true) throw sharedFailure('may-only-look', { place: this.#inputs.place });
    return { isUsed: row.used === true, mayAdopt: row.may_adopt === true };
  }

  /** Takes over the other journal's salt, which is possible only while there are no intents. */
  async adoptSalt(salt: Uint8Array): Promise<void> {
    await this.#query('adoptSalt', [Buffer.from(salt)]);
  }

  /** Intents that cannot be the same as the one here with the same key. */
  async conflictsOf(page: readonly CopiedIntent[]): Promise<Conflict[]> {
    const known = await this.#known(page);
    return page.flatMap(({ intent }, n) => {
      const here = known.get(n);
      if (here === undefined || here.id === intent.id) return [];
      const isSending = here.standing.state === 'sending';
      if (here.fingerprint === intent.fingerprint && !isSending) return [];
      return [{ here: here.id, there: intent, isSending }];
    });
  }

  /** Adds all of a page, or nothing of it. */
  async add(page: readonly CopiedIntent[], keepsTokens: boolean): Promise<Added> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#transact(() => this.#addAll(page, keepsTokens));
      } catch (error) {
        if (error instanceof Failure || tries === mostTries || !isPassing(error)) throw error;
      }
    }
  }

  /** Adds what the files of batches asked for, where nobody has run them here. */
  async addBatches(batches: readonly BatchInput[]): Promise<void> {
    const items = batches.map(({ baseUrl, skippedInDoubt, totals, beyond, ...rest }) => ({
      ...{ ...rest, base_url: baseUrl, skipped_in_doubt: skippedInDoubt },
      ...{ totals: JSON.stringify(totals), beyond: JSON.stringify(beyond) },
    }));
    if (items.length > 0) await this.#query('addBatches', [JSON.stringify(items)]);
  }

  async #transact<Result>(work: () => Promise<Result>): Promise<Result> {
    const { connection, lease } = this.#inputs;
    const answers = await connection.all([
      'BEGIN',
      /* sql */ 'SET LOCAL synchronous_commit = on',
      lockOfWriters(this.#inputs.schema),
      lease.renewalOn(connection),
    ]);
    try {
      lease.fence(answers.at(-1)?.rows ?? []);
      const result = await work();
      const { command } = await connection.query('COMMIT');
      if (command !== 'COMMIT') throw new ServerTroubleError({ is: 'commit-undone' });
      return result;
    } catch (error) {
      if (!connection.isBroken) await connection.query('ROLLBACK');
      throw error;
    }
  }

  async #addAll(page: readonly CopiedIntent[], keepsTokens: boolean): Promise<Added> {
    const known = await this.#known(page);
    const fresh = page.filter((_one, n) => !known.has(n));
    const ids = [...page.map(({ intent }) => intent.id), ...Array.from(known.values(), ({ id }) => id)];
    const before = await this.#counting(ids);
    await this.#addFresh(fresh, keepsTokens);
    let merged = 0;
    for (const [n, here] of known) {
      const there = page[n];
      if (there !== undefined && (await this.#merge(here, there))) merged += 1;
    }
    await this.#count(before, await this.#counting(ids));
    const held = keepsTokens ? 0 : fresh.filter(isInDoubt).length;
    return { added: fresh.length, known: known.size - merged, merged, held };
  }

  async #counting(ids: readonly string[]): Promise<Map<unknown, Row>> {
    return new Map((await this.#query('counting', [ids])).map((row) => [row.id, row]));
  }

  /** What the page spends goes into the sums of its commit. */
  async #count(before: ReadonlyMap<unknown, Row>, after: ReadonlyMap<unknown, Row>): Promise<void> {
    const { connection, schema } = this.#inputs;
    const spent = new Spent({ ...questions, ...changes }, true);
    for (const [id, { payment, counts_at, happened, updated_at }] of after) {
      spent.move(payment, before.get(id)?.counts_at, counts_at);
      if (happened === true && before.get(id)?.happened !== true) spent.happened(payment, Number(updated_at));
    }
    await spent.write(new Gathered(schema, (asked) => askOn(connection, asked)).ask);
  }

  async #addFresh(fresh: readonly CopiedIntent[], keepsTokens: boolean): Promise<void> {
    if (fresh.length === 0) return;
    await this.#query('begin', [JSON.stringify(fresh.map(intentItem)), this.#inputs.lease.id]);
    await this.#addAttempts(
      fresh.flatMap(({ intent: { id }, attempts }) => attempts.map((one) => ({ id, ...one }))),
    );
    const standings = fresh.map(({ intent, leftBehind }) =>
      standingItem(intent.id, keepsTokens ? intent : withoutToken(intent, intent.kind), leftBehind),
    );
    await this.#stand(standings);
    await this.#addRest(fresh, (one) => one.intent.id);
  }

  /** Merges what the other journal knows into the intent here. Returns false if there is nothing to add. */
  async #merge(here: Known, there: CopiedIntent): Promise<boolean> {
    const { id, kind, fingerprint } = there.intent;
    if (here.id === id || here.isTakenIn) return false;
    if (here.fingerprint !== fingerprint || here.standing.state === 'sending')
      throw sharedFailure('sent-there-now', { place: this.#inputs.place });
    const standing = mergeStanding(here.standing, there.intent, kind);
    if (standing === undefined) return false;
    await this.#query('claim', [
      ...[here.id, here.standing.state, this.#inputs.lease.id],
      claimedAtMs(there),
    ]);
    await this.#addAttempts(
      there.attempts.map((one) => ({ ...one, id: here.id, number: here.standing.attempts + one.number })),
    );
    await this.#stand([standingItem(here.id, standing, here.leftBehind)]);
    await this.#addRest([there], () => here.id);
    return true;
  }

  async #addAttempts(attempts: readonly (Attempt & { readonly id: string })[]): Promise<void> {
    if (attempts.length === 0) return;
    const items = JSON.stringify(attempts.map(attemptItem));
    await this.#query('beginAttempts', [items]);
    await this.#query('endAttempts', [items]);
  }

  async #stand(items: readonly CopiedItem[]): Promise<void> {
    const given = JSON.stringify(items);
    await this.#query('stand', [given]);
    if (items.some(({ state }) => state === 'resolved')) await this.#query('resolve', [given]);
  }

  async #addRest(copied: readonly CopiedIntent[], idOf: (one: CopiedIntent) => string): Promise<void> {
    const decisions = copied.flatMap((one) =>
      one.decisions.map((decision) => ({ id: idOf(one), ...decision })),
    );
    if (decisions.length > 0) {
      const items = decisions.map(({ id, kind, who, atMs, reason, signature, fingerprint }, n) => ({
        ...{ n, id, kind, who: text(who), at: atMs, reason: text(reason) },
        signature: text(signature),
        fingerprint,
      }));
      await this.#query('decide', [JSON.stringify(items)]);
    }
    const receipts = copied.flatMap((one) =>
      one.receipts.map((receipt) => ({ id: idOf(one), ...receipt, value: receiptValue(receipt.value) })),
    );
    if (receipts.length > 0) await this.#query('keepReceipts', [JSON.stringify(receipts)]);
    const observations = copied.flatMap((one) =>
      one.observations.map(({ atMs, who, facts, ...rest }) => ({
        ...{ ...rest, id: idOf(one), at: atMs, who: text(who), facts: text(facts) },
      })),
    );
    if (observations.length > 0)
      await this.#query('observe', [JSON.stringify(observations.map((one, n) => ({ ...one, n })))]);
  }

  async #known(page: readonly CopiedIntent[]): Promise<Map<number, Known>> {
    const items = page.map(({ intent: { key, baseUrl, kind }, attempts }, n) => ({
      ...{ n, key, base_url: baseUrl, kind },
      tries: attempts.map(({ startedAtMs, endedAtMs, verdict, requestId }) => ({
        ...{ started_at: startedAtMs, ended_at: endedAtMs, verdict, request_id: text(requestId) },
      })),
    }));
    const rows = await this.#query('known', [JSON.stringify(items)]);
    return new Map(rows.map((row) => [row.n as number, knownOf(row)]));
  }

  async #query(name: keyof typeof copySql, values: unknown[]): Promise<readonly Row[]> {
    const { connection, schema, place } = this.#inputs;
    try {
      return (await connection.query(inSchema(schema, copySql[name]), values)).rows;
    } catch (error) {
      throw codeOf(error) === '42501' ? sharedFailure('may-only-look', { place }, error) : error;
    }
  }
}

type CopiedItem = Readonly<Record<string, unknown>>;

function isInDoubt({ intent }: CopiedIntent): boolean {
  return withoutToken(intent, intent.kind).state !== intent.state;
}

function claimedAtMs({ intent, attempts }: CopiedIntent): number {
  return attempts.at(-1)?.startedAtMs ?? intent.createdAtMs;
}

function intentItem(copied: CopiedIntent, n: number): CopiedItem {
  const { intent } = copied;
  return {
    n,
    id: intent.id,
    kind: intent.kind,
    base_url: intent.baseUrl,
    spelled_url: intent.spelledUrl,
    bot: intent.bot,
    named_by: intent.namedBy,
    name: intent.name,
    row_id: intent.rowId,
    columns: intent.columns,
    key: intent.key,
    identity: intent.identity,
    fingerprint: intent.fingerprint,
    payment: intent.payment,
    body: base64(intent.body),
    created_at: intent.createdAtMs,
    claimed_at: claimedAtMs(copied),
    is_proposal: intent.state === 'held' && !intent.tainted,
  };
}

function standingItem(id: string, standing: Standing, leftBehind: boolean): CopiedItem {
  return {
    id,
    state: standing.state,
    tainted: Number(standing.tainted),
    may_have_landed_at: standing.mayHaveLandedAtMs,
    token_hash: standing.tokenHash,
    why: standing.heldReason,
    resolved_as: standing.resolvedAs,
    attempts: standing.attempts,
    updated_at: standing.updatedAtMs,
    reported_at: standing.reportedAtMs,
    left_behind: Number(leftBehind),
  };
}

function attemptItem(attempt: Attempt & { readonly id: string }): CopiedItem {
  const { id, number, phase, verdict, status, duplicate, verified, reply } = attempt;
  return {
    ...{ id, number, phase, verdict, status, duplicate: Number(duplicate), verified: Number(verified) },
    started_at: attempt.startedAtMs,
    ended_at: attempt.endedAtMs,
    request_id: text(attempt.requestId),
    trouble: troubleText(attempt.trouble),
    retry_after: attempt.retryAfterMs,
    reply: reply && base64(reply),
    headers: JSON.stringify(attempt.headers),
  };
}

function knownOf(row: Row): Known {
  const optional = <Value>(cell: unknown): Value | undefined => (cell === null ? undefined : (cell as Value));
  return {
    id: row.id as string,
    fingerprint: row.fingerprint as string,
    leftBehind: row.left_behind === 1,
    isTakenIn: row.is_taken_in === true,
    standing: {
      state: row.state as Standing['state'],
      tainted: row.tainted === 1,
      mayHaveLandedAtMs: optional(row.may_have_landed_at),
      tokenHash: optional(row.token_hash),
      heldReason: optional(row.why),
      resolvedAs: optional(row.resolved_as),
      attempts: row.attempts as number,
      updatedAtMs: row.updated_at as number,
      reportedAtMs: optional(row.reported_at),
    },
  };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/** PostgreSQL's text can hold neither NUL nor invalid Unicode. */
function text(given: string | undefined): string | undefined {
  return given?.replaceAll('\0', '\ufffd').toWellFormed();
}

/**
 * The statements that copy another journal's intents: one transaction for each page, in steps that the rules allow. The
 * copying process claims each intent, and others see it only in its final state. The claim has the time of the latest
 * attempt, because that is when the money was spent.
 */

const standing = /* sql */ `state text, tainted bigint, may_have_landed_at bigint, token_hash text, why text, resolved_as text,
  attempts int, updated_at bigint, reported_at bigint, left_behind bigint`;

const copySql = {
  /**
   * The given intents that exist here under the same key, and whether an earlier run has copied all of their attempts.
   */
  known: /* sql */ `SELECT g.n, i.id, i.state, i.tainted, i.may_have_landed_at, i.token_hash, i.why, i.resolved_as, i.attempts,
            i.updated_at, i.reported_at, i.left_behind, i.fingerprint,
            json_array_length(g.tries) > 0 AND NOT EXISTS (
              SELECT started_at, ended_at, verdict, request_id FROM json_to_recordset(g.tries)
                AS t(started_at bigint, ended_at bigint, verdict text, request_id text)
              EXCEPT SELECT started_at, ended_at, verdict, request_id FROM @schema.attempts a WHERE a.intent = i.seq
            ) AS is_taken_in
          FROM json_to_recordset($1::json) AS g(n int, key text, base_url text, kind text, tries json)
          JOIN @schema.intents i ON i.key = g.key AND i.base_url = g.base_url AND i.kind = g.kind`,

  begin: /* sql */ `INSERT INTO @schema.intents (created_at, id, kind, base_url, spelled_url, bot, named_by, name,
            row_id, columns, key, identity, fingerprint, payment, body, updated_at, state, owner, why, counts_at)
          SELECT created_at, id, kind, base_url, nullif(spelled_url, base_url), bot, named_by, name, row_id, columns, key,
            identity, fingerprint, payment, decode(body, 'base64'), claimed_at,
            CASE WHEN is_proposal THEN 'held' ELSE 'sending' END, CASE WHEN is_proposal THEN NULL ELSE $2 END,
            CASE WHEN is_proposal THEN 'approval' END,
            CASE WHEN kind = 'transfer' AND NOT is_proposal THEN claimed_at END
          FROM json_to_recordset($1::json) AS g(n int, id text, kind text, base_url text, spelled_url text, bot text,
            named_by text, name text, row_id text, columns text, key text, identity text, fingerprint text, payment text,
            body text, created_at bigint, claimed_at bigint, is_proposal boolean) ORDER BY n`,

  /** Claims an intent that exists here, so that the other journal's knowledge can be added. */
  claim: /* sql */ `UPDATE @schema.intents i SET state = 'sending', owner = $3, why = NULL, resolved_as = NULL,
            updated_at = c.at, counts_at = CASE WHEN kind = 'transfer' THEN c.at END
          FROM (SELECT greatest(max(a.started_at), $4::bigint) AS at FROM @schema.attempts a
            JOIN @schema.intents w ON w.seq = a.intent WHERE w.id = $1) c
          WHERE i.id = $1 AND i.state = $2`,

  /** A file in which the rows were run leaves no digest; the first who runs it here writes it. */
  addBatches: /* sql */ `INSERT INTO @schema.batches (name, base_url, kind, digest, rows, skipped, skipped_in_doubt, totals,
            beyond)
          SELECT name, base_url, kind, '${unknownDigest}', rows, skipped, skipped_in_doubt, totals, beyond
          FROM json_to_recordset($1::json) AS g(name text, base_url text, kind text, rows bigint, skipped bigint,
            skipped_in_doubt bigint, totals text, beyond text)
          ON CONFLICT DO NOTHING`,

  beginAttempts: /* sql */ `INSERT INTO @schema.attempts (intent, number, started_at) SELECT i.seq, g.number, g.started_at
          FROM json_to_recordset($1::json) AS g(id text, number int, started_at bigint)
          JOIN @schema.intents i ON i.id = g.id`,

  endAttempts: /* sql */ `UPDATE @schema.attempts a SET ended_at = g.ended_at, phase = g.phase, verdict = g.verdict,
            status = g.status, request_id = g.request_id, trouble = g.trouble, retry_after = g.retry_after,
            duplicate = g.duplicate, verified = g.verified, reply = decode(g.reply, 'base64'), headers = g.headers
          FROM json_to_recordset($1::json) AS g(id text, number int, ended_at bigint, phase text, verdict text,
            status int, request_id text, trouble text, retry_after bigint, duplicate bigint, verified bigint,
            reply text, headers text)
          JOIN @schema.intents i ON i.id = g.id
          WHERE a.intent = i.seq AND a.number = g.number AND g.verdict IS NOT NULL`,

  /** A resolved intent first becomes `unknown` or `open`, because that is the only way to `resolved`. */
  stand: /* sql */ `UPDATE @schema.intents i SET owner = NULL, tainted = g.tainted, may_have_landed_at = g.may_have_landed_at,
            token_hash = g.token_hash, why = g.why, attempts = g.attempts, updated_at = g.updated_at,
            reported_at = g.reported_at, left_behind = g.left_behind,
            state = CASE WHEN g.state <> 'resolved' THEN g.state WHEN g.tainted = 1 THEN 'unknown' ELSE 'open' END,
            counts_at = CASE WHEN g.state IN ('unknown', 'accepted') OR (g.state IN ('held', 'resolved') AND g.tainted = 1)
              THEN i.counts_at END
          FROM json_to_recordset($1::json) AS g(id text, ${standing}) WHERE i.id = g.id`,

  resolve: /* sql */ `UPDATE @schema.intents i SET state = 'resolved', resolved_as = g.resolved_as,
            counts_at = CASE WHEN kind = 'transfer' AND g.resolved_as = 'happened' THEN coalesce(counts_at, g.updated_at) END
          FROM json_to_recordset($1::json) AS g(id text, ${standing}) WHERE i.id = g.id AND g.state = 'resolved'`,

  /** When each counts as spent, to be asked before and after. */
  counting: /* sql */ `SELECT id, payment, counts_at, state = 'accepted' OR resolved_as = 'happened' AS happened, updated_at
          FROM @schema.intents WHERE id = ANY ($1)`,

  decide: /* sql */ `INSERT INTO @schema.decisions (intent, kind, who, at, reason, signature, fingerprint, role)
          SELECT i.seq, g.kind, g.who, g.at, g.reason, g.signature, g.fingerprint, NULL
          FROM json_to_recordset($1::json) AS g(n int, id text, kind text, who text, at bigint, reason text,
            signature text, fingerprint text) JOIN @schema.intents i ON i.id = g.id ORDER BY g.n`,

  keepReceipts: /* sql */ `INSERT INTO @schema.receipts (origin, what, value, intent) SELECT g.origin, g.what, g.value, i.seq
          FROM json_to_recordset($1::json) AS g(id text, origin text, what text, value text)
          JOIN @schema.intents i ON i.id = g.id ORDER BY g.value ON CONFLICT DO NOTHING`,

  /**
   * If both journals took the same payment as proof of their own intent, it belongs to the one here. The copied intent
   * becomes undecided and is looked up again.
   */
  observe: /* sql */ `INSERT INTO @schema.observations (intent, verdict, who, at, signature, genesis, instruction, facts)
          SELECT i.seq, CASE WHEN g.verdict = 'proven' AND NOT EXISTS (SELECT FROM @schema.receipts r
              WHERE r.intent = i.seq AND r.what = 'instruction' AND r.origin = g.genesis
              AND r.value = g.signature || '/' || g.instruction) THEN 'undecided' ELSE g.verdict END,
            g.who, g.at, g.signature, g.genesis, g.instruction, g.facts
          FROM json_to_recordset($1::json) AS g(n int, id text, verdict text, who text, at bigint, signature text,
            genesis text, instruction text, facts text) JOIN @schema.intents i ON i.id = g.id ORDER BY g.n`,

  adoptSalt: /* sql */ `UPDATE @schema.salt SET value = $1 WHERE name = 'salt'`,

  place: /* sql */ `SELECT EXISTS (SELECT FROM @schema.intents) AS used,
            has_table_privilege(current_user, '@schema.salt', 'UPDATE') AS may_adopt,
            has_table_privilege(current_user, '@schema.intents', 'INSERT') AS may_add`,
} as const;

/** The other journal's tokens cannot be compared here, so a person must check a transfer that is in doubt. */
function withoutToken(standing: Standing, kind: Intent['kind']): Standing {
  const isInDoubt = kind === 'transfer' && standing.state === 'unknown';
  return {
    ...standing,
    tokenHash: undefined,
    ...(isInDoubt ? { state: 'held', heldReason: 'other-token' } : {}),
  };
}

/**
 * Combines the standing of one intent from two journals with the same key and body. What happened outranks everything,
 * and doubt outranks what is said to be over. Undefined if the standing here stays as it is.
 */
export function mergeStanding(here: Standing, there: Standing, kind: Intent['kind']): Standing | undefined {
  if (isOver(here)) return undefined;
  const base: Standing = {
    ...here,
    tainted: here.tainted || there.tainted,
    mayHaveLandedAtMs: earliest(here.mayHaveLandedAtMs, there.mayHaveLandedAtMs),
    tokenHash: undefined,
    attempts: here.attempts + there.attempts,
    updatedAtMs: Math.max(here.updatedAtMs, there.updatedAtMs),
    reportedAtMs: here.reportedAtMs ?? there.reportedAtMs,
    heldReason: undefined,
    resolvedAs: undefined,
  };
  const decisive = [here, there].sort((left, right) => rank(left) - rank(right))[0] ?? here;
  const { state, heldReason: why, resolvedAs } = decisive;
  return withoutToken({ ...base, state, heldReason: why, resolvedAs }, kind);
}

function isOver({ state, resolvedAs }: Standing): boolean {
  return state === 'accepted' || resolvedAs === 'happened';
}

const ranks: Readonly<Record<Standing['state'], number>> = {
  accepted: 0,
  held: 2,
  unknown: 3,
  sending: 4,
  resolved: 5,
  rejected: 6,
  open: 7,
};

function rank(standing: Standing): number {
  return isOver(standing) ? Math.min(1, ranks[standing.state]) : ranks[standing.state];
}

function earliest(left: number | undefined, right: number | undefined): number | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  return Math.min(left, right);
}
