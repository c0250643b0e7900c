import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import type { Failure } from '../../errors.ts';
import { journalFailure } from '../facts.ts';

/** Where a journal went that sends nothing more, and what of it is there by now. */
export type Moved = {
  /** For people. */
  readonly place: string;
  /** The id of the journal that it was copied into. */
  readonly journal: string;
  readonly who: string;
  readonly atMs: number;
};

export function readMoved(database: DatabaseSyncInstance): Moved | undefined {
  const text = metaText(database, 'moved-to');
  return text === undefined ? undefined : (JSON.parse(text) as Moved);
}

/** The refusal of whatever sends or decides. */
export function movedFailure(database: DatabaseSyncInstance, path: string): Failure | undefined {
  const place = readMoved(database)?.place;
  if (place === undefined) return undefined;
  return journalFailure('moved', { path, place, isWhole: metaText(database, 'moved-whole') !== undefined });
}

function metaText(database: DatabaseSyncInstance, name: string): string | undefined {
  const row = database.prepare('SELECT value FROM meta WHERE name = ?').get(name) as
    | { value: Uint8Array }
    | undefined;
  return row === undefined ? undefined : Buffer.from(row.value).toString();
}

const sentence = 'the journal was moved';

/** Whether a statement was refused because the journal was closed since it was opened. */
export function isRefusedAsMoved(error: unknown): boolean {
  return error instanceof Error && error.message.includes(sentence);
}

const changes = [
  ...['INSERT ON intents', 'UPDATE ON intents', 'INSERT ON attempts', 'UPDATE ON attempts'],
  ...['INSERT ON decisions', 'INSERT ON receipts', 'INSERT ON observations'],
];

/**
 * In the transaction of its caller: from its commit on nothing is sent by this journal, also by a process that has it
 * open. It can be read as before.
 */
export function closeForMove(database: DatabaseSyncInstance, moved: Moved): void {
  database
    .prepare(`INSERT INTO meta (name, value) VALUES ('moved-to', ?)`)
    .run(Buffer.from(JSON.stringify(moved)));
  for (const [nth, change] of changes.entries()) {
    database.exec(
      `CREATE TRIGGER moved_${nth} BEFORE ${change} BEGIN SELECT RAISE(ABORT, '${sentence}'); END`,
    );
  }
}

/** All of it is where it went. */
export function noteMovedWhole(database: DatabaseSyncInstance, atMs: number): void {
  database
    .prepare(`INSERT OR IGNORE INTO meta (name, value) VALUES ('moved-whole', ?)`)
    .run(Buffer.from(String(atMs)));
}
