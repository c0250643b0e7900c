import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { DatabaseSync } from '@photostructure/sqlite';
import { journalFailure } from '../facts.ts';
import { damaged } from './sqliteFaults.ts';
import { refuseForeign } from './versions.ts';

const headerBytes = 100;

export function readHeader(path: string): Buffer {
  const header = Buffer.alloc(headerBytes);
  const file = openSync(path, 'r');
  try {
    if (readSync(file, header, 0, headerBytes, 0) < headerBytes) throw damaged(path);
    return header;
  } finally {
    closeSync(file);
  }
}

/** Reads what a file says it is before SQLite touches it. Where there is a log beside it, that may say more. */
export function refuseByHeader(path: string, header: Buffer | undefined): void {
  if (header === undefined || existsSync(`${path}-wal`)) return;
  if (header.toString('latin1', 0, 16) !== 'SQLite format 3\0') throw damaged(path);
  if (isDumped(header, path)) throw journalFailure('dumped', { path });
  refuseForeign(
    {
      version: header.readInt32BE(60),
      schemaVersion: header.readInt32BE(40),
      applicationId: header.readInt32BE(68),
    },
    path,
  );
}

/**
 * How often the database itself was changed where it grew: what is moved from the log into it takes that along.
 * SQLite lays any log over any database; one that counts less than it did is an older one.
 */
export function baseOf(header: Buffer): number {
  return header.readUInt32BE(24);
}

/** `.dump` writes out the tables, but not what says that they are a journal, nor which version. */
function isDumped(header: Buffer, path: string): boolean {
  // It says nothing of what it is, and is not written ahead: to open it makes no files beside it.
  if (header.readInt32BE(68) !== 0 || header.readInt32BE(60) !== 0 || header.readUInt8(18) !== 1)
    return false;
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const tables = `SELECT count(*) AS count FROM sqlite_schema
                    WHERE type = 'table' AND name IN ('intents', 'attempts', 'decisions')`;
    return database.prepare(tables).get()?.count === 3;
  } finally {
    database.close();
  }
}
