import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { asFailure, Failure } from '../../../../src/once/failures.ts';
import {
  applicationId,
  damaged,
  isConstraint,
  openingFailure,
  refuseForeign,
  sqliteFailure,
} from '../../../../src/once/journal/file/sqliteErrors.ts';
import { schemaVersion } from '../../../../src/once/journal/schema.ts';
import { newFolder } from '../../../support/journals.ts';

const sqlite = (errcode: number | undefined, message = 'm'): Error =>
  Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR' }, errcode === undefined ? {} : { errcode });

describe('what SQLite says, by its number or by its words', () => {
  test.each<[string, Error, string]>([
    ['busy', sqlite(5), 'journal-busy'],
    ['busy with a stale snapshot', sqlite(517), 'journal-busy'],
    ['locked', sqlite(6), 'journal-busy'],
    ['read-only', sqlite(8), 'journal-not-writable'],
    ['read-only by its folder', sqlite(1544), 'journal-not-writable'],
    ['an I/O error', sqlite(10), 'journal-not-writable'],
    ['an I/O error in fsync', sqlite(1034), 'journal-not-writable'],
    ['full', sqlite(13), 'journal-not-writable'],
    ['not to be opened', sqlite(14), 'journal-not-writable'],
    ['not permitted', sqlite(3), 'journal-not-writable'],
    ['a lock that does not work', sqlite(15), 'journal-not-writable'],
    ['corrupt', sqlite(11), 'journal-damaged'],
    ['not a database', sqlite(26), 'journal-damaged'],
    ['a table that is gone', sqlite(1, 'no such table: entries'), 'journal-damaged'],
    ['a column that is gone', sqlite(1, 'no such column: state'), 'journal-damaged'],
    ['words: malformed', sqlite(undefined, 'database disk image is malformed'), 'journal-damaged'],
    ['words: full', sqlite(undefined, 'database or disk is full'), 'journal-not-writable'],
    ['words: I/O', sqlite(undefined, 'disk I/O error'), 'journal-not-writable'],
    ['words: locked', sqlite(undefined, 'database is locked'), 'journal-busy'],
    [
      'no right to a folder',
      Object.assign(new Error('EACCES'), { code: 'EACCES', syscall: 'mkdir' }),
      'journal-not-writable',
    ],
  ])('%s', async (_what, error, code) => {
    const failure = sqliteFailure(error, '/j.db');
    expect(failure).toBeInstanceOf(Failure);
    expect(failure).toMatchObject({ code, cause: error });
    const told = asFailure(failure);
    expect(told.message).toContain('/j.db');
    expect(told.details.hint).toBeDefined();
  });

  test.each([
    new Error('ours'),
    sqlite(19, 'CHECK constraint failed'),
    sqlite(1, 'near "x"'),
    'text',
    undefined,
  ])('what is our own fault stays what it is: %s', (error) => {
    expect(sqliteFailure(error, '/j.db')).toBe(error);
  });

  test('while a file is opened nothing is our own fault but what is not SQLite’s', () => {
    expect(openingFailure(sqlite(1, 'near "x"'), '/j.db')).toMatchObject({ code: 'journal-damaged' });
    expect(openingFailure('text', '/j.db')).toBe('text');
    const ours = new Error('ours');
    expect(openingFailure(ours, '/j.db')).toBe(ours);
  });

  test('what is damaged is moved aside with its log, over nothing that was kept before, and its note stays', () => {
    const path = join(newFolder(), 'j.db');
    const asides = (): unknown => (damaged(path).fields as { moves: unknown }).moves;
    const moves = (ends: readonly string[], aside: string) =>
      ends.map((end) => ({ from: `${path}${end}`, to: `${path}.damaged${aside}${end}` }));
    for (const end of ['', '-wal', '.note']) writeFileSync(`${path}${end}`, 'x');
    expect(asides()).toEqual(moves(['', '-wal'], ''));
    rmSync(`${path}-wal`);
    for (const [nth, kept] of ['.damaged', '.damaged-2-wal'].entries()) {
      writeFileSync(`${path}${kept}`, 'x');
      expect(asides()).toEqual(moves([''], `-${nth + 2}`));
    }
  });

  test('a failure that has its name already keeps it', () => {
    const failure = new Failure('journal-schema', 'm');
    expect(sqliteFailure(failure, '/j.db')).toBe(failure);
  });
});

test.each([sqlite(19), sqlite(2067), sqlite(787)])('a check of the journal’s own refused it: %o', (error) => {
  expect(isConstraint(error)).toBe(true);
});

test.each([sqlite(5), new Error('19'), 'text', undefined])(
  'no check of the journal’s own refused it: %o',
  (error) => {
    expect(isConstraint(error)).toBe(false);
  },
);

test('no release has a version below nothing', () => {
  const versions = { changes: 1, applicationId };
  expect(() => refuseForeign({ ...versions, version: -1 }, '/j.db')).toThrow(Failure);
  expect(() => refuseForeign({ ...versions, version: schemaVersion }, '/j.db')).not.toThrow();
});
