import { isDone } from '../once/engine/planKinds.ts';
import { paymentOfTransfer, type TransferRequest } from '../once/intent/wanted.ts';
import type { EqualPayment } from '../once/journal/journal.ts';

/** What the survey says about a row, before anything is sent. */
export type Standing =
  | 'new'
  | 'unfinished'
  | 'done'
  | 'waiting'
  | 'held'
  | 'declined'
  | 'elsewhere'
  | 'conflict'
  | 'invalid';

/** How a row stands after a run: the state of its intent, or why it was not this batch's row to send. */
export type RowOutcome =
  | 'accepted'
  | 'resolved'
  | 'unknown'
  | 'waiting'
  | 'held'
  | 'declined'
  | 'rejected'
  | 'open'
  | 'sending'
  | 'not-sent'
  | 'paid-already'
  | 'not-begun';

/** One row of the input, as it is kept while the batch runs. */
export type SheetRow = {
  readonly ordinal: number;
  readonly line: number;
  readonly id: string | undefined;
  readonly standing: Standing;
  /** What identifies it within its batch, and its canonical body; absent if the row is invalid. */
  readonly row: string | undefined;
  readonly request: string | undefined;
  /** The row's own intent, if the journal has one. */
  readonly intent: string | undefined;
  /** How it ended in this run, and the problem that was reported. */
  readonly outcome: RowOutcome | undefined;
  readonly problem: string | undefined;
  /** Columns that are kept and never sent, as a JSON object. */
  readonly columns?: string | undefined;
  /** An equal payment under another entry. */
  readonly equal: EqualPayment | undefined;
};

/** What this run does not touch. */
export function isOver(standing: Standing): boolean {
  return standing === 'done' || standing === 'invalid';
}

/** Rows by their position in the input. */
type Range = { readonly first: number; readonly last: number };

const pageRows = 256;

/** The checked input, row by row. The rows sent are the rows checked, even if the file changes meanwhile. */
export class Sheet {
  readonly #rows: SheetRow[] = [];
  readonly #intents = new Set<string>();
  readonly #bodies = new Map<string, number>();
  /** How many rows make a payment, and how many pay a recipient. */
  readonly #payments = new Map<string, number>();
  readonly #recipients = new Map<string, number>();

  /** Rows are added in the order of the input. */
  add(added: Omit<SheetRow, 'outcome' | 'equal'>): void {
    this.#rows.push({ ...added, outcome: undefined, equal: undefined });
    if (added.intent !== undefined) this.#intents.add(added.intent);
  }

  /** Counts one more row with this body and returns the new count. */
  countEqual(body: string): number {
    return countIn(this.#bodies, body);
  }

  countPayment(request: TransferRequest): void {
    countIn(this.#payments, paymentOfTransfer(request));
    countIn(this.#recipients, request.to_address);
  }

  /** Payments that more than one row makes. */
  paidTwice(): string[] {
    return [...this.#payments].flatMap(([payment, rows]) => (rows > 1 ? [payment] : []));
  }

  recipients(): { readonly distinct: number; readonly repeated: number } {
    const repeated = [...this.#recipients.values()].filter((rows) => rows > 1);
    return { distinct: this.#recipients.size, repeated: repeated.length };
  }

  /** Marks a row that would pay what another entry has paid, or may have paid. */
  markEqual(ordinal: number, equal: EqualPayment, problem: string): void {
    this.#change(ordinal, { equal, problem });
  }

  /** Those rows, in pages. */
  *equals(): Generator<readonly SheetRow[]> {
    for (const page of this.pages()) yield page.filter(({ equal }) => equal !== undefined);
  }

  /** Whether an entry of the journal is that of a row of this input. */
  hasIntent(id: string): boolean {
    return this.#intents.has(id);
  }

  recordEnd(
    ordinal: number,
    outcome: RowOutcome,
    intent: string | undefined,
    problem: string | undefined,
  ): void {
    this.#change(ordinal, { outcome, intent, problem });
  }

  recordIntent(ordinal: number, intent: string | undefined): void {
    if (intent !== undefined) this.#change(ordinal, { intent });
  }

  #change(ordinal: number, to: Partial<SheetRow>): void {
    const row = this.#rows[ordinal - 1];
    if (row !== undefined) this.#rows[ordinal - 1] = { ...row, ...to };
  }

  rows(): readonly SheetRow[] {
    return this.#rows;
  }

  /** Rows in input order, a page at a time: all, or those of a range. Their ends may be recorded while this runs. */
  *pages({ first, last }: Range = { first: 1, last: this.#rows.length }): Generator<readonly SheetRow[]> {
    for (let at = first - 1; at < last && at < this.#rows.length; at += pageRows)
      yield this.#rows.slice(at, Math.min(at + pageRows, last));
  }
}

/** Counts one more, and returns how many there are. */
export function countIn(counts: Map<string, number>, one: string): number {
  const count = (counts.get(one) ?? 0) + 1;
  counts.set(one, count);
  return count;
}

const hexDigits = 12;

/**
 * Consecutive ids from a random first one. They keep the rows of a batch side by side in the journal's index; random
 * ids would each touch a page of their own and cost a twentieth more time for each row. A collision is as unlikely as
 * with random ids.
 */
export function consecutiveIds(uuid: () => string): () => string {
  const all = 16 ** hexDigits;
  let next = Number.parseInt(uuid().replaceAll('-', '').slice(0, hexDigits), 16);
  return () => {
    const id = next.toString(16).padStart(hexDigits, '0');
    next = (next + 1) % all;
    return id;
  };
}

/** A row that would pay what another entry has paid, or may have paid. */
export type EqualRow = {
  readonly line: number;
  readonly id: string | undefined;
  readonly request: TransferRequest;
  readonly columns: string | undefined;
  readonly equal: EqualPayment;
};

export type EqualRows = {
  readonly rows: number;
  /** Those of which it is not known whether they were paid. */
  readonly inDoubt: number;
  readonly first: readonly EqualRow[];
};

export const noEqualRows: EqualRows = { rows: 0, inDoubt: 0, first: [] };

const shownRows = 3;

export function equalRows(sheet: Sheet): EqualRows {
  const first: EqualRow[] = [];
  let [rows, inDoubt] = [0, 0];
  for (const page of sheet.equals())
    for (const { line, id, columns, equal, request: body } of page) {
      if (equal === undefined || body === undefined) continue;
      rows += 1;
      if (!isDone(equal)) inDoubt += 1;
      const request: TransferRequest = JSON.parse(body);
      if (first.length < shownRows) first.push({ line, id, request, columns, equal });
    }
  return { rows, inDoubt, first };
}
