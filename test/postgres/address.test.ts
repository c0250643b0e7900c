import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { showsPassword } from '../../src/once/journal/place.ts';
import {
  type Address,
  type Env,
  parseAddress,
  placeOf,
  type UrlSource,
  urlFor,
} from '../../src/postgres/address.ts';
import { failureOf, wordsOf } from '../../testing/failure.ts';

function parse(text: string, env: Env = {}, source: UrlSource = 'BOTCTL_JOURNAL'): Address {
  return parseAddress(text, source, env, () => 'me');
}

/** What can be compared: a password is behind a function. */
const open = ({ password, ...rest }: Address) => ({ ...rest, password: password() });

describe('what a URL says', () => {
  const whole = 'postgres://bots@db.example.com:6432/ledger?schema=team_a';

  test.each<[string, Partial<ReturnType<typeof open>>]>([
    [whole, { host: 'db.example.com', port: 6432, user: 'bots', database: 'ledger', schema: 'team_a' }],
    ['postgresql://db/x', { host: 'db', database: 'x' }],
    ['POSTGRES://db/x', { host: 'db', database: 'x' }],
    ['postgres://', { host: 'localhost', port: 5432, user: 'me', database: 'me', schema: 'botctl' }],
    ['postgres:///', { host: 'localhost', database: 'me' }],
    ['postgres://db', { host: 'db', database: 'me' }],
    ['postgres://db/', { database: 'me' }],
    ['postgres://db:/x', { port: 5432, database: 'x' }],
    ['postgres://bots@db', { user: 'bots', database: 'bots' }],
    ['postgres://@db/x', { user: 'me', database: 'x' }],
    ['postgres://:secret@db/x', { user: 'me' }],
    ['postgres://bots:@db/x', { user: 'bots', password: undefined }],
    ['postgres://b%40ts%2F@db/a%25b', { user: 'b@ts/', database: 'a%b' }],
    ['postgres://bött@db/é', { user: 'bött', database: 'é' }],
    ['postgres://db/a+b', { database: 'a+b' }],
    ['postgres://db/x?', { database: 'x' }],
    ['postgres://[fd00::1]/x', { host: 'fd00::1', port: 5432 }],
    ['postgres://me@[::1]:99/x', { host: '::1', port: 99 }],
    ['postgres:///x?host=/run/postgresql', { host: '/run/postgresql', database: 'x' }],
    ['postgres:///x?host=/tmp&port=5433', { host: '/tmp', port: 5433 }],
    ['postgres://db/x?port=5433', { host: 'db', port: 5433 }],
    ['postgres://db/x?port=65535', { port: 65_535 }],
    ['postgres://db/x?port=1', { port: 1 }],
    ['postgres://db/x', { tls: { mode: 'verify-full', root: undefined, client: undefined } }],
    ['postgres://bots@/x?host=/tmp', { host: '/tmp', user: 'bots', port: 5432 }],
    ['postgres://db/x?host=/tmp', { host: '/tmp' }],
    ['postgres://bots@%2Frun%2Fpostgresql:5433/x', { host: '/run/postgresql', port: 5433 }],
    ['postgres://db/x?connect_timeout=3', { connectTimeoutMs: 3_000 }],
    ['postgres://db/x', { connectTimeoutMs: undefined, applicationName: 'botctl' }],
    ['postgres://db/x?application_name=pay%20roll', { applicationName: 'pay roll' }],
  ])('%s', (text, expected) => {
    expect(open(parse(text))).toMatchObject(expected);
  });

  test('the password is decoded, and kept to itself', () => {
    const { password } = parse('postgres://bots:p%40ss%3A%2Fw%C3%B6rd@db/x');
    expect(password()).toBe('p@ss:/wörd');
  });
});

describe('libpq’s variables', () => {
  const env: Env = {
    PGHOST: 'other.example.com',
    PGPORT: '7000',
    PGUSER: 'someone',
    PGPASSWORD: 'from-the-variable',
    PGDATABASE: 'books',
    PGCONNECT_TIMEOUT: '7',
    PGAPPNAME: 'night-run',
    PGSSLMODE: 'verify-ca',
    PGSSLROOTCERT: '/ca.pem',
    PGSSLCERT: '/me.pem',
    PGSSLKEY: '/me.key',
  };

  test('say what the URL leaves out', () => {
    expect(open(parse('postgres://', env))).toEqual({
      host: 'other.example.com',
      port: 7000,
      user: 'someone',
      database: 'books',
      schema: 'botctl',
      tls: { mode: 'verify-ca', root: '/ca.pem', client: { cert: '/me.pem', key: '/me.key' } },
      options: undefined,
      connectTimeoutMs: 7_000,
      applicationName: 'night-run',
      password: 'from-the-variable',
    });
  });

  test('say nothing where the URL does', () => {
    const text =
      'postgres://bots:mine@db:6432/ledger?sslmode=verify-full&sslrootcert=/own.pem&sslcert=/a&sslkey=/b&connect_timeout=3&application_name=x';
    expect(open(parse(text, env))).toEqual({
      host: 'db',
      port: 6432,
      user: 'bots',
      database: 'ledger',
      schema: 'botctl',
      tls: { mode: 'verify-full', root: '/own.pem', client: { cert: '/a', key: '/b' } },
      options: undefined,
      connectTimeoutMs: 3_000,
      applicationName: 'x',
      password: 'mine',
    });
  });

  test('count as unset where they are empty', () => {
    const empty = Object.fromEntries(Object.keys(env).map((name) => [name, '']));
    expect(open(parse('postgres://db', { ...empty, PGSERVICE: '' }))).toEqual(open(parse('postgres://db')));
  });

  test('a folder in the URL outranks PGHOST', () => {
    expect(parse('postgres:///x', { PGHOST: '/run/postgresql' }).host).toBe('/run/postgresql');
    expect(parse('postgres:///x?host=/tmp', env).host).toBe('/tmp');
  });

  test.each([
    ...['PGSERVICE', 'PGHOSTADDR', 'PGOPTIONS', 'PGREPLICATION', 'PGBINARY'],
    ...['PGTARGETSESSIONATTRS', 'PGCHANNELBINDING'],
  ])('%s is refused, not passed over', async (variable) => {
    const { message, details } = await failureOf(() => parse('postgres://db/x', { [variable]: 'anything' }));
    expect(message).toContain(`${variable} is set, but botctl does not use it`);
    expect(details.hint).toContain(`Unset ${variable}`);
  });

  test.each<[Env, string]>([
    [{ PGHOST: 'a,b' }, 'PGHOST names several hosts'],
    [{ PGPORT: '5432,5433' }, 'PGPORT is not a whole number'],
    [{ PGPORT: '65536' }, 'PGPORT is not a whole number'],
    [{ PGUSER: 'a\u200bb' }, 'PGUSER has U+200B'],
    [{ PGDATABASE: 'a\n' }, 'PGDATABASE has U+000A'],
    [{ PGAPPNAME: '\u0007' }, 'PGAPPNAME has U+0007'],
    [{ PGCONNECT_TIMEOUT: '0' }, 'PGCONNECT_TIMEOUT is not a whole number of seconds'],
    [{ PGSSLMODE: 'prefer' }, 'PGSSLMODE may silently connect without TLS'],
    [{ PGSSLMODE: 'on' }, 'PGSSLMODE is not a known value'],
    [{ PGSSLROOTCERT: 'ca.pem' }, 'PGSSLROOTCERT is not a whole path'],
    [{ PGSSLCERT: '/me.pem' }, 'certificate is given without sslkey'],
    [{ PGSSLKEY: '/me.key' }, 'key is given without sslcert'],
  ])('%j is refused by its name', async (env, problem) => {
    const url = env.PGHOST === undefined ? 'postgres://db.example.com' : 'postgres://';
    expect((await failureOf(() => parse(url, env))).message).toContain(problem);
  });
});

describe('what is refused', () => {
  test.each([
    ['mysql://db/x', 'is a URL, but not a postgres:// one'],
    ['postgres:/db/x', 'not a postgres:// one'],
    ['postgres://db/x y', 'a space, a line break or a control character at position 16'],
    ['postgres://db/x\n', 'at position 16'],
    ['postgres://db/\u0000', 'at position 15'],
    ['postgres://a,b/x', 'names several hosts'],
    ['postgres://a:1,b:2/x', 'names several hosts'],
    ['postgres://a%2Cb/x', 'names several hosts'],
    ['postgres:///x?host=/a,/b', 'names several hosts'],
    ['postgres://db:0/x', 'The port in BOTCTL_JOURNAL is not a whole number from 1 to 65535'],
    ['postgres://db:65536/x', 'has a host or a port that cannot be read'],
    ['postgres://db:-1/x', 'has a host or a port that cannot be read'],
    ['postgres://db:5432a/x', 'has a host or a port that cannot be read'],
    ['postgres://::1/x', 'has a host or a port that cannot be read'],
    ['postgres://[]/x', 'has a host or a port that cannot be read'],
    ['postgres://[::1/x', 'has a host or a port that cannot be read'],
    ['postgres://[db]/x', 'has a host or a port that cannot be read'],
    ['postgres://[fe80::1%25eth0]/x', 'has a host or a port that cannot be read'],
    ['postgres://@abstract/x?host=@a', 'has one of @ / ? # in the wrong place'],
    ['postgres://db/%zz', 'has a % that is not followed'],
    ['postgres://db/%ff', 'has a % that is not followed'],
    ['postgres://u:%@db/x', 'has a % that is not followed'],
    ['postgres://a%E2%80%8Bb@db/x', 'The user in BOTCTL_JOURNAL has U+200B, which is invisible'],
    ['postgres://db/a%07b', 'The database in BOTCTL_JOURNAL has U+0007'],
    ['postgres://db/x#y', 'has one of @ / ? # in the wrong place'],
    ['postgres://u:p@ss@db/x', 'has one of @ / ? # in the wrong place'],
    ['postgres://u:p/ss@db/x', 'has one of @ / ? # in the wrong place'],
    ['postgres://u:p?ss@db/x', 'has one of @ / ? # in the wrong place'],
    ['postgres://a%0Ab/x', 'The host in BOTCTL_JOURNAL has U+000A'],
    ['postgres://db/x?schema', 'schema in BOTCTL_JOURNAL cannot be the name of a schema'],
    ['postgres://db/x?sslmode=', 'sslmode in BOTCTL_JOURNAL is not a known value'],
    ['postgres://db/x?sslrootcert=', 'sslrootcert in BOTCTL_JOURNAL is not a whole path'],
    ['postgres://db/x?schema=a&schema=a', 'has the parameter schema twice'],
    [
      'postgres://db/x?keepalives_interval=1&passfile=/x&gssencmode=disable&schema=a',
      'has the parameters keepalives_interval, passfile, and gssencmode, which botctl does not accept',
    ],
    ['postgres:///x?host=/tmp&port=0', 'port in BOTCTL_JOURNAL is not a whole number from 1 to 65535'],
    ['postgres://db/x?channel_binding=require', 'has the parameter channel_binding, which'],
    ['postgres://db/x?target_session_attrs=any', 'has the parameter target_session_attrs, which'],
    ['postgres://db/x?options=-c%20synchronous_commit%3Doff', 'settings (-c) are not accepted'],
    ['postgres://db/x?options=endpoint%3Da%20-csearch_path%3Db', 'settings (-c) are not accepted'],
    ['postgres://db/x?options=--cluster%3Da', 'settings (-c) are not accepted'],
    ['postgres://db/x?password=canary', 'has the parameter password, which'],
    ['postgres://db/x?Schema=a', 'has the parameter Schema, which'],
    ['postgres://db/x?a%20b=1', 'has a parameter, which botctl does not accept'],
    [
      'postgres://db/x?connect_timeout=0',
      'connect_timeout in BOTCTL_JOURNAL is not a whole number of seconds',
    ],
    ['postgres://db/x?connect_timeout=601', 'not a whole number of seconds'],
    ['postgres://db/x?connect_timeout=1.5', 'not a whole number of seconds'],
    ['postgres://db/x?application_name=%00', 'application_name in BOTCTL_JOURNAL has U+0000'],
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
      expect(failure.message).toMatch(/be the name of a schema/u);
    },
  );

  test.each(['a', '_', 'team_1', 'public', 'pgx', 'a'.repeat(63)])('not the schema %j', (schema) => {
    expect(parse(`postgres://db/x?schema=${schema}`).schema).toBe(schema);
  });
});

describe('sslmode', () => {
  const ca = '&sslrootcert=/ca.pem';
  const refused = 'refused';

  test.each([
    // sslmode, and its mode by a socket, over loopback and over a network
    ['', 'disable', 'disable', 'verify-full'],
    [ca, 'disable', 'verify-full', 'verify-full'],
    ['&sslmode=disable', 'disable', 'disable', 'disable'],
    ['&sslmode=allow', 'disable', 'disable', refused],
    ['&sslmode=prefer', 'disable', 'disable', refused],
    [`&sslmode=prefer${ca}`, 'disable', 'disable', refused],
    ['&sslmode=require', 'disable', 'require', 'require'],
    [`&sslmode=require${ca}`, 'disable', 'verify-ca', 'verify-ca'],
    ['&sslmode=require&sslrootcert=system', 'disable', refused, refused],
    ['&sslmode=verify-ca', 'disable', refused, refused],
    ['&sslmode=verify-ca&sslrootcert=system', 'disable', refused, refused],
    [`&sslmode=verify-ca${ca}`, 'disable', 'verify-ca', 'verify-ca'],
    ['&sslmode=verify-full', 'disable', 'verify-full', 'verify-full'],
    ['&sslmode=verify-full&sslrootcert=system', 'disable', 'verify-full', 'verify-full'],
    ['&sslmode=no-verify', refused, refused, refused],
    ['&sslmode=VERIFY-FULL', refused, refused, refused],
    ['&sslmode=constructor', refused, refused, refused],
  ])('%s', async (query, ...expected) => {
    const urls = [
      'postgres:///x?host=/tmp',
      'postgres://127.0.0.1/x?schema=a',
      'postgres://db.example.com/x?schema=a',
    ];
    for (const [nth, url] of urls.entries()) {
      const text = `${url}${query}`;
      if (expected[nth] === refused) expect((await failureOf(() => parse(text))).code).toBe('usage');
      else expect(parse(text).tls.mode).toBe(expected[nth]);
    }
  });

  test.each(['localhost', 'LocalHost', '127.0.0.1', '127.9.9.9', '[::1]', '[0:0:0:0:0:0:0:1]'])(
    '%s is this machine',
    (host) => {
      expect(parse(`postgres://${host}/x`).tls.mode).toBe('disable');
    },
  );

  test.each([
    'localhost.example.com',
    '127.1',
    '0.0.0.0',
    '[::]',
    '[fd00::1]',
    '128.0.0.1',
    'db',
    '127.0.0.1.evil.com',
    '0%3A1',
  ])('%s is not', (host) => {
    expect(parse(`postgres://${host}/x`).tls.mode).toBe('verify-full');
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

describe('its URL for another role', () => {
  test.each([
    ['postgres://db/x', ''],
    ['postgres://localhost/x', ''],
    ['postgres://localhost/x?sslmode=verify-full', '?sslmode=verify-full'],
    ['postgres://db/x?sslmode=disable', '?sslmode=disable'],
    ['postgres://db/x?sslrootcert=/a%20b.pem', '?sslmode=verify-full&sslrootcert=/a%20b.pem'],
    ['postgres://db/x?options=endpoint%3Da', '?options=endpoint%3Da'],
  ])('of %s says how to verify the server, unless by default', (text, end) => {
    const address = parse(text);
    expect(urlFor(address, 'auditor')).toBe(`${placeOf({ ...address, user: 'auditor' })}${end}`);
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
  const special = fc.constantFrom(
    '',
    '@',
    ':',
    '/',
    '?',
    '#',
    '%',
    '%2',
    '&',
    '=',
    ',',
    '[',
    ' ',
    '\n',
    '\0',
    'é',
    '\u202e',
    '%40',
  );
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
      { numRuns: 2_000 },
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
    'postgres://bots@db/ledger?sslmode=verify-ca&sslrootcert=/etc/our%20ca.pem',
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
