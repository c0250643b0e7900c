import { wasRepeated } from '../chain/verdict.ts';
import { diskTroubleOf } from '../machine/disk.ts';
import { Occupied, WholeFile } from '../machine/wholeFile.ts';
import type { Bot } from '../once/connection.ts';
import { isProposal } from '../once/engine/approval.ts';
import type { Outcome } from '../once/engine/outcome.ts';
import { identify } from '../once/engine/plan.ts';
import { bytesOf } from '../once/input.ts';
import type { Attempt, Intent, Journal } from '../once/journal/journal.ts';
import { type BatchOrder, orderOf } from './checkRow.ts';
import type { RowColumns } from './columns.ts';
import { csvRecords, delimiterOf } from './csv.ts';
import { batchFailure } from './facts.ts';
import { type Input, isJsonLines } from './readRows.ts';
import type { Sheet, SheetRow } from './sheet.ts';

/** One row of the input in the report of a batch. */
export type RowReport = {
  readonly line: number;
  readonly id: string | undefined;
  /** The canonical request; absent if the row is invalid. */
  readonly request: string | undefined;
  readonly outcome: string;
  /** The message's id or the transfer's signature. */
  readonly result: string | undefined;
  readonly transferId: string | undefined;
  readonly error: string | undefined;
  readonly key: string | undefined;
  /** When it happened; absent if it did not, or nobody knows. */
  readonly atMs: number | undefined;
  /** What the file says about the row besides. */
  readonly columns?: RowColumns | undefined;
};

export type RowReportInputs = {
  readonly order: BatchOrder;
  readonly sheet: Sheet;
  readonly bot: Bot;
  readonly journal: Journal | undefined;
  /** The service's or an operator's proof of the result. */
  readonly resultOf: (
    intent: Intent,
    attempt: Attempt | undefined,
  ) => Promise<Pick<RowReport, 'result' | 'transferId' | 'atMs'>>;
};

/** A report of each row in input order: what the journal knows about it, and what this run said about it. */
export async function* reportRows(sources: RowReportInputs): AsyncGenerator<RowReport> {
  for (const rows of sources.sheet.pages()) {
    // Queries that start together share one look-up.
    yield* await Promise.all(rows.map((row) => reportRow(row, sources)));
  }
}

async function reportRow(row: SheetRow, sources: RowReportInputs): Promise<RowReport> {
  const { line, id, request, problem: error } = row;
  const columns = row.columns === undefined ? undefined : (JSON.parse(row.columns) as RowColumns);
  const intent = row.intent === undefined ? undefined : await sources.journal?.reads.get(row.intent);
  if (intent === undefined) {
    const outcome = row.outcome ?? (row.standing === 'invalid' ? 'invalid' : 'not-begun');
    const nothing = { result: undefined, transferId: undefined, atMs: undefined };
    return { line, id, request, outcome, ...nothing, error, key: keyOf(row, sources), columns };
  }
  const attempt = await sources.journal?.reads.decisiveAttempt(intent.id);
  const result = await sources.resultOf(intent, attempt);
  return {
    line,
    id,
    request,
    outcome: row.outcome ?? (isProposal(intent) ? 'waiting' : intent.state),
    ...result,
    error,
    key: intent.key,
    columns,
  };
}

function keyOf(row: SheetRow, { order, bot, journal }: RowReportInputs): string | undefined {
  if (row.row === undefined) return undefined;
  return identify(orderOf(row, order), bot, { hashOf: (token) => journal?.hashOf(token) ?? '' }).key;
}

/** The format of a report: its header and its rows. */
export type ReportText<Row = RowReport> = {
  readonly heading: string;
  readonly line: (row: Row) => string;
};

const pieceLength = 64 * 1024;

/** The report of a batch. */
export class ReportFile {
  readonly #file: WholeFile;

  private constructor(file: WholeFile) {
    this.#file = file;
  }

  /** Called before anything is sent, so that a report that cannot be written is noticed in time. */
  static async begin(path: string): Promise<ReportFile> {
    try {
      return new ReportFile(await WholeFile.begin(path, 0o600));
    } catch (error) {
      if (error instanceof Occupied)
        throw batchFailure(error.by === 'link' ? 'report-link' : 'report-not-a-file', { path });
      throw batchFailure('report-not-begun', { path, trouble: diskTroubleOf(error) }, error);
    }
  }

  /** Only an earlier report of the same batch is replaced. Called before anything is sent, too. */
  async refuseOther(sources: RowReportInputs, input: Pick<Input, 'stdin' | 'interrupted'>): Promise<void> {
    const { path, replaces } = this.#file;
    if (!replaces) return;
    const keys = await reportedKeys({ ...input, path });
    if (keys === undefined || !hasRowOf(keys, sources)) throw batchFailure('report-of-other', { path });
  }

  /** Returns false if `givenUp` aborted first; an earlier report then stays as it was. */
  async finish<Row>(text: ReportText<Row>, rows: AsyncIterable<Row>, givenUp: AbortSignal): Promise<boolean> {
    try {
      let piece = text.heading;
      for await (const row of rows) {
        piece += text.line(row);
        if (piece.length < pieceLength) continue;
        await this.#file.append(piece);
        piece = '';
        if (givenUp.aborted) return false;
      }
      await this.#file.append(piece);
      await this.#file.place();
      return true;
    } catch (error) {
      const facts = { path: this.#file.path, trouble: diskTroubleOf(error) };
      throw batchFailure('report-not-finished', facts, error);
    }
  }

  /** Removes the temporary file. May also be called after `finish`. */
  close(): Promise<void> {
    return this.#file.close();
  }
}

/** Enough to recognise a batch, also where some of its rows have left its file. */
const mostRead = 4 * 1024 * 1024;

/** The keys of the first rows in a report; undefined if the file is no report. */
async function reportedKeys(input: Input): Promise<ReadonlySet<string> | undefined> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of bytesOf({ ...input, name: input.path })) {
    pieces.push(piece);
    length += piece.length;
    if (length > mostRead) break;
  }
  const text = Buffer.concat(pieces).toString('utf8');
  const whole = length > mostRead ? text.slice(0, text.lastIndexOf('\n')) : text;
  const keys = new Set<string>();
  try {
    for (const { key, outcome } of rowsIn(whole)) {
      if (key) keys.add(key);
      else if (outcome !== 'invalid') return undefined;
    }
    return keys;
  } catch {
    return undefined;
  }
}

function* rowsIn(text: string): Generator<Partial<RowReport>> {
  if (isJsonLines(text)) {
    for (const line of text.split('\n')) if (line.trim() !== '') yield JSON.parse(line);
    return;
  }
  const [header, ...rows] = csvRecords(
    text,
    delimiterOf(text, (title) => title === 'outcome'),
  );
  const titles = header?.cells ?? [];
  if (header !== undefined && !titles.includes('outcome')) yield {};
  for (const { cells = [] } of rows)
    yield Object.fromEntries(titles.map((title, index) => [title, cells[index]]));
}

/** A report without a key is of a file in which nothing was valid. */
function hasRowOf(keys: ReadonlySet<string>, sources: RowReportInputs): boolean {
  for (const page of sources.sheet.pages())
    if (page.some((row) => keys.has(keyOf(row, sources) ?? ''))) return true;
  return keys.size === 0;
}

/**
 * Rows that are done under their ids although nothing shows that the content sent then is the content of the row now.
 */
export class UnverifiedRows {
  rows = 0;
  /** Those that the service had already. */
  duplicates = 0;
  /** Those for which the service was asked again after a request that may have landed. */
  repeated = 0;

  note(outcome: Outcome): void {
    if (outcome.is === 'concluded' && wasRepeated(outcome.intent)) this.repeated += 1;
    if (
      outcome.is !== 'concluded' ||
      outcome.intent.state !== 'accepted' ||
      outcome.attempt?.verified !== false
    )
      return;
    this.rows += 1;
    if (outcome.attempt.duplicate) this.duplicates += 1;
  }
}
