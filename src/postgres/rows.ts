import type { BaseUrl } from '../once/intent/baseUrl.ts';
import type { Kind } from '../once/intent/wanted.ts';
import type {
  Attempt,
  Intent,
  NamedBy,
  Phase,
  Process,
  RowsStanding,
  State,
  Verdict,
} from '../once/journal/journal.ts';
import { optional, troubleFromText } from '../once/journal/rows.ts';

export function processOf({ host, pid }: Row): Process {
  return { host: String(host), pid: Number(pid) };
}

type Cell = null | number | string | boolean | Uint8Array;
export type Row = Readonly<Record<string, Cell>>;

export function intentOf(row: Row, ownerLives: boolean): Intent {
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
    body: row.body as Uint8Array,
    createdAtMs: row.created_at as number,
    ownerLives,
    ...standingOf(row),
  };
}

type Standing = Pick<
  Intent,
  | 'payment'
  | 'state'
  | 'tainted'
  | 'mayHaveLandedAtMs'
  | 'tokenHash'
  | 'owner'
  | 'heldReason'
  | 'resolvedAs'
  | 'attempts'
  | 'updatedAtMs'
  | 'reportedAtMs'
>;

/** The part of an intent that changes. */
export function standingOf(row: Row): Standing {
  return {
    payment: optional<string>(row.payment),
    state: row.state as State,
    tainted: row.tainted as boolean,
    mayHaveLandedAtMs: optional<number>(row.may_have_landed_at),
    tokenHash: optional<string>(row.token_hash),
    owner: optional<string>(row.owner),
    heldReason: optional<string>(row.why),
    resolvedAs: optional<'happened' | 'did-not-happen'>(row.resolved_as),
    attempts: row.attempts as number,
    updatedAtMs: row.updated_at as number,
    reportedAtMs: optional<number>(row.reported_at),
  };
}

export function attemptOf(row: Row): Attempt {
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
    duplicate: row.duplicate as boolean,
    verified: row.verified as boolean,
    reply: optional<Uint8Array>(row.reply),
    headers: JSON.parse(optional<string>(row.headers) ?? '{}') as Record<string, string>,
  };
}

export function rowsStandingOf(row: Row, ownerLives: boolean): RowsStanding {
  return {
    kind: row.kind as Kind,
    baseUrl: row.url as BaseUrl,
    bot: row.bot as string,
    state: row.state as State,
    resolvedAs: optional<'happened' | 'did-not-happen'>(row.resolved_as),
    ownerLives: row.owner !== null && ownerLives,
    rows: Number(row.rows),
    begunAtMs: Number(row.begun_at),
    updatedAtMs: Number(row.updated_at),
  };
}

/** A time of the server, in milliseconds. */
export const inMs = (time: string): string => /* sql */ `(extract(epoch FROM ${time}) * 1000)::bigint`;

/** The server's clock now, not when the transaction began. */
export const nowMs = inMs('clock_timestamp()');
