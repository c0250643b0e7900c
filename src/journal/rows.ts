import type { Trouble } from '../wire/trouble.ts';
import type { Decision, DecisionKind, Observation, Receipt } from './journal.ts';

/** What both stores keep alike, whatever else a cell of theirs may be. */
type Row = Readonly<Record<string, unknown>>;

export function optional<Value>(cell: unknown): Value | undefined {
  return cell === null || cell === undefined ? undefined : (cell as Value);
}

/** As both keep it: their text ends with its first NUL, or takes none, and is Unicode. */
export function troubleText(trouble: Trouble | undefined): string | undefined {
  return JSON.stringify(trouble, (_field, value: unknown) =>
    typeof value === 'string' ? value.replaceAll('\0', '\ufffd').toWellFormed() : value,
  );
}

/** Of an attempt whose process has died, for statements that end it themselves. */
export const processDied = JSON.stringify({ is: 'process-died' } satisfies Trouble);

export function troubleFromText(cell: unknown): Trouble | undefined {
  try {
    const kept: unknown = typeof cell === 'string' ? JSON.parse(cell) : undefined;
    return typeof kept === 'object' && kept !== null && 'is' in kept ? (kept as Trouble) : undefined;
  } catch {
    // A flipped bit that the store cannot see: what else is kept of the attempt matters more.
    return undefined;
  }
}

export function decisionOf(row: Row): Decision {
  return {
    kind: row.kind as DecisionKind,
    who: row.who as string,
    atMs: row.at as number,
    reason: row.reason as string,
    signature: optional<string>(row.signature),
    fingerprint: optional<string>(row.fingerprint),
  };
}

export function receiptOf({ origin, what, value }: Row): Receipt {
  return { origin: origin as string, what: what as Receipt['what'], value: value as string };
}

export function observationOf(row: Row): Observation {
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
