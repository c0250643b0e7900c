import type { Bot } from '../bot/bot.ts';
import { identify } from '../engine/identity.ts';
import type { Attempt, Intent, Journal } from '../journal/journal.ts';
import { orderOf } from './runRows.ts';
import type { Sheet, SheetRow } from './sheet.ts';
import type { BatchOrder } from './survey.ts';

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

export type RowReportInputs = {
  readonly order: BatchOrder;
  readonly sheet: Sheet;
  readonly bot: Bot;
  readonly journal: Journal | undefined;
  /** What the service, or an operator, said that proves it. */
  readonly resultOf: (intent: Intent, attempt: Attempt | undefined) => Promise<string | undefined>;
};

/** A report of each row in input order: what the journal knows of it, and what was said of it in this run. */
export async function* reportRows(sources: RowReportInputs): AsyncGenerator<RowReport> {
  for (const rows of sources.sheet.pages()) {
    // Asked for together, they are looked up together.
    yield* await Promise.all(rows.map((row) => reportRow(row, sources)));
  }
}

export async function reportRow(row: SheetRow, sources: RowReportInputs): Promise<RowReport> {
  const { line, id, problem: error } = row;
  const intent = row.intent === undefined ? undefined : await sources.journal?.reads.get(row.intent);
  if (intent === undefined) {
    const outcome = row.outcome ?? (row.standing === 'invalid' ? 'invalid' : 'not-begun');
    return { line, id, outcome, result: undefined, error, key: keyOf(row, sources) };
  }
  const attempt = await sources.journal?.reads.decisiveAttempt(intent.id);
  const result = await sources.resultOf(intent, attempt);
  return { line, id, outcome: row.outcome ?? intent.state, result, error, key: intent.key };
}

function keyOf(row: SheetRow, { order, bot, journal }: RowReportInputs): string | undefined {
  if (row.row === undefined) return undefined;
  return identify(orderOf(row, order), bot, { hashOf: (token) => journal?.hashOf(token) ?? '' }).key;
}
