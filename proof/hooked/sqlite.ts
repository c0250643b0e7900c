// Stands in for SQLite in the proof's own bundle: a step before every statement, be it the journal's, a
// lock's or a migration's.
import {
  type DatabaseSyncInstance,
  DatabaseSync as RealDatabase,
  backup as realBackup,
  type StatementSyncInstance,
} from '@photostructure/sqlite';
import { step } from './steps.ts';

/** Only copies are made by it. */
export const backup = realBackup;

/** The connection that last began to write: the journal's, once something is to be sent. */
let writer: DatabaseSyncInstance | undefined;

export class DatabaseSync extends RealDatabase {
  override exec(sql: string): void {
    if (sql.startsWith('BEGIN IMMEDIATE')) writer = this;
    step(`exec ${firstWords(sql)}`);
    super.exec(sql);
  }

  override prepare(sql: string): StatementSyncInstance {
    const statement = super.prepare(sql);
    for (const name of ['run', 'get', 'all'] as const) announce(statement, name, sql);
    return statement;
  }
}

type Method = (...args: unknown[]) => unknown;

function announce(statement: StatementSyncInstance, name: 'run' | 'get' | 'all', sql: string): void {
  const method = statement[name] as unknown as Method;
  Object.defineProperty(statement, name, {
    value: (...args: unknown[]) => {
      step(`${name} ${firstWords(sql)}`);
      return method.apply(statement, args);
    },
  });
}

function firstWords(sql: string): string {
  return sql.trim().replace(/\s+/gu, ' ').slice(0, 40);
}

/** Whether this process has a journal in a file, and not on a server. */
export function isWritten(): boolean {
  return writer !== undefined;
}

/** What makes the journal's last commit durable, as it stands now. */
export function durability(): string {
  if (writer === undefined) return 'nothing was written';
  if (writer.isTransaction) return 'a transaction is open';
  const row = Object.getPrototypeOf(DatabaseSync.prototype)
    .prepare.call(writer, 'PRAGMA synchronous')
    .get() as { synchronous?: number } | undefined;
  return `synchronous=${row?.synchronous}`;
}
