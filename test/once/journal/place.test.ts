import { describe, expect, test } from 'vitest';
import type { NoFile } from '../../../src/once/journal/failures.ts';
import { showsPassword, whyNoFile } from '../../../src/once/journal/place.ts';

describe('a journal’s name', () => {
  test.each<[string, NoFile]>([
    [' /srv/journal.db', 'marked'],
    ['/srv/journal.db ', 'marked'],
    ['"/srv/journal.db', 'marked'],
    ['./journal.db’', 'marked'],
    ['./journal.db\u200b', 'marked'],
    ['//db/botctl', 'url'],
    ['jdbc:postgresql:botctl', 'url'],
    ['/srv/postgres://db/botctl', 'url'],
    ['mysql://db/botctl', 'url'],
    ['host=db dbname=botctl', 'settings'],
    ['host = db', 'settings'],
    ['postgres', 'server'],
    ['postgresql/botctl', 'server'],
    ['me@db', 'server'],
    ['db:5432', 'server'],
    ['postgresqlite.db', 'relative'],
    ['journal.db', 'relative'],
    ['a:b', 'relative'],
    ['~me/journal.db', 'relative'],
  ])('%j is no file: %s', (text, why) => {
    expect(whyNoFile(text)).toBe(why);
  });

  test.each(['/srv/journal.db', './journal.db', '../journal.db', '~/journal.db', '/srv/a=b.db', './db:5432'])(
    '%j is a file',
    (text) => {
      expect(whyNoFile(text)).toBeUndefined();
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
