import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findPassword, parseAddress, withPassFile } from '../../src/postgres/address.ts';
import type { Env } from '../../src/postgres/settings.ts';

function address(text: string, env: Env = {}) {
  return parseAddress(text, 'BOTCTL_JOURNAL', env, () => 'me');
}

describe('a line of the password file', () => {
  const url = 'postgres://bots@db.example.com:6432/ledger';

  test.each([
    ['db.example.com:6432:ledger:bots:pw', 'pw'],
    ['*:*:*:*:pw', 'pw'],
    ['*:6432:*:bots:pw', 'pw'],
    ['*:5432:*:*:pw', undefined],
    ['DB.example.com:*:*:*:pw', undefined],
    ['db.example.com:*:*:other:pw', undefined],
    ['db.example.com:*:other:*:pw', undefined],
    ['d*:*:*:*:pw', undefined],
    ['\\*:*:*:*:pw', undefined],
    ['**:*:*:*:pw', undefined],
    ['d\\b.example.com:*:*:*:pw', 'pw'],
    ['*:*:*:*:p\\:w\\\\\\x', 'p:w\\x'],
    ['*:*:*:*:pw:and more', 'pw'],
    ['*:*:*:*:', undefined],
    ['*:*:*:*', undefined],
    ['*:*:*:*: pw ', ' pw '],
    ['*:*:*:*:pw\\', 'pw\\'],
    ['*:*:*:*:pw\r', 'pw'],
    ['#*:*:*:*:no\n*:*:*:*:pw', 'pw'],
    ['\n\n:::\n*:*:*:*:pw\n', 'pw'],
    ['*:*:*:bots:first\n*:*:*:*:second', 'first'],
    ['db.example.com:*:*:*:\n*:*:*:*:second', undefined],
    ['', undefined],
  ])('%j', (text, expected) => {
    expect(findPassword(text, address(url))).toBe(expected);
  });

  test.each([
    ['postgres://[fd00::1]/x', 'fd00\\:\\:1:5432:x:me:pw', 'pw'],
    ['postgres:///x?host=/run/postgresql', 'localhost:*:*:*:pw', 'pw'],
    ['postgres:///x?host=/run/postgresql', '/run/postgresql:*:*:*:pw', 'pw'],
    ['postgres:///x?host=/srv/own', 'localhost:*:*:*:pw', undefined],
    ['postgres:///x?host=/srv/own', '/srv/own:*:*:*:pw', 'pw'],
    ['postgres://127.0.0.1/x', 'localhost:*:*:*:pw', undefined],
    ['postgres://a%3Ab%5C@db/x', '*:*:*:a\\:b\\\\:pw', 'pw'],
  ])('%s: %s', (text, line, expected) => {
    expect(findPassword(line, address(text))).toBe(expected);
  });

  test('gives back any password that was written with its escapes', () => {
    const password = fc.string({ minLength: 1, unit: 'binary' }).filter((text) => !/[\n\r\0]/u.test(text));
    fc.assert(
      fc.property(password, (text) => {
        const line = `*:*:*:*:${text.replace(/[\\:]/gu, '\\$&')}`;
        expect(findPassword(line, address(url))).toBe(text);
      }),
    );
  });
});

describe('the password file', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'botctl-passfile-'));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  const line = '*:*:*:*:from-the-file\n';

  function write(name: string, mode = 0o600): string {
    const path = join(home, name);
    writeFileSync(path, line);
    chmodSync(path, mode);
    return path;
  }

  function complete(env: Env = {}, text = 'postgres://db/x', platform: NodeJS.Platform = 'linux') {
    const found = withPassFile(address(text, env), { env, home: () => home, platform });
    return [found.address.password?.reveal(), found.ignored] as const;
  }

  test('is ~/.pgpass, or the one that PGPASSFILE names', () => {
    write('.pgpass');
    expect(complete()).toEqual(['from-the-file', undefined]);
    writeFileSync(join(home, 'other'), '*:*:*:*:from-another', { mode: 0o600 });
    expect(complete({ PGPASSFILE: join(home, 'other') })).toEqual(['from-another', undefined]);
  });

  test('is pgpass.conf in %APPDATA% on Windows, which has no such modes', () => {
    mkdirSync(join(home, 'postgresql'));
    write(join('postgresql', 'pgpass.conf'), 0o644);
    expect(complete({ APPDATA: home }, 'postgres://db/x', 'win32')).toEqual(['from-the-file', undefined]);
  });

  test('comes after the URL and PGPASSWORD', () => {
    write('.pgpass', 0o644);
    expect(complete({ PGPASSWORD: 'from-env' })).toEqual(['from-env', undefined]);
    expect(complete({ PGPASSWORD: 'from-env' }, 'postgres://u:from-url@db/x')).toEqual([
      'from-url',
      undefined,
    ]);
    expect(complete({}, 'postgres://u:@db/x')[1]).toBeDefined();
  });

  test('is not missed where nobody names it', () => {
    expect(complete()).toEqual([undefined, undefined]);
    expect(complete({ PGPASSFILE: join(home, 'none') })).toEqual([
      undefined,
      { path: join(home, 'none'), is: 'missing' },
    ]);
  });

  test.skipIf(process.platform === 'win32').each([0o640, 0o604, 0o660, 0o610])(
    'of mode %o is not used',
    (mode) => {
      const path = write('.pgpass', mode);
      expect(complete()).toEqual([undefined, { path, is: 'open-to-others' }]);
    },
  );

  test('may be a link, but no folder and no pipe', () => {
    symlinkSync(write('real'), join(home, '.pgpass'));
    expect(complete()).toEqual(['from-the-file', undefined]);
    expect(complete({ PGPASSFILE: home })[1]).toEqual({ path: home, is: 'not-a-file' });
    execFileSync('mkfifo', [join(home, 'pipe')]);
    expect(complete({ PGPASSFILE: join(home, 'pipe') })[1]).toMatchObject({ is: 'not-a-file' });
  });
});
