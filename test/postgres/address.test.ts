import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PeerCertificate } from 'node:tls';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Env } from '../../src/machine/folders.ts';
import { showsPassword } from '../../src/once/journal/place.ts';
import { type Address, parseAddress, placeOf, type UrlSource, urlFor } from '../../src/postgres/address.ts';
import { failureOf, wordsOf } from '../support/failure.ts';

function parse(text: string, env: Env = {}, source: UrlSource = 'BOTCTL_JOURNAL'): Address {
  return parseAddress(text, source, env, () => 'me');
}

// The 150 certificates of a machine that names its own, read for each of thousands of URLs, cost 10 ms a URL.
beforeAll(() => {
  vi.stubEnv('SSL_CERT_FILE', undefined);
  vi.stubEnv('SSL_CERT_DIR', undefined);
});
afterAll(() => void vi.unstubAllEnvs());

/** What can be compared: a password is behind a function. */
const open = ({ password, ssl, ...rest }: Address) => ({
  ...rest,
  password: password(),
  isTls: ssl() !== false,
});

describe('what a URL says', () => {
  const whole = 'postgres://bots@db.example.com:6432/ledger?schema=team_a';

  test.each<[string, Partial<ReturnType<typeof open>>]>([
    [whole, { host: 'db.example.com', port: 6432, user: 'bots', database: 'ledger', schema: 'team_a' }],
    ['postgresql://db/x', { host: 'db', database: 'x' }],
    ['postgres://', { host: 'localhost', port: 5432, user: 'me', database: 'me', schema: 'botctl' }],
    ['postgres://db', { host: 'db', database: 'me' }],
    ['postgres://bots@db', { user: 'bots', database: 'bots' }],
    ['postgres://:secret@db/x', { user: 'me' }],
    ['postgres://bots:@db/x', { user: 'bots', password: undefined }],
    ['postgres://b%40ts%2F@db/a%25b', { user: 'b@ts/', database: 'a%b' }],
    ['postgres://[fd00::1]/x', { host: 'fd00::1', port: 5432 }],
    ['postgres://me@[::1]:99/x', { host: '::1', port: 99 }],
    ['postgres:///x?host=/run/postgresql', { host: '/run/postgresql', database: 'x' }],
    ['postgres:///x?host=/tmp&port=5433', { host: '/tmp', port: 5433 }],
    ['postgres://db/x?port=5433', { host: 'db', port: 5433 }],
    ['postgres://db/x', { isTls: true }],
    ['postgres://bots@/x?host=/tmp', { host: '/tmp', user: 'bots', port: 5432 }],
    ['postgres://bots@%2Frun%2Fpostgresql:5433/x', { host: '/run/postgresql', port: 5433 }],
    ['postgres://db/x?connect_timeout=3&application_name=x', { host: 'db', database: 'x' }],
    ['postgres://u:p@ss@db/x', { host: 'db', user: 'u', password: 'p@ss' }],
  ])('%s', (text, expected) => {
    expect(open(parse(text))).toMatchObject(expected);
  });

  test('the password is decoded, and kept to itself', () => {
    const { password } = parse('postgres://bots:p%40ss%3A%2Fw%C3%B6rd@db/x');
    expect(password()).toBe('p@ss:/wörd');
  });
});

describe('the driver’s variables', () => {
  const env: Env = {
    PGHOST: 'other.example.com',
    PGPORT: '7000',
    PGUSER: 'someone',
    PGPASSWORD: 'from-the-variable',
    PGDATABASE: 'books',
  };

  test('say what the URL leaves out, and nothing else', () => {
    const said = { host: 'other.example.com', port: 7000, user: 'someone', database: 'books' };
    expect(open(parse('postgres://', env))).toMatchObject({ ...said, password: env.PGPASSWORD });
    const whole = 'postgres://bots:mine@db:6432/ledger';
    expect(open(parse(whole, env))).toEqual(open(parse(whole)));
  });

  test('count as unset where they are empty', () => {
    const empty = Object.fromEntries(Object.keys(env).map((name) => [name, '']));
    expect(open(parse('postgres://db', empty))).toEqual(open(parse('postgres://db')));
  });

  test('a folder in the URL outranks PGHOST', () => {
    expect(parse('postgres:///x?host=/tmp', env).host).toBe('/tmp');
  });
});

describe('what is refused', () => {
  test.each([
    ['mysql://db/x', 'is a URL, but not a postgres:// one'],
    ['postgres:/db/x', 'not a postgres:// one'],
    ['postgres://db:-1/x', 'cannot be read as a URL'],
    ['postgres://a:1,b:2/x', 'cannot be read as a URL'],
    ['postgres://[::1/x', 'cannot be read as a URL'],
    ['postgres://%ff@db/x', 'cannot be read as a URL'],
    ['postgres://u:p/ss@db/x', 'cannot be read as a URL'],
    ['postgres://u:p?ss@db/x', 'cannot be read as a URL'],
    ['postgres://u:p#ss@db/x', 'cannot be read as a URL'],
    ['postgres://db/x?schema', 'names a schema that cannot be one'],
  ])('%s', async (text, problem) => {
    const { code, message, details } = await failureOf(() => parse(text));
    expect(code).toBe('usage');
    expect(message).toContain(problem);
    expect(details.hint).toBeDefined();
  });

  test.each(['', 'A', 'Team', '1a', 'a-b', 'a b', 'a"b', 'pg_x', 'information_schema', 'é', 'a'.repeat(64)])(
    'the schema %j',
    async (schema) => {
      const failure = await failureOf(() => parse(`postgres://db/x?schema=${encodeURIComponent(schema)}`));
      expect(failure.message).toContain('names a schema that cannot be one');
    },
  );

  test.each(['a', '_', 'team_1', 'public', 'pgx', 'a'.repeat(63)])('not the schema %j', (schema) => {
    expect(parse(`postgres://db/x?schema=${schema}`).schema).toBe(schema);
  });
});

describe('sslmode', () => {
  const [none, whole, chain, blind] = ['none', 'whole', 'chain', 'blind'];
  const folder = mkdtempSync(join(tmpdir(), 'botctl-address-'));
  const root = join(folder, 'ca.pem');
  writeFileSync(root, 'a certificate');
  afterAll(() => rmSync(folder, { recursive: true }));
  const certificate = { subject: { CN: 'other' }, subjectaltname: 'DNS:other' } as unknown as PeerCertificate;

  /** What of the server is checked. */
  function checked({ ssl }: Address): string {
    const given = ssl();
    if (given === false) return none;
    if (given.rejectUnauthorized !== true) return blind;
    return given.checkServerIdentity?.('', certificate) === undefined ? chain : whole;
  }

  test.each([
    // sslmode, and what is checked by a socket, over loopback and over a network
    ['', none, none, whole],
    [`&sslrootcert=${root}`, none, whole, whole],
    ['&sslmode=disable', none, none, none],
    ['&sslmode=allow', none, none, whole],
    ['&sslmode=prefer', none, none, whole],
    ['&sslmode=require', none, blind, blind],
    [`&sslmode=require&sslrootcert=${root}`, none, chain, chain],
    ['&sslmode=verify-ca', none, whole, whole],
    [`&sslmode=verify-ca&sslrootcert=${root}`, none, chain, chain],
    ['&sslmode=verify-full', none, whole, whole],
    ['&sslmode=no-verify', none, none, whole],
    ['&sslmode=constructor', none, none, whole],
  ])('%s', (query, ...expected) => {
    const urls = [
      'postgres:///x?host=/tmp',
      'postgres://127.0.0.1/x?schema=a',
      'postgres://db.example.com/x?schema=a',
    ];
    expect(urls.map((url) => checked(parse(`${url}${query}`)))).toEqual(expected);
  });

  test.each(['localhost', 'LocalHost', '127.0.0.1', '127.9.9.9', '[::1]', '[0:0:0:0:0:0:0:1]'])(
    '%s is this machine',
    (host) => {
      expect(parse(`postgres://${host}/x`).ssl()).toBe(false);
    },
  );

  const others = ['localhost.example.com', '127.1', '0.0.0.0', '[::]', '[fd00::1]', '128.0.0.1'];
  test.each([...others, 'db', '127.0.0.1.evil.com', '0%3A1'])('%s is not', (host) => {
    expect(checked(parse(`postgres://${host}/x`))).toBe(whole);
  });
});

describe('its place, as people read it', () => {
  test.each([
    ['postgres://', 'postgres://me@localhost:5432/me'],
    ['postgres://u:secret@db/x?sslmode=require', 'postgres://u@db:5432/x'],
    ['postgres://a%40b:secret@[fd00::1]:1/%24%28x%29', 'postgres://a%40b@[fd00::1]:1/%2524(x)'],
    ['postgres://a%3Ab/x', 'postgres://me@a%3Ab:5432/x'],
    ['postgres:///x?host=/a%20b', 'postgres://me@/x?host=/a%20b&port=5432'],
  ])('%s is %s', (text, place) => {
    const address = parse(text);
    expect(placeOf(address)).toBe(place);
  });

  test('is read back as the same place', () => {
    const part = fc.string({ minLength: 1, unit: 'binary' }).filter((text) => {
      try {
        return parse(`postgres://${encodeURIComponent(text)}@db/x`).user === text;
      } catch {
        return false;
      }
    });
    fc.assert(
      fc.property(part, part, fc.constantFrom('db', '[::1]', ''), (user, database, host) => {
        const text = `postgres://${encodeURIComponent(user)}@${host}/${encodeURIComponent(database)}`;
        const place = placeOf(parse(text));
        expect(place).toMatch(/^[!-~]+$/u);
        expect(open(parse(place))).toEqual(open(parse(text)));
      }),
    );
  });
});

describe('a password', () => {
  test.each([
    'postgres://u:zq7ary@db/x',
    'postgres://:zq7ary@db/x',
    'postgresql://u:zq7ary@db/x',
    'postgres:u:zq7ary@db/x',
    'postgres://u:zq7/ary@db/x',
    'postgres://u:zq7?ary@db/x',
    'postgres://u:zq7@ary@db/x',
    'postgres://db/x?password=zq7ary',
    'postgres://db/x?schema=a&Password=zq7ary',
    'mysql://u:zq7ary@db/x',
  ])('in --journal is refused: %s', async (text) => {
    expect(showsPassword(text)).toBe(true);
    const failure = await failureOf(() => parse(text, {}, '--journal'));
    expect(failure.message).toContain('--journal contains a password');
    expect(wordsOf(failure)).not.toMatch(/zq7|ary@/u);
  });

  test.each([
    'postgres://u@db/x',
    'postgres://u:@db/x',
    'postgres://db:5432/x',
    'postgres://u@[::1]:1/x',
    'C:\\j@b.db',
    '/srv/a:b@c.db',
  ])('is not seen in %s', (text) => {
    expect(showsPassword(text)).toBe(false);
  });

  const hex = fc.stringMatching(/^[0-9a-f]{16}$/u);
  const special = fc.constantFrom('', '%2', '%40', ...'@:/?#%&=,[ \n\0é\u202e');
  const secret = fc.record({ first: hex, middle: special, last: hex });

  test('never appears in what is thrown, printed or serialised', async () => {
    await fc.assert(
      fc.asyncProperty(
        secret,
        fc.constantFrom('u', '', 'a%20b'),
        fc.constantFrom('db', 'db:99999', '[::1]', 'a,b', '[x', 'db:1', ''),
        fc.constantFrom('/x', '', '/x/y', '/%zz', '/x?nope=1', '/x?schema=A', '/x?sslmode=prefer', '/x#y'),
        fc.constantFrom<UrlSource>('--journal', 'BOTCTL_JOURNAL'),
        fc.boolean(),
        async ({ first, middle, last }, user, host, rest, source, isSpelledOut) => {
          const password = `${first}${middle}${last}`;
          const written = isSpelledOut ? encodeURIComponent(password) : password;
          const text = `postgres://${user}:${written}@${host}${rest}`;
          for (const shown of await everythingShown(text, source)) {
            expect(shown).not.toContain(first);
            expect(shown).not.toContain(last);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  async function everythingShown(text: string, source: UrlSource): Promise<string[]> {
    try {
      const address = parse(text, {}, source);
      const deep = { showHidden: true, depth: null, getters: true };
      return [placeOf(address), JSON.stringify(address), String(address.password), inspect(address, deep)];
    } catch (thrown) {
      const failure = await failureOf(() => {
        throw thrown;
      });
      return [wordsOf(failure), inspect(failure, { showHidden: true, depth: null })];
    }
  }
});

describe('the URL for another role', () => {
  test.each([
    'postgres://bots:secret@db.example.com:6432/ledger?schema=team_a',
    'postgres://bots@db/ledger?sslmode=require',
    'postgres://bots@db/ledger?sslmode=disable',
    'postgres://bots@127.0.0.1/ledger',
    'postgres://bots@127.0.0.1/ledger?sslmode=verify-full',
    'postgres:///ledger?host=/var/run/postgresql',
    'postgres://bots@db/ledger?options=endpoint%3Dep-1',
  ])('leads to the same place as %s, with nobody’s password', (text) => {
    const given = parse(text);
    const url = urlFor(given, 'own er');
    expect(open(parse(url))).toEqual({ ...open(given), user: 'own er', password: undefined });
    expect(url).not.toContain('secret');
  });
});
