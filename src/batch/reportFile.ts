import { randomUUID } from 'node:crypto';
import { lstatSync, realpathSync, statSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Failure } from '../errors.ts';
import { diskTroubleOf } from '../machine/disk.ts';
import { batchFailure } from './facts.ts';
import type { RowReport } from './rowReport.ts';

/** How a report reads: what stands above its rows, and each of them. */
export type ReportText = {
  readonly heading: string;
  readonly line: (row: RowReport) => string;
};

const pieceLength = 64 * 1024;

/** A report beside its final place, which it takes whole or not at all. */
export class ReportFile {
  readonly #path: string;
  readonly #draft: string;
  readonly #file: FileHandle;

  private constructor(path: string, draft: string, file: FileHandle) {
    this.#path = path;
    this.#draft = draft;
    this.#file = file;
  }

  /** Before anything is sent: a report that cannot be written is known in time. */
  static async begin(path: string): Promise<ReportFile> {
    try {
      const { target, mode } = earlier(path);
      const draft = join(dirname(target), `.${basename(target)}.${randomUUID().slice(0, 8)}`);
      const file = await open(draft, 'wx', 0o600);
      if (mode !== undefined) await file.chmod(mode);
      return new ReportFile(target, draft, file);
    } catch (error) {
      if (error instanceof Failure) throw error;
      throw batchFailure('report-not-begun', { path, trouble: diskTroubleOf(error) }, error);
    }
  }

  /** False where `given up` came first: then an earlier report stays as it was. */
  async finish(text: ReportText, rows: AsyncIterable<RowReport>, givenUp: AbortSignal): Promise<boolean> {
    try {
      let piece = text.heading;
      for await (const row of rows) {
        piece += text.line(row);
        if (piece.length < pieceLength) continue;
        await this.#file.appendFile(piece);
        piece = '';
        if (givenUp.aborted) return false;
      }
      await this.#file.appendFile(piece);
      await this.#file.sync();
      await rename(this.#draft, this.#path);
      return true;
    } catch (error) {
      const facts = { path: this.#path, trouble: diskTroubleOf(error) };
      throw batchFailure('report-not-finished', facts, error);
    }
  }

  /** Also after `finish`: leaves nothing behind but the report. */
  async close(): Promise<void> {
    await this.#file.close();
    await rm(this.#draft, { force: true });
  }
}

/** Where the report goes: to an earlier one's own place, whatever link leads there, with the mode that it was given. */
function earlier(path: string): { readonly target: string; readonly mode?: number } {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return { target: path };
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile()) return { target: realpathSync(path), mode: stats.mode & 0o777 };
  throw batchFailure(stats === undefined ? 'report-dead-link' : 'report-not-a-file', { path });
}
