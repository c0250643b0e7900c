// SQL: reading a file that moves to a server.
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import type { Failure } from '../../failures.ts';
import { factsOf, journalFailure } from '../failures.ts';
import type { JournalRow } from '../rows.ts';
import { foldLog, openFile } from './opening.ts';
import { ownersAlive, resolveLinks, sizeOf } from './ownFiles.ts';
import { close, sqliteFailure } from './sqliteErrors.ts';

/** A journal in a file that moves to a server. No other process changes it until it is closed. */
export class SourceFile {
  readonly path: string;
  readonly #database: DatabaseSyncInstance;

  /** The failure that says where it was moved to, if it was. */
  readonly moved: Failure | undefined;

  private constructor(path: string, database: DatabaseSyncInstance, moved: Failure | undefined) {
    this.path = path;
    this.#database = database;
    this.moved = moved;
  }

  /** Refuses a journal that has lost something, as sending does, and one with unfinished entries. */
  static open(givenPath: string): SourceFile {
    const path = resolveLinks(givenPath);
    if (sizeOf(path) === 0) throw journalFailure('no-journal', { path });
    // A journal that has moved may be imported again: the first import may have been killed before it could report.
    const { database, refused, closed } = openFile(path, 'look');
    const moved = factsOf(closed, 'moved') && closed;
    const source = new SourceFile(path, database, moved);
    try {
      if (refused !== undefined && refused !== moved) throw refused;
      if (factsOf(closed, 'closed')?.isBackup) throw closed;
      if (moved === undefined) source.#hold();
      return source;
    } catch (error) {
      source.close();
      throw sqliteFailure(error, path);
    }
  }

  #hold(): void {
    this.#database.exec('BEGIN IMMEDIATE');
    const count = ownersAlive(this.path);
    if (count > 0) throw journalFailure('owners-alive', { path: this.path, count });
    const unfinished = this.#rows(
      `SELECT id FROM entries WHERE state IN ('sending', 'unknown', 'held') ORDER BY seq`,
    );
    const firstIds = unfinished.slice(0, 5).map(({ id }) => String(id));
    if (unfinished.length > 0)
      throw journalFailure('unfinished', { path: this.path, firstIds, count: unfinished.length });
  }

  /** A value of the journal itself. */
  meta(name: 'journal-id' | 'salt'): Uint8Array {
    return this.#rows(`SELECT value FROM meta WHERE name = '${name}'`)[0]?.value as Uint8Array;
  }

  /** All rows of a table, a page at a time, so that only one page is in memory. */
  *pages(table: string): Generator<readonly JournalRow[]> {
    for (let after = 0; ; ) {
      const rows = this.#rows(
        `SELECT rowid AS nth, * FROM ${table} WHERE rowid > ${after} ORDER BY rowid LIMIT 500`,
      );
      if (rows.length === 0) return;
      after = Number(rows.at(-1)?.nth);
      yield rows.map(({ nth: _nth, ...row }) => row);
    }
  }

  /** A count that grows with everything that is begun, sent or decided. */
  get extent(): number {
    const counts = ['entries', 'attempts', 'decisions'].map((table) => `(SELECT count(*) FROM ${table})`);
    return Number(this.#rows(`SELECT ${counts.join(' + ')} AS count`)[0]?.count);
  }

  get entries(): number {
    return Number(this.#rows('SELECT count(*) AS count FROM entries')[0]?.count);
  }

  /** From now on it sends nothing, not even through a process that has it open. */
  closeFor(place: string, who: string, atMs: number): void {
    if (!this.#database.isTransaction) return;
    try {
      close(this.#database, 'moved', who, atMs, place);
      this.#database.exec('COMMIT');
      // Then even a copy of the file without its log says that it is closed.
      foldLog(this.#database);
    } catch (error) {
      throw sqliteFailure(error, this.path);
    }
  }

  close(): void {
    // A statement that still exists keeps its connection open, and the locks with it.
    if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
    this.#database.close();
  }

  #rows(sql: string): JournalRow[] {
    return this.#database.prepare(sql).all() as JournalRow[];
  }
}
