import { counted, listed } from './list.ts';
import type { Suggestion } from './suggestion.ts';

type Lost = {
  readonly what: 'intents' | 'attempts' | 'decisions';
  readonly first: number;
  readonly last: number;
};

function countedLoss({ what, first, last }: Lost): string {
  return counted(last - first + 1, what.slice(0, -1));
}

// What is missing: sentences without their full stop.

export function rowsLost(path: string, rows: readonly Lost[]): string {
  return `The journal ${path} has lost ${listed(rows.map(countedLoss))} that it once held`;
}

export function markLost(path: string, found: string): string {
  return `The journal ${path} may have lost some of what it held: its mark ${path}.mark is ${found}`;
}

export function baseOlderThanLog(path: string): string {
  return `The journal ${path} is older than the log ${path}-wal beside it, and lacks what was done in between`;
}

export function journalLost(path: string, found: 'gone' | 'older', rows: readonly Lost[]): string {
  const held = rows.length === 0 ? '' : `; that journal held ${listed(rows.map(countedLoss))}`;
  return found === 'gone'
    ? `The journal ${path} is gone or empty, but what belongs beside it is still there${held}`
    : `The journal ${path} is older than the mark beside it${held}`;
}

/** The refusal of whatever sends or decides. `name` is that of the journal’s file. */
export function refusedForLoss(
  lost: string,
  name: string,
): { message: string; hint: string; next: readonly Suggestion[] } {
  return {
    message: `${lost}. What is missing may have been sent. The journal was left as it is`,
    hint: `If you have ${name}, ${name}-wal and ${name}.mark as they last were together, put all three back. If not, check the wallet and the conversations for what was done last, and accept the loss:`,
    next: [['journal', 'accept-loss']],
  };
}
