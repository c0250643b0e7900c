import type { Decision, DecisionKind, Observation, Receipt } from './journal.ts';

/** What both stores keep alike, whatever else a cell of theirs may be. */
type Row = Readonly<Record<string, unknown>>;

export function optional<Value>(cell: unknown): Value | undefined {
  return cell === null || cell === undefined ? undefined : (cell as Value);
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
