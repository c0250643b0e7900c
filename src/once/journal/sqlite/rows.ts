import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import type { BaseUrl } from '../../intent/baseUrl.ts';
import type { Kind } from '../../intent/wanted.ts';
import {
  type Attempt,
  type Intent,
  type NamedBy,
  type Phase,
  type RowsStanding,
  type State,
  states,
  type Verdict,
} from '../journal.ts';
import { optional, troubleFromText } from '../rows.ts';

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
  const owner = optional<string>(row.owner);
  return {
    id: row.id as string,
    kind: row.kind as Kind,
    baseUrl: row.base_url as BaseUrl,
    spelledUrl: (row.spelled_url ?? row.base_url) as BaseUrl,
    bot: row.bot as string,
    namedBy: optional<NamedBy>(row.named_by),
    name: optional<string>(row.name),
    rowId: optional<string>(row.row_id),
    key: row.key as string,
    identity: row.identity as string,
    fingerprint: row.fingerprint as string,
    payment: optional<string>(row.payment),
    body: row.body as Uint8Array,
    state: row.state as State,
    tainted: row.tainted === 1,
    mayHaveLandedAtMs: optional<number>(row.may_have_landed_at),
    tokenHash: optional<string>(row.token_hash),
    owner,
    ownerLives: owner !== undefined && ownerLives(owner),
    heldReason: optional<string>(row.why),
    resolvedAs: optional<'happened' | 'did-not-happen'>(row.resolved_as),
    attempts: row.attempts as number,
    createdAtMs: row.created_at as number,
    updatedAtMs: row.updated_at as number,
    reportedAtMs: reportedAt(row),
  };
}

/** The fields of an intent that may have changed while only this process could send it. */
export function standingOf(row: SqlRow): Pick<Intent, 'tainted' | 'mayHaveLandedAtMs' | 'reportedAtMs'> {
  return {
    tainted: row.tainted === 1,
    mayHaveLandedAtMs: optional<number>(row.may_have_landed_at),
    reportedAtMs: reportedAt(row),
  };
}

// Reported before it began: the clock went back, or a bit flipped. The later time is the safe one.
function reportedAt({ reported_at: at, created_at: createdAt }: SqlRow): number | undefined {
  return typeof at === 'number' ? Math.max(at, Number(createdAt)) : undefined;
}

function headersOf(cell: Cell | undefined): Readonly<Record<string, string>> {
  try {
    if (typeof cell !== 'string') return {};
    return JSON.parse(cell) as Record<string, string>;
  } catch {
    // A flipped bit that SQLite cannot detect. The rest of the attempt matters more.
    return {};
  }
}

export function attemptOf(row: SqlRow): Attempt {
  return {
    number: row.number as number,
    startedAtMs: row.started_at as number,
    endedAtMs: optional<number>(row.ended_at),
    phase: optional<Phase>(row.phase),
    verdict: optional<Verdict>(row.verdict),
    status: optional<number>(row.status),
    requestId: optional<string>(row.request_id),
    trouble: troubleFromText(row.trouble),
    retryAfterMs: optional<number>(row.retry_after),
    duplicate: row.duplicate === 1,
    verified: row.verified === 1,
    reply: optional<Uint8Array>(row.reply),
    headers: headersOf(row.headers),
  };
}

export function rowsStandingOf(row: SqlRow, ownerLives: (owner: string) => boolean): RowsStanding {
  const owner = optional<string>(row.owner);
  return {
    kind: row.kind as Kind,
    baseUrl: row.url as BaseUrl,
    bot: row.bot as string,
    state: row.state as State,
    resolvedAs: optional<'happened' | 'did-not-happen'>(row.resolved_as),
    ownerLives: owner !== undefined && ownerLives(owner),
    rows: Number(row.rows),
    begunAtMs: Number(row.begun_at),
    updatedAtMs: Number(row.updated_at),
  };
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

/** A prepared statement that does for many items at once what was asked for each. */
export type TogetherStatement = {
  run(items: readonly Item[]): void;
  /** Returns the number of the last row. `first` is set if SQLite must not number the rows itself. */
  insert(items: readonly Item[], first: number | undefined): number;
  all(items: readonly Item[]): SqlRow[];
};

export function prepareTogether(database: DatabaseSyncInstance, sql: string): TogetherStatement {
  const statement = database.prepare(sql);
  const columns = statement.columns().map(({ name }) => name);
  statement.setReturnArrays(true);
  return {
    run: (items) => {
      statement.run(JSON.stringify(items));
    },
    insert: (items, first) => Number(statement.run(JSON.stringify(items), first ?? null).lastInsertRowid),
    all: (items) =>
      (statement.all(JSON.stringify(items)) as unknown as Cells[]).map((cells) => rowOf(cells, columns)),
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
