import { open } from 'node:fs/promises';
import { diskTroubleOf } from '../machine/disk.ts';
import { Occupied, occupantOf, WholeFile } from '../machine/wholeFile.ts';
import { paidAs } from '../once/engine/paidAs.ts';
import { isDone } from '../once/engine/standing.ts';
import type { Wanted } from '../once/entry/wanted.ts';
import { Failure } from '../once/failures.ts';
import type { Entry, Reads } from '../once/journal/journal.ts';
import type { RowColumns } from './columns.ts';
import { batchFailure } from './failures.ts';
import { type BatchOrder, type BotAndJournal, foundFor, type Row } from './plan.ts';
import { type RowState, stateByEntry } from './rowState.ts';

/** One row in the report of a batch: the input as it was, and the journal's facts about it. */
export type RowReport = Pick<Row, 'id' | 'written'> & {
  readonly columns: RowColumns | undefined;
  readonly state: RowState;
  /** The ID of its entry, or of the other payment that settled it. */
  readonly entry: string | undefined;
  /** The message's id or the transfer's signature. */
  readonly result: string | undefined;
  readonly error: string | undefined;
  /** When it happened; undefined if it did not, or if that is unknown. */
  readonly atMs: number | undefined;
};

export type RowReportInputs = BotAndJournal & {
  readonly rows: readonly Row[];
  readonly order: BatchOrder;
  /** Its result, why it is not done, and when it happened. */
  readonly factsOf: (entry: Entry, reads: Reads) => Promise<Pick<RowReport, 'result' | 'error' | 'atMs'>>;
  /** Says which entry has the row's id, after the problem of an invalid row. */
  readonly takenInWords: (taken: Entry, wanted: Wanted | undefined, problem: string | undefined) => string;
};

const pageRows = 256;

/** A report of each row in input order, read from the journal. */
export async function* reportRows(sources: RowReportInputs): AsyncGenerator<RowReport> {
  const { rows } = sources;
  // Queries of one page start together and share one look-up.
  for (let at = 0; at < rows.length; at += pageRows)
    yield* await Promise.all(rows.slice(at, at + pageRows).map((row) => reportRow(row, sources)));
}

async function reportRow(row: Row, sources: RowReportInputs): Promise<RowReport> {
  const { id, written, identity, ahead, outcome, problem } = row;
  const { journal, factsOf, takenInWords } = sources;
  const columns = row.columns === undefined ? undefined : (JSON.parse(row.columns) as RowColumns);
  const asWritten = { id, written, columns };
  const { is, entry: own } = await foundFor(row, sources);
  if (own === undefined || journal === undefined) {
    const state = outcome ?? (ahead === 'invalid' ? ahead : 'not-sent');
    return { ...asWritten, state, error: problem, entry: undefined, result: undefined, atMs: undefined };
  }
  const entry = (await paidAs(own, journal.reads)) ?? own;
  const facts = { ...asWritten, entry: entry.id, ...(await factsOf(entry, journal.reads)) };
  if (identity === undefined)
    return { ...facts, state: 'invalid', error: takenInWords(own, undefined, problem) };
  if (is === 'name-taken' && own.fingerprint !== identity.fingerprint)
    return { ...facts, state: 'taken', error: takenInWords(own, identity.order.wanted, undefined) };
  const error = isDone(own) ? undefined : (problem ?? facts.error);
  return { ...facts, state: stateByEntry(own), error };
}

/** The format of a report: its header and its rows. */
export type ReportText = {
  readonly heading: string;
  readonly line: (row: RowReport) => string;
};

const pieceLength = 64 * 1024;

export class ReportFile {
  readonly #file: WholeFile;

  private constructor(file: WholeFile) {
    this.#file = file;
  }

  /** Call it before anything is sent, to notice in time if the report cannot be written. */
  static async begin(path: string): Promise<ReportFile> {
    try {
      if (occupantOf(path) !== 'file' || (await isReport(path)))
        return new ReportFile(await WholeFile.begin(path, 0o600));
    } catch (error) {
      if (error instanceof Occupied)
        throw batchFailure(error.by === 'link' ? 'report-link' : 'report-not-a-file', { path });
      throw batchFailure('report-not-begun', { path, trouble: diskTroubleOf(error) }, error);
    }
    throw batchFailure('report-of-other', { path });
  }

  /** Returns false if `givenUp` aborted first; an earlier report then stays as it was. */
  async finish(text: ReportText, rows: AsyncIterable<RowReport>, givenUp: AbortSignal): Promise<boolean> {
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
      // The journal could not be read.
      if (error instanceof Failure) throw error;
      const facts = { path: this.#file.path, trouble: diskTroubleOf(error) };
      throw batchFailure('report-not-finished', facts, error);
    }
  }

  /** Removes the temporary file. May also be called after `finish`. */
  close(): Promise<void> {
    return this.#file.close();
  }
}

/** The columns that a report adds after those of the input file. */
export const reportColumns = ['state', 'entry', 'result', 'error', 'time'] as const;

const longestHeading = 64 * 1024;

/** The next report may replace an earlier one or an empty file, and nothing else. */
async function isReport(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(longestHeading), 0, longestHeading, 0);
    const [first = ''] = buffer.toString('utf8', 0, bytesRead).split('\n');
    return (
      first === '' || first.endsWith(reportColumns.join(first.at(-5) ?? '')) || /^\{.*"state":"/u.test(first)
    );
  } finally {
    await file.close();
  }
}
