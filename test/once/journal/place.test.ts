import { describe, expect, test } from 'vitest';
import { isFile, showsPassword } from '../../../src/once/journal/place.ts';

describe('a journal’s name', () => {
  test.each([
    ' /srv/journal.db',
    '/srv/journal.db ',
    '"/srv/journal.db',
    './journal.db’',
    './journal.db\u200b',
    '//db/botctl',
    'jdbc:postgresql:botctl',
    '/srv/postgres://db/botctl',
    'mysql://db/botctl',
    'host=db dbname=botctl',
    'host = db',
    'postgres',
    'postgresql/botctl',
    'me@db',
    'db:5432',
    'postgresqlite.db',
    'journal.db',
    'a:b',
    '~me/journal.db',
  ])('%j is no file', (text) => {
    expect(isFile(text)).toBe(false);
  });

  test.each(['/srv/journal.db', './journal.db', '../journal.db', '~/journal.db', '/srv/a=b.db', './db:5432'])(
    '%j is a file',
    (text) => {
      expect(isFile(text)).toBe(true);
    },
  );

  test.each([
    ['a:b@db', true],
    ['a:@db', false],
    [':x@db', true],
    ['@db', false],
    ['host=db password = x', true],
    ['./a:b@c', false],
  ])('shows a password in %j: %s', (text, shows) => {
    expect(showsPassword(text)).toBe(shows);
  });
});
