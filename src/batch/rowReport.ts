import type { Speaking } from '../engine/doing.ts';
import { seek } from '../engine/plan.ts';
import type { Attempt, Intent, Journal } from '../journal/journal.ts';
import { askedOf } from './run.ts';
import type { Sheet, SheetRow } from './sheet.ts';
import type { BatchAsked } from './survey.ts';

/** What is told of one row of the input when a batch is over. */
export type RowReport = {
  readonly line: number;
  readonly id: string | undefined;
  readonly outcome: string;
  /** The message's id or the transfer's signature. */
  readonly result: string | undefined;
  readonly error: string | undefined;
  readonly key: string | undefined;
};

export type RowReportWorld = {
  readonly asked: BatchAsked;
  readonly sheet: Sheet;
  readonly speaking: Speaking;
  readonly journal: Journal | undefined;
  /** What the service, or an operator, said that proves it. */
  readonly resultOf: (intent: Intent, attempt: Attempt | undefined) => string | undefined;
};

/** A report of each row in input order: what the journal knows of it, and what was said of it in this run. */
export function* reportRows(world: RowReportWorld): Generator<RowReport> {
  for (const row of world.sheet.rows()) yield reportRow(row, world);
}

export function reportRow(row: SheetRow, world: RowReportWorld): RowReport {
  const { line, id, problem: error } = row;
  const intent = row.intent === undefined ? undefined : world.journal?.get(row.intent);
  if (intent === undefined) {
    const outcome = row.outcome ?? (row.standing === 'invalid' ? 'invalid' : 'not-begun');
    return { line, id, outcome, result: undefined, error, key: keyOf(row, world) };
  }
  const attempt = world.journal?.tellingAttempt(intent.id);
  const result = world.resultOf(intent, attempt);
  return { line, id, outcome: row.outcome ?? intent.state, result, error, key: intent.key };
}

function keyOf(row: SheetRow, { asked, speaking, journal }: RowReportWorld): string | undefined {
  if (row.row === undefined) return undefined;
  return seek(askedOf(row, asked), speaking, { hashOf: (token) => journal?.hashOf(token) ?? '' }).key;
}
