import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Asked, resolveSpeaker, speakerOfProfile } from '../../src/profile/speaker.ts';
import { failureOf, wordsOf } from '../helpers/failure.ts';
import { Home } from '../helpers/home.ts';

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
      prod: { 'base-url': prodUrl, token: stored('token-of-prod'), 'key-age': '10m', retries: '2' },
      stage: { 'base-url': 'https://stage.example.com', token: stored('token-of-stage') },
    },
  });
}

function world(env: Record<string, string> = {}, stdin = '') {
  return {
    env: { ...home.env, ...env },
    stdin: Readable.from(stdin === '' ? [] : [Buffer.from(stdin)]),
    interrupted: new AbortController().signal,
  };
}

async function tokenOf(asked: Asked, env: Record<string, string> = {}, stdin = ''): Promise<string> {
  return (await resolveSpeaker(asked, world(env, stdin))).token.reveal();
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
    const asked = { tokenFile: file, profile: 'prod' };
    expect(await tokenOf(asked, { ...everything, ...anywhere })).toBe('token-of-file');
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
    const speaker = await resolveSpeaker({}, world({ ...everything, ...anywhere }));
    expect(speaker.token.reveal()).toBe('token-of-env');
    expect(speaker).toMatchObject({
      bot: 'env',
      baseUrl: 'https://bots.example.com',
      tokenSource: 'BOTCTL_TOKEN',
      settings: {},
    });
  });

  test('then the profile that BOTCTL_PROFILE names', async () => {
    profiles('prod');
    expect(await tokenOf({}, { BOTCTL_PROFILE: 'stage' })).toBe('token-of-stage');
  });

  test('then the profile in use, with its settings', async () => {
    profiles('prod');
    const speaker = await resolveSpeaker({}, world());
    expect(speaker).toMatchObject({
      bot: 'prod',
      baseUrl: prodUrl,
      tokenSource: 'profile prod: stored in the profile',
      settings: { keyAgeMs: 600_000, retries: 2 },
    });
  });

  test('nothing found says how to begin; profiles without one in use are named', async () => {
    const none = await failureOf(() => resolveSpeaker({}, world()));
    expect(none.code).toBe('no-token');
    expect(wordsOf(none)).toMatch(/nothing was sent.*config add/u);
    profiles();
    const unused = await failureOf(() => resolveSpeaker({}, world()));
    expect(unused.code).toBe('no-token');
    expect(wordsOf(unused)).toMatch(/prod, stage.*config use/u);
  });
});

describe('where a token may go', () => {
  test('a token that is no profile’s needs a base URL, and --base-url outranks BOTCTL_BASE_URL', async () => {
    profiles('prod');
    const lost = await failureOf(() => resolveSpeaker({}, world({ BOTCTL_TOKEN: 'token-of-env' })));
    expect(lost.code).toBe('base-url');
    expect(wordsOf(lost)).toMatch(/nothing was sent.*--base-url.*BOTCTL_BASE_URL/u);
    const speaker = await resolveSpeaker(
      { baseUrl: 'https://a.example.com/' },
      world({ BOTCTL_TOKEN: 'token-of-env', BOTCTL_BASE_URL: 'https://b.example.com' }),
    );
    expect(speaker.baseUrl).toBe('https://a.example.com');
  });

  test.each([
    { by: '--base-url', asked: { baseUrl: 'https://evil.example.com' }, env: {} },
    { by: 'BOTCTL_BASE_URL', asked: {}, env: { BOTCTL_BASE_URL: 'https://evil.example.com' } },
    { by: '--base-url', asked: { baseUrl: 'https://bots.example.com:8443/v2' }, env: {} },
    { by: '--base-url', asked: { baseUrl: 'https://bots.example.com.evil.example' }, env: {} },
    { by: '--base-url', asked: { baseUrl: 'http://127.0.0.1:4444' }, env: {} },
  ])('$by never leads a profile’s token to another origin', async ({ by, asked, env }) => {
    profiles('prod');
    for (const naming of [{}, { profile: 'prod' }]) {
      const failure = await failureOf(() => resolveSpeaker({ ...asked, ...naming }, world(env)));
      expect(failure.code).toBe('base-url');
      expect(failure.message).toMatch(
        new RegExp(`^${by} is .*belongs to https://bots.example.com;.*nothing`),
      );
      expect(wordsOf(failure)).not.toContain('token-of-prod');
    }
  });

  test('the same origin may be given with another path', async () => {
    profiles('prod');
    const speaker = await resolveSpeaker({ baseUrl: 'https://BOTS.example.com:443/v3/' }, world());
    expect(speaker.baseUrl).toBe('https://bots.example.com/v3');
  });

  test.each(['ftp://x', 'http://bots.example.com', 'https://user:pw@bots.example.com', 'nonsense'])(
    'a base URL such as %s is refused before any token is read',
    async (baseUrl) => {
      const failure = await failureOf(() => resolveSpeaker({ baseUrl, tokenFile: '/nonexistent' }, world()));
      expect(failure.code).toBe('base-url');
      expect(failure.message).toMatch(/^--base-url: .*nothing was sent/u);
      expect(wordsOf(failure)).not.toContain('pw');
    },
  );
});

describe('what is given wrongly', () => {
  test.each([
    ['BOTCTL_TOKEN', 'no-token', {}, { BOTCTL_TOKEN: '', BOTCTL_BASE_URL: prodUrl }],
    ['BOTCTL_PROFILE', 'usage', {}, { BOTCTL_PROFILE: '' }],
    ['BOTCTL_BASE_URL', 'usage', {}, { BOTCTL_TOKEN: 'token-of-env', BOTCTL_BASE_URL: '' }],
    ['--profile', 'usage', { profile: '' }, {}],
    ['--token-file', 'usage', { tokenFile: '' }, {}],
    ['--base-url', 'usage', { baseUrl: '' }, {}],
  ] as const)('an empty %s is refused: it never means somebody else', async (name, code, asked, env) => {
    profiles('prod');
    const failure = await failureOf(() => resolveSpeaker(asked, world(env)));
    expect(failure.code).toBe(code);
    expect(failure.message).toContain(name);
    expect(failure.message).toContain('nothing was sent');
  });

  test('a profile that does not exist is named, and the ones that do', async () => {
    profiles('prod');
    for (const name of ['prid', 'constructor', '__proto__']) {
      const failure = await failureOf(() => resolveSpeaker({ profile: name }, world()));
      expect(failure.code).toBe('no-such-profile');
      expect(wordsOf(failure)).toMatch(/nothing was sent or changed.*prod, stage/u);
    }
    const sandbox = await failureOf(() => resolveSpeaker({ profile: 'sandbox' }, world()));
    expect(wordsOf(sandbox)).toContain('--sandbox');
  });

  test('a token file that is missing, empty, of two lines or endless is refused without echo', async () => {
    const asked = (tokenFile: string) => ({ tokenFile, baseUrl: prodUrl });
    const file = join(home.path, 'token');
    const attempt = (path: string) => failureOf(() => resolveSpeaker(asked(path), world()));
    expect((await attempt(file)).code).toBe('no-token');
    writeFileSync(file, '\n');
    expect((await attempt(file)).code).toBe('no-token');
    writeFileSync(file, 'canary-one\ncanary-two\n');
    const two = await attempt(file);
    expect(two.code).toBe('bad-token');
    expect(wordsOf(two)).not.toContain('canary');
    expect((await attempt('/dev/zero')).code).toBe('bad-token');
    expect((await attempt(home.path)).code).toBe('no-token');
  });

  test('stdin that is a terminal is no token', async () => {
    const terminal = Object.assign(Readable.from([]), { isTTY: true });
    const failure = await failureOf(() =>
      resolveSpeaker({ tokenFile: '-', baseUrl: prodUrl }, { ...world(), stdin: terminal }),
    );
    expect(failure.code).toBe('no-token');
  });

  test('an interrupt ends the wait for a token that never comes', async () => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 20);
    const silent = new Readable({ read: () => {} });
    const failure = await failureOf(() =>
      resolveSpeaker(
        { tokenFile: '-', baseUrl: prodUrl },
        { env: home.env, stdin: silent, interrupted: stop.signal },
      ),
    );
    expect(failure.code).toBe('interrupted');
  });
});

describe('the speaker of an intent’s bot', () => {
  test('is the profile at its own base URL, whatever is given now', async () => {
    profiles('stage');
    const speaker = await speakerOfProfile('prod', world({ BOTCTL_BASE_URL: 'https://evil.example.com' }));
    expect(speaker?.baseUrl).toBe(prodUrl);
    expect(speaker?.token.reveal()).toBe('token-of-prod');
  });

  test('is nobody where the profile is gone', async () => {
    expect(await speakerOfProfile('prod', world())).toBeUndefined();
    profiles();
    expect(await speakerOfProfile('gone', world())).toBeUndefined();
  });
});
