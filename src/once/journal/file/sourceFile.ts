// SQL: reading a file that moves to a server.
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { factsOf, journalFailure } from '../facts.ts';
import type { Attempt, BatchInput, Decision, Intent, Observation, Receipt } from '../journal.ts';
import {
  attemptOf,
  batchInputOf,
  decisionOf,
  intentOf,
  type JournalRow,
  observationOf,
  optional,
  receiptOf,
  sound,
} from '../rows.ts';
import { sqliteFailure } from './faults.ts';
import type { Mark } from './mark.ts';
import { openFile, readSalt } from './opening.ts';
import {
  closeForMove,
  type Moved,
  noteMovedWhole,
  ownersAlive,
  readMoved,
  resolveLinks,
  sizeOf,
} from './ownFiles.ts';

/** A journal in a file that is being copied elsewhere, or is about to be. */
export class SourceFile {
  readonly path: string;
  /** Where it was moved to, if it was closed for that. */
  readonly moved: Moved | undefined;
  readonly salt: Uint8Array;
  readonly #database: DatabaseSyncInstance;
  readonly #mark: Mark | undefined;

  private constructor(
    path: string,
    opened: { database: DatabaseSyncInstance; mark: Mark | undefined },
    moved?: Moved,
  ) {
    this.path = path;
    this.moved = moved;
    this.#database = opened.database;
    this.#mark = opened.mark;
    this.salt = this.#guard(() => readSalt(opened.database));
  }

  /** Refuses a journal that has lost something, as sending does. */
  static open(givenPath: string): SourceFile {
    const path = resolveLinks(givenPath);
    if (sizeOf(path) === 0) throw journalFailure('nothing-to-copy', { path: givenPath });
    try {
      return new SourceFile(path, openFile(path, 'send'));
    } catch (error) {
      if (factsOf(error, 'moved') === undefined) throw error;
      const opened = openFile(path, 'look');
      return new SourceFile(path, opened, readMoved(opened.database));
    }
  }

  get intents(): number {
    return Number(this.#rows('SELECT count(*) AS count FROM intents')[0]?.count);
  }

  /** Of all that is only added to: a backup has as many as the file itself, or is older. */
  get rows(): number {
    const tables = ['intents', 'attempts', 'decisions', 'receipts', 'observations'];
    const sums = tables.map((table) => `(SELECT count(*) FROM ${table})`);
    return Number(this.#rows(`SELECT ${sums.join(' + ')} AS sum`)[0]?.sum);
  }

  /** What the files of its batches asked for. */
  get batches(): BatchInput[] {
    return this.#rows('SELECT * FROM batches ORDER BY name').map(batchInputOf);
  }

  /** The ids of what is neither over nor left behind. */
  get unsettled(): string[] {
    const sql = `SELECT id FROM intents WHERE state <> 'accepted' AND state IN ('open', 'sending', 'unknown', 'held')
      AND left_behind = 0 ORDER BY seq`;
    return this.#rows(sql).map(({ id }) => String(id));
  }

  /** In the order in which they began. */
  *pages(): Generator<readonly CopiedIntent[]> {
    for (let after = 0; ; ) {
      const intents = this.#rows(
        `SELECT * FROM intents WHERE seq > ? ORDER BY seq LIMIT ${pageLength}`,
        after,
      );
      const last = intents.at(-1)?.seq;
      if (last === undefined) return;
      yield this.#whole(intents, after, Number(last));
      after = Number(last);
    }
  }

  #whole(intents: readonly JournalRow[], after: number, last: number): CopiedIntent[] {
    const of = (table: string, order: string): Map<unknown, JournalRow[]> =>
      byIntent(
        this.#rows(`SELECT * FROM ${table} WHERE intent > ? AND intent <= ? ORDER BY ${order}`, after, last),
      );
    const attempts = of('attempts', 'number');
    const decisions = of('decisions', 'seq');
    const receipts = of('receipts', 'seq');
    const observations = of('observations', 'seq');
    return intents.map((row) => ({
      intent: intentOf(sound(row), false),
      leftBehind: row.left_behind === 1,
      countsAtMs: optional<number>(row.counts_at),
      attempts: (attempts.get(row.seq) ?? []).map(attemptOf),
      decisions: (decisions.get(row.seq) ?? []).map(decisionOf),
      receipts: (receipts.get(row.seq) ?? []).map(receiptOf),
      observations: (observations.get(row.seq) ?? []).map(observationOf),
    }));
  }

  /**
   * From now on the journal sends nothing more. Refused while a process that sends through it is alive. `lastLook` runs
   * when nobody can change the journal any more, and may refuse too. Returns what it does.
   */
  async closeFor<Result>(moved: Moved, lastLook: () => Promise<Result>): Promise<Result> {
    this.#run('BEGIN IMMEDIATE');
    let result: Result;
    try {
      this.refuseOwners();
      result = await lastLook();
      closeForMove(this.#database, moved);
      this.#run('COMMIT');
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw sqliteFailure(error, this.path);
    }
    // Then even a copy of the file without its log says that it is closed.
    this.#guard(() => this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)'));
    return result;
  }

  refuseOwners(): void {
    const count = ownersAlive(this.path);
    if (count > 0) throw journalFailure('owners-alive', { path: this.path, count });
  }

  noteWhole(atMs: number): void {
    const database = new DatabaseSync(this.path, { timeout: 30_000 });
    try {
      this.#guard(() => {
        database.exec('PRAGMA synchronous = FULL');
        noteMovedWhole(database, atMs);
      });
    } finally {
      database.close();
    }
  }

  close(): void {
    this.#database.close();
    this.#mark?.close();
  }

  #run(sql: string): void {
    this.#database.exec(sql);
  }

  #rows(sql: string, ...values: number[]): JournalRow[] {
    return this.#guard(() => this.#database.prepare(sql).all(...values) as JournalRow[]);
  }

  #guard<Result>(read: () => Result): Result {
    try {
      return read();
    } catch (error) {
      throw sqliteFailure(error, this.path);
    }
  }
}

function byIntent(rows: readonly JournalRow[]): Map<unknown, JournalRow[]> {
  const grouped = new Map<unknown, JournalRow[]>();
  for (const row of rows) {
    const same = grouped.get(row.intent);
    if (same === undefined) grouped.set(row.intent, [row]);
    else same.push(row);
  }
  return grouped;
}

/** Everything a journal knows about one intent, to put it into another journal. */
export type CopiedIntent = {
  readonly intent: Intent;
  readonly leftBehind: boolean;
  /** When it counts as spent. */
  readonly countsAtMs: number | undefined;
  readonly attempts: readonly Attempt[];
  readonly decisions: readonly Decision[];
  readonly receipts: readonly Receipt[];
  readonly observations: readonly Observation[];
};

/** Never more than this many intents are in memory. */
const pageLength = 200;
