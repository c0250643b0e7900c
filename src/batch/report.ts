import { diskTroubleOf } from '../machine/disk.ts';
import { Occupied, WholeFile } from '../machine/wholeFile.ts';
import { isProposal } from '../once/engine/approval.ts';
import type { Attempt, Intent, Journal } from '../once/journal/journal.ts';
import type { RowColumns } from './columns.ts';
import { batchFailure } from './facts.ts';
import type { Row } from './plan.ts';

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
  readonly rows: readonly Row[];
  readonly journal: Journal | undefined;
  /** The service's or an operator's proof of the result. */
  readonly resultOf: (
    intent: Intent,
    attempt: Attempt | undefined,
  ) => Promise<Pick<RowReport, 'result' | 'transferId' | 'atMs'>>;
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
  const { line, id, identity, problem: error } = row;
  const columns = row.columns === undefined ? undefined : (JSON.parse(row.columns) as RowColumns);
  const told = { line, id, request: identity?.canonical, error, key: identity?.key, columns };
  const intent = row.intent === undefined ? undefined : await journal?.reads.get(row.intent);
  if (intent === undefined) {
    const outcome = row.outcome ?? (row.standing === 'invalid' ? 'invalid' : 'not-begun');
    return { ...told, outcome, result: undefined, transferId: undefined, atMs: undefined };
  }
  const outcome = row.outcome ?? (isProposal(intent) ? 'waiting' : intent.state);
  return { ...told, outcome, ...(await resultOf(intent, await journal?.reads.decisiveAttempt(intent.id))) };
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
      return new ReportFile(await WholeFile.begin(path, 0o600));
    } catch (error) {
      if (error instanceof Occupied)
        throw batchFailure(error.by === 'link' ? 'report-link' : 'report-not-a-file', { path });
      throw batchFailure('report-not-begun', { path, trouble: diskTroubleOf(error) }, error);
    }
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
