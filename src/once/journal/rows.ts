import type { Trouble } from '../wire/trouble.ts';
import type {
  Decision,
  DecisionKind,
  Intent,
  NewIntent,
  Observation,
  Overview,
  Receipt,
  State,
} from './journal.ts';

/** A row of either store; both have these columns. */
type JournalRow = Readonly<Record<string, unknown>>;

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

export function troubleFromText(cell: unknown): Trouble | undefined {
  try {
    const kept: unknown = typeof cell === 'string' ? JSON.parse(cell) : undefined;
    return typeof kept === 'object' && kept !== null && 'is' in kept ? (kept as Trouble) : undefined;
  } catch {
    // A flipped bit that the store cannot detect. The rest of the attempt matters more.
    return undefined;
  }
}

export function decisionOf(row: JournalRow): Decision {
  return {
    kind: row.kind as DecisionKind,
    who: row.who as string,
    atMs: row.at as number,
    reason: row.reason as string,
    signature: optional<string>(row.signature),
    fingerprint: optional<string>(row.fingerprint),
  };
}

export function receiptOf({ origin, what, value }: JournalRow): Receipt {
  return { origin: origin as string, what: what as Receipt['what'], value: value as string };
}

export function observationOf(row: JournalRow): Observation {
  return {
    verdict: row.verdict as Observation['verdict'],
    who: row.who as string,
    atMs: row.at as number,
    signature: optional<string>(row.signature),
    genesis: optional<string>(row.genesis),
    instruction: optional<string>(row.instruction),
    facts: row.facts as string,
  };
}

/** An intent as it is when it has begun. Written out, because copying with a rest is slow for each row of a batch. */
export function intentAsBegun(intent: NewIntent, owner: string, tokenHash: string, at: number): Intent {
  return {
    id: intent.id,
    kind: intent.kind,
    baseUrl: intent.baseUrl,
    spelledUrl: intent.spelledUrl,
    bot: intent.bot,
    namedBy: intent.namedBy,
    name: intent.name,
    rowId: intent.rowId,
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
    attempts: 1,
    createdAtMs: at,
    updatedAtMs: at,
    reportedAtMs: undefined,
  };
}

type StateRow = {
  readonly state: State;
  readonly count: number;
  readonly oldestMs: number;
  readonly latestMs: number;
};

const unsettled: readonly State[] = ['open', 'sending', 'unknown', 'held'];

export function overviewOf(rows: readonly StateRow[]): Overview {
  const waiting = rows.filter(({ state }) => unsettled.includes(state)).map(({ oldestMs }) => oldestMs);
  return {
    intents: Object.fromEntries(rows.map(({ state, count }) => [state, count])),
    oldestUnsettledMs: waiting.length === 0 ? undefined : Math.min(...waiting),
    lastAcceptedMs: rows.find(({ state }) => state === 'accepted')?.latestMs,
  };
}

/** Reads a row of either store. */
export function stateRowOf(row: Readonly<Record<string, unknown>>): StateRow {
  return {
    state: row.state as State,
    count: Number(row.count),
    oldestMs: Number(row.oldest),
    latestMs: Number(row.latest),
  };
}

/** Remembers the last token, because a batch asks for the same one row after row. */
export function lastRemembered(hashOf: (token: string) => string): (token: string) => string {
  let last: { readonly token: string; readonly hash: string } | undefined;
  return (token) => {
    if (last?.token !== token) last = { token, hash: hashOf(token) };
    return last.hash;
  };
}
