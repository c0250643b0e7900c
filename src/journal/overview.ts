import type { Overview, State } from './journal.ts';

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

/** Of a row as either store gives it. */
export function stateRowOf(row: Readonly<Record<string, unknown>>): StateRow {
  return {
    state: row.state as State,
    count: Number(row.count),
    oldestMs: Number(row.oldest),
    latestMs: Number(row.latest),
  };
}
