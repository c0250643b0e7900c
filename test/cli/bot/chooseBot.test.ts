import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type BotOptions, botOfProfile, chooseBot, knownByName } from '../../../src/cli/bot/chooseBot.ts';
import { failureOf, wordsOf } from '../../support/failure.ts';
import { Home } from '../../support/home.ts';

let home: Home;
beforeEach(() => {
  home = new Home();
});
afterEach(() => home.remove());

const prodUrl = 'https://bots.example.com/v2';

function profiles(inUse?: string): void {
  const stored = (secret: string) => ({ kind: 'stored', secret });
  home.writeConfig({
    version: 1,
    ...(inUse === undefined ? {} : { 'in-use': inUse }),
    profiles: {
      prod: { 'base-url': prodUrl, token: stored('token-of-prod'), timeout: '10m' },
      stage: { 'base-url': 'https://stage.example.com', token: stored('token-of-stage') },
    },
  });
}

function inputs(env: Record<string, string> = {}, stdin = '') {
  return {
    env: { ...home.env, ...env },
    stdin: Readable.from(stdin === '' ? [] : [Buffer.from(stdin)]),
    interrupts: { first: new AbortController().signal },
    display: { warn: () => {} },
  };
}

async function tokenOf(options: BotOptions, env: Record<string, string> = {}, stdin = ''): Promise<string> {
  return (await chooseBot(options, inputs(env, stdin))).token.reveal();
}

describe('whose token is used: first found wins', () => {
  const everything = {
    BOTCTL_TOKEN: 'token-of-env',
    BOTCTL_PROFILE: 'stage',
  };
  const anywhere = { BOTCTL_BASE_URL: 'https://bots.example.com' };

  test('--token-file before all else', async () => {
    profiles('prod');
    const file = join(home.path, 'token');
    writeFileSync(file, 'token-of-file\n');
    expect(await tokenOf({ tokenFile: file }, { ...everything, ...anywhere })).toBe('token-of-file');
    expect(await tokenOf({ tokenFile: '-' }, { ...everything, ...anywhere }, 'from-stdin\r\n')).toBe(
      'from-stdin',
    );
  });

  test('then the profile that --profile names', async () => {
    profiles('stage');
    expect(await tokenOf({ profile: 'prod' }, everything)).toBe('token-of-prod');
  });

  test('then BOTCTL_TOKEN', async () => {
    profiles('prod');
    const bot = await chooseBot({}, inputs({ ...everything, ...anywhere }));
    expect(bot.token.reveal()).toBe('token-of-env');
    expect(bot).toMatchObject({
      name: 'env',
      baseUrl: 'https://bots.example.com',
      tokenSource: 'the variable BOTCTL_TOKEN',
      settings: {},
    });
  });

  test('then the profile that BOTCTL_PROFILE names', async () => {
    profiles('prod');
    expect(await tokenOf({}, { BOTCTL_PROFILE: 'stage' })).toBe('token-of-stage');
  });

  test('then the profile in use, with its settings', async () => {
    profiles('prod');
    const bot = await chooseBot({}, inputs());
    expect(bot).toMatchObject({
      name: 'prod',
      baseUrl: prodUrl,
      tokenSource: 'profile prod: stored in the profile',
      settings: { timeoutMs: 600_000 },
    });
  });

  test('nothing found says how to begin', async () => {
    const none = await failureOf(() => chooseBot({}, inputs()));
    expect(none.code).toBe('no-token');
    expect(wordsOf(none)).toMatch(/config add/u);
  });
});

describe('where a token may go', () => {
  test('a token that is no profile’s needs a base URL, and --base-url outranks BOTCTL_BASE_URL', async () => {
    profiles('prod');
    const lost = await failureOf(() => chooseBot({}, inputs({ BOTCTL_TOKEN: 'token-of-env' })));
    expect(lost.code).toBe('base-url');
    expect(wordsOf(lost)).toMatch(/--base-url.*BOTCTL_BASE_URL/u);
    const bot = await chooseBot(
      { baseUrl: 'https://a.example.com/' },
      inputs({ BOTCTL_TOKEN: 'token-of-env', BOTCTL_BASE_URL: 'https://b.example.com' }),
    );
    expect(bot.baseUrl).toBe('https://a.example.com');
  });

  test.each([
    { by: '--base-url', options: { baseUrl: 'https://evil.example.com' }, env: {} },
    { by: 'BOTCTL_BASE_URL', options: {}, env: { BOTCTL_BASE_URL: 'https://evil.example.com' } },
    { by: '--base-url', options: { baseUrl: 'https://bots.example.com:8443/v2' }, env: {} },
    { by: '--base-url', options: { baseUrl: 'https://bots.example.com.evil.example' }, env: {} },
    { by: '--base-url', options: { baseUrl: 'http://127.0.0.1:4444' }, env: {} },
    { by: '--base-url', options: { baseUrl: 'https://bots.example.com' }, env: {} },
    { by: '--base-url', options: { baseUrl: 'https://bots.example.com/V2' }, env: {} },
    { by: 'BOTCTL_BASE_URL', options: {}, env: { BOTCTL_BASE_URL: 'https://bots.example.com/v3' } },
  ])(
    '$by is refused beside a profile of another base URL: $options.baseUrl$env.BOTCTL_BASE_URL',
    async ({ by, options, env }) => {
      profiles('prod');
      for (const naming of [{}, { profile: 'prod' }]) {
        const failure = await failureOf(() => chooseBot({ ...options, ...naming }, inputs(env)));
        expect(failure.code).toBe('base-url');
        expect(failure.message).toMatch(
          new RegExp(`^${by} is .*, but the profile prod is for https://bots.example.com/v2`),
        );
        expect(wordsOf(failure)).not.toContain('token-of-prod');
      }
    },
  );

  test('the same base URL may be given in another spelling, and the profile’s own is used', async () => {
    profiles('prod');
    const bot = await chooseBot({ baseUrl: 'https://BOTS.example.com.:443/v2/' }, inputs());
    expect([bot.baseUrl, bot.spelledUrl]).toEqual([prodUrl, prodUrl]);
  });

  test('a base URL beside a profile is refused before its token is fetched', async () => {
    home.writeConfig({
      version: 1,
      'in-use': 'prod',
      profiles: { prod: { 'base-url': prodUrl, token: { kind: 'file', path: '/nonexistent' } } },
    });
    const failure = await failureOf(() => chooseBot({ baseUrl: 'https://stage.example.com' }, inputs()));
    expect(failure.code).toBe('base-url');
  });

  test.each(['ftp://x', 'http://bots.example.com', 'https://user:pw@bots.example.com', 'nonsense'])(
    'a base URL such as %s is refused before any token is read',
    async (baseUrl) => {
      const failure = await failureOf(() => chooseBot({ baseUrl, tokenFile: '/nonexistent' }, inputs()));
      expect(failure.code).toBe('base-url');
      expect(failure.message).toMatch(/^--base-url /u);
      expect(wordsOf(failure)).not.toContain('pw');
    },
  );
});

describe('what is given wrongly', () => {
  test('an empty BOTCTL_PROFILE is refused: it never means somebody else', async () => {
    profiles('prod');
    const failure = await failureOf(() => chooseBot({}, inputs({ BOTCTL_PROFILE: '' })));
    expect(failure).toMatchObject({ code: 'usage', message: expect.stringContaining('BOTCTL_PROFILE') });
  });

  test('a token beside a profile is refused: the profile’s policy would not apply to it', async () => {
    profiles('prod');
    const options = { profile: 'prod', tokenFile: '/nonexistent', baseUrl: prodUrl };
    const failure = await failureOf(() => chooseBot(options, inputs()));
    expect(failure.code).toBe('usage');
    expect(failure.message).toContain('--profile and --token-file are both given');
  });

  test('a profile that does not exist is named, and the ones that do', async () => {
    profiles('prod');
    for (const name of ['prid', 'constructor', '__proto__']) {
      const failure = await failureOf(() => chooseBot({ profile: name }, inputs()));
      expect(failure.code).toBe('no-such-profile');
      expect(wordsOf(failure)).toMatch(/prod and stage/u);
    }
    const sandbox = await failureOf(() => chooseBot({ profile: 'sandbox' }, inputs()));
    expect(wordsOf(sandbox)).toContain('--sandbox');
  });

  test('a token file that is missing, empty, of two lines or endless is refused without echo', async () => {
    const options = (tokenFile: string) => ({ tokenFile, baseUrl: prodUrl });
    const file = join(home.path, 'token');
    const attempt = (path: string) => failureOf(() => chooseBot(options(path), inputs()));
    expect((await attempt(file)).code).toBe('no-token');
    writeFileSync(file, '\n');
    expect((await attempt(file)).code).toBe('no-token');
    writeFileSync(file, 'canary-one\ncanary-two\n');
    const two = await attempt(file);
    expect(two.code).toBe('bad-token');
    expect(wordsOf(two)).not.toContain('canary');
    expect((await attempt('/dev/zero')).code).toBe('no-token');
    expect((await attempt(home.path)).code).toBe('no-token');
  });

  test('stdin that is a terminal is no token', async () => {
    const terminal = Object.assign(Readable.from([]), { isTTY: true });
    const failure = await failureOf(() =>
      chooseBot({ tokenFile: '-', baseUrl: prodUrl }, { ...inputs(), stdin: terminal }),
    );
    expect(failure.code).toBe('no-token');
  });

  test('an interrupt ends the wait for a token that never comes', async () => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 20);
    const silent = new Readable({ read: () => {} });
    const failure = await failureOf(() =>
      chooseBot(
        { tokenFile: '-', baseUrl: prodUrl },
        { ...inputs(), stdin: silent, interrupts: { first: stop.signal } },
      ),
    );
    expect(failure.code).toBe('interrupted');
  });
});

describe('the bot of the environment', () => {
  const env = { BOTCTL_TOKEN: 'token-of-env', BOTCTL_BASE_URL: prodUrl };
  const wallet = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';

  test('has a chain and a wallet, as a profile has', async () => {
    const chained = { ...env, BOTCTL_RPC_URL: 'https://node.example.com/?key=k', BOTCTL_WALLET: wallet };
    const { own, chain } = await chooseBot({}, inputs(chained));
    expect([own?.wallet, chain?.wallet]).toEqual([wallet, wallet]);
    expect((await chain?.rpcUrl())?.reveal()).toBe('https://node.example.com/?key=k');
    const known = await knownByName('env', inputs(chained));
    expect(known).toMatchObject({ name: 'env', chain: { wallet } });
  });

  test.each(['BOTCTL_RPC_URL', 'BOTCTL_WALLET'])('an empty %s is refused', async (name) => {
    const failure = await failureOf(() => chooseBot({}, inputs({ ...env, [name]: '' })));
    expect([failure.code, failure.message]).toEqual(['usage', expect.stringContaining(name)]);
  });

  test('has no need of a home folder', async () => {
    const homeless = { ...inputs(env), env: { ...env, HOME: '', XDG_CONFIG_HOME: '' } };
    expect((await chooseBot({}, homeless)).name).toBe('env');
  });
});

describe('the bot of an entry, found again', () => {
  test('is the profile at its own base URL, whatever is given now', async () => {
    profiles('stage');
    const bot = await botOfProfile('prod', inputs({ BOTCTL_BASE_URL: 'https://evil.example.com' }));
    expect(bot?.baseUrl).toBe(prodUrl);
    expect(bot?.token.reveal()).toBe('token-of-prod');
  });

  test('is nobody where the profile is gone', async () => {
    expect(await botOfProfile('prod', inputs())).toBeUndefined();
    profiles();
    expect(await botOfProfile('gone', inputs())).toBeUndefined();
  });
});
