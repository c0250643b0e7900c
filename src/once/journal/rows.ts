import { readPayment } from '../intent/amount.ts';
import type { BaseUrl } from '../intent/baseUrl.ts';
import type { Kind } from '../intent/wanted.ts';
import type { Trouble } from '../wire/trouble.ts';
import type { Statement } from './dialect.ts';
import {
  type Attempt,
  type BatchInput,
  type Decision,
  type DecisionKind,
  type Intent,
  type NamedBy,
  type NewIntent,
  type Observation,
  type Phase,
  type Receipt,
  type Resolution,
  type RowsStanding,
  type State,
  type StateCounts,
  states,
  type Verdict,
} from './journal.ts';

/** A row of either database; both have these columns. */
export type JournalRow = Readonly<Record<string, unknown>>;

/** A missing value is NULL. */
export type Values = Readonly<Record<string, undefined | null | boolean | number | string | Uint8Array>>;

export type Ask = (statement: Statement, values: Values) => Promise<readonly JournalRow[]>;

export type Cell = null | number | string | Uint8Array;

/** The values of a statement in the order of their numbers. */
export function listed(statement: Statement, values: Values): Cell[] {
  return statement.values.map((name) => (values[name] ?? null) as Cell);
}

export function optional<Value>(cell: unknown): Value | undefined {
  return cell === null || cell === undefined ? undefined : (cell as Value);
}

/** SQLite's text ends at its first NUL, PostgreSQL's takes none, and both must be Unicode. */
export function troubleText(trouble: Trouble | undefined): string | undefined {
  return JSON.stringify(trouble, (_field, value: unknown) =>
    typeof value === 'string' ? value.replaceAll('\0', '\ufffd').toWellFormed() : value,
  );
}

/** The trouble of an attempt whose process died, for statements that end such attempts. */
export const processDied = JSON.stringify({ is: 'process-died' } satisfies Trouble);

function troubleFromText(cell: unknown): Trouble | undefined {
  try {
    const kept = JSON.parse(String(cell)) as object;
    return 'is' in kept ? (kept as Trouble) : undefined;
  } catch {
    // None, or a flipped bit that the store cannot detect. The rest of the attempt matters more.
    return undefined;
  }
}

/** The schema checks what is written, so a row that breaks its checks was damaged on the disk. */
export class DamagedRow extends Error {}

// JavaScript has no later dates.
const lastMs = 8.64e15;

/** A row of an intent that makes sense. */
export function sound(row: JournalRow): JournalRow {
  const isTimely = [row.created_at, row.updated_at].every((ms) => Math.abs(Number(ms)) <= lastMs);
  if (!isTimely || !(states as readonly unknown[]).includes(row.state)) throw new DamagedRow();
  return row;
}

export function intentOf(row: JournalRow, ownerLives: boolean): Intent {
  return {
    id: row.id as string,
    kind: row.kind as Kind,
    baseUrl: row.base_url as BaseUrl,
    bot: row.bot as string,
    namedBy: optional<NamedBy>(row.named_by),
    name: optional<string>(row.name),
    rowId: optional<string>(row.row_id),
    columns: optional<string>(row.columns),
    key: row.key as string,
    identity: row.identity as string,
    fingerprint: row.fingerprint as string,
    body: row.body as Uint8Array,
    createdAtMs: row.created_at as number,
    ownerLives,
    // Last: spread first, it makes each intent cost 25 µs instead of a third of one.
    ...standingOf(row),
  };
}

type IntentStanding = Pick<
  Intent,
  | 'payment'
  | 'state'
  | 'tainted'
  | 'mayHaveLandedAtMs'
  | 'tokenHash'
  | 'owner'
  | 'heldReason'
  | 'resolvedAs'
  | 'approved'
  | 'attempts'
  | 'updatedAtMs'
  | 'reportedAtMs'
  | 'countsAtMs'
>;

/** The part of an intent that changes. */
export function standingOf(row: JournalRow): IntentStanding {
  return {
    payment: optional<string>(row.payment),
    state: row.state as State,
    tainted: Boolean(row.tainted),
    mayHaveLandedAtMs: optional<number>(row.may_have_landed_at),
    tokenHash: optional<string>(row.token_hash),
    owner: optional<string>(row.owner),
    heldReason: optional<string>(row.why),
    resolvedAs: optional<Resolution>(row.resolved_as),
    approved: Boolean(row.approved),
    attempts: row.attempts as number,
    updatedAtMs: row.updated_at as number,
    reportedAtMs: reportedAt(row),
    countsAtMs: countsAt(row),
  };
}

/** When it was paid last, or may have been, as the index of equal payments has it. */
function countsAt(row: JournalRow): number | undefined {
  const { payment, state, why, resolved_as: as, attempts, tried_at: at } = row;
  const mayBePaid =
    state === 'sending' ||
    state === 'unknown' ||
    state === 'accepted' ||
    (state === 'held' && why !== 'approval') ||
    (as === 'happened' && Number(attempts) > 0);
  return mayBePaid && typeof payment === 'string' ? optional<number>(at) : undefined;
}

// Reported before it began: the clock went back, or a bit flipped. The later time is the safe one.
function reportedAt({ reported_at: at, created_at: createdAt }: JournalRow): number | undefined {
  return typeof at === 'number' ? Math.max(at, Number(createdAt)) : undefined;
}

export function attemptOf(row: JournalRow): Attempt {
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
    duplicate: Boolean(row.duplicate),
    verified: Boolean(row.verified),
    reply: optional<Uint8Array>(row.reply),
    headers: headersOf(row.headers),
  };
}

function headersOf(cell: unknown): Readonly<Record<string, string>> {
  try {
    return typeof cell === 'string' ? (JSON.parse(cell) as Record<string, string>) : {};
  } catch {
    // A flipped bit that the store cannot detect. The rest of the attempt matters more.
    return {};
  }
}

export function rowsStandingOf(row: JournalRow, ownerLives: boolean): RowsStanding {
  return {
    kind: row.kind as Kind,
    baseUrl: row.base_url as BaseUrl,
    bot: row.bot as string,
    state: row.state as State,
    heldReason: optional<string>(row.why),
    resolvedAs: optional<Resolution>(row.resolved_as),
    approved: Boolean(row.approved),
    ownerLives,
    rows: Number(row.rows),
    paid: paidByAll(row.paid, Number(row.rows)),
    begunAtMs: Number(row.begun_at),
    updatedAtMs: Number(row.updated_at),
  };
}

/** The asset and the amount of each, as they end every `payment`. A message has none; a damaged one is left out. */
function paidByAll(cell: unknown, rows: number): RowsStanding['paid'] {
  try {
    const { asset, units } = readPayment(`["",${String(cell)}`);
    return { asset, units: units * BigInt(rows) };
  } catch {
    return undefined;
  }
}

export function batchInputOf(row: JournalRow): BatchInput {
  return {
    baseUrl: row.base_url as BaseUrl,
    kind: row.kind as Kind,
    name: row.name as string,
    rows: Number(row.rows),
    invalid: Number(row.invalid),
  };
}

export function decisionOf(row: JournalRow): Decision {
  return {
    kind: row.kind as DecisionKind,
    who: row.who as string,
    atMs: row.at as number,
    reason: row.reason as string,
    signature: optional<string>(row.signature),
    fingerprint: optional<string>(row.fingerprint),
    role: optional<string>(row.role),
  };
}

export function receiptOf({ origin, what, value }: JournalRow): Receipt {
  return { origin: origin as string, what: what as Receipt['what'], value: value as string };
}

export function observationOf(row: JournalRow): Observation {
  return {
    verdict: row.verdict as Observation['verdict'],
    atMs: row.at as number,
    signature: optional<string>(row.signature),
    genesis: optional<string>(row.genesis),
    facts: row.facts as string,
  };
}

/** An intent as it is when it has begun. Written out, because copying with a rest is slow for each row of a batch. */
export function intentAsBegun(intent: NewIntent, owner: string, tokenHash: string, at: number): Intent {
  return {
    id: intent.id,
    kind: intent.kind,
    baseUrl: intent.baseUrl,
    bot: intent.bot,
    namedBy: intent.namedBy,
    name: intent.name,
    rowId: intent.rowId,
    columns: intent.columns,
    key: intent.key,
    identity: intent.identity,
    fingerprint: intent.fingerprint,
    payment: intent.payment,
    body: intent.body,
    state: 'sending',
    tainted: false,
    mayHaveLandedAtMs: undefined,
    tokenHash,
    owner,
    ownerLives: true,
    heldReason: undefined,
    resolvedAs: undefined,
    approved: false,
    attempts: 1,
    createdAtMs: at,
    updatedAtMs: at,
    reportedAtMs: undefined,
    countsAtMs: intent.payment === undefined ? undefined : at,
  };
}

type StateRow = {
  readonly state: State;
  readonly count: number;
};

export function countsOf(rows: readonly StateRow[]): StateCounts {
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

/** Reads a row of either store. */
export function stateRowOf(row: Readonly<Record<string, unknown>>): StateRow {
  return { state: row.state as State, count: Number(row.count) };
}

/** Remembers the last token, because a batch asks for the same one row after row. */
export function lastRemembered(hashOf: (token: string) => string): (token: string) => string {
  let last: { readonly token: string; readonly hash: string } | undefined;
  return (token) => {
    if (last?.token !== token) last = { token, hash: hashOf(token) };
    return last.hash;
  };
}

const longestBytes = 512;

/** A service's identifier in a form that every journal can store: without NUL, and short enough for an index. */
export function receiptValue(given: string): string {
  const value = given.replaceAll('\0', '\ufffd').toWellFormed();
  if (Buffer.byteLength(value) <= longestBytes) return value;
  // The help loads this file for the names of the states. Importing node:crypto would cost it 1.4 ms.
  return `sha256:${process.getBuiltinModule('node:crypto').hash('sha256', value)}`;
}
