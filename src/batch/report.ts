import { open } from 'node:fs/promises';
import { diskTroubleOf } from '../machine/disk.ts';
import { Occupied, occupantOf, WholeFile } from '../machine/wholeFile.ts';
import { isProposal } from '../once/engine/approval.ts';
import type { Attempt, Entry, Journal } from '../once/journal/journal.ts';
import type { RowColumns } from './columns.ts';
import { batchFailure } from './failures.ts';
import type { Row } from './plan.ts';

/** One row of the input in the report of a batch. */
export type RowReport = Pick<Row, 'id'> & {
  /** What is sent; absent if the row is invalid. */
  readonly request: object | undefined;
  readonly columns: RowColumns | undefined;
  readonly state: string;
  /** The ID of its entry. */
  readonly entry: string | undefined;
  /** The message's id or the transfer's signature. */
  readonly result: string | undefined;
  readonly error: string | undefined;
  /** When it happened; absent if it did not, or nobody knows. */
  readonly atMs: number | undefined;
};

export type RowReportInputs = {
  readonly rows: readonly Row[];
  readonly journal: Journal | undefined;
  /** The service's or an operator's proof of the result. */
  readonly resultOf: (
    entry: Entry,
    attempt: Attempt | undefined,
  ) => Promise<Pick<RowReport, 'result' | 'atMs'>>;
};

const pageRows = 256;

/** A report of each row in input order: what the journal knows about it, and what this run said about it. */
export async function* reportRows(sources: RowReportInputs): AsyncGenerator<RowReport> {
  const { rows } = sources;
  // Queries that start together share one look-up.
  for (let at = 0; at < rows.length; at += pageRows)
    yield* await Promise.all(rows.slice(at, at + pageRows).map((row) => reportRow(row, sources)));
}

async function reportRow(row: Row, { journal, resultOf }: RowReportInputs): Promise<RowReport> {
  const { id, identity, entry: entryId, problem: error } = row;
  const columns = row.columns === undefined ? undefined : (JSON.parse(row.columns) as RowColumns);
  const told = { id, request: identity?.order.wanted.request, columns, entry: entryId, error };
  const entry = entryId === undefined ? undefined : await journal?.reads.get(entryId);
  if (entry === undefined) {
    const state = row.outcome ?? (row.standing === 'invalid' ? 'invalid' : 'not-begun');
    return { ...told, state, result: undefined, atMs: undefined };
  }
  const state = row.outcome ?? (isProposal(entry) ? 'waiting' : entry.state);
  return { ...told, state, ...(await resultOf(entry, await journal?.reads.decisiveAttempt(entry.id))) };
}

/** The format of a report: its header and its rows. */
export type ReportText = {
  readonly heading: string;
  readonly line: (row: RowReport) => string;
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
      const facts = { path: this.#file.path, trouble: diskTroubleOf(error) };
      throw batchFailure('report-not-finished', facts, error);
    }
  }

  /** Removes the temporary file. May also be called after `finish`. */
  close(): Promise<void> {
    return this.#file.close();
  }
}

/** The columns after those of the file. */
export const reportColumns = ['state', 'entry', 'result', 'error', 'time'] as const;

const longestHeading = 64 * 1024;

/** An earlier report makes room for the next one, and so does an empty file. */
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
