import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Home } from '../../support/home.ts';
import { runMain, type Setting } from '../../support/inProcess.ts';

const mint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const secret = 'canary-token-0123456789-abcdefgh';

let home: Home;
beforeEach(() => {
  home = new Home();
});
afterEach(() => home.remove());

function config(line: readonly string[], setting: Setting = {}) {
  return runMain(['config', ...line], { ...setting, env: { ...home.env, ...setting.env } });
}

async function json(line: readonly string[], setting: Setting = {}): Promise<Record<string, unknown>[]> {
  const { stdout } = await config([...line, '--json'], setting);
  return stdout
    .trim()
    .split('\n')
    .filter((text) => text !== '')
    .map((text) => JSON.parse(text));
}

async function addProd(): Promise<void> {
  const line = ['add', 'prod', '--base-url', 'https://bots.example.com', '--token-stdin'];
  expect(await config(line, { stdin: `${secret}\n` })).toMatchObject({ code: 0 });
}

/** Refused with the code and the words, and the file as it was. */
async function refused(
  line: readonly string[],
  code: string,
  words: RegExp,
  setting: Setting = {},
): Promise<void> {
  const before = existsSync(home.configFile) ? readFileSync(home.configFile, 'utf8') : undefined;
  const ran = await config([...line, '--json'], setting);
  const { error } = JSON.parse(ran.stdout);
  expect(error.code).toBe(code);
  expect([error.message, error.hint, ...(error.next ?? [])].join(' ')).toMatch(words);
  expect(ran.stdout + ran.stderr).not.toContain('canary');
  expect(existsSync(home.configFile) ? readFileSync(home.configFile, 'utf8') : undefined).toBe(before);
}

describe('config add', () => {
  test('warns of a token that is too short to be recognised in a reply', async () => {
    const line = ['add', 'prod', '--base-url', 'https://bots.example.com', '--token-stdin'];
    const short = await config(line, { stdin: 'seven77\n' });
    expect(short).toMatchObject({ code: 0 });
    expect(short.stderr).toContain('shorter than 8 characters');
    expect(short.stderr).not.toContain('seven77');
    const changed = await config(['set', 'prod', 'token', '--token-stdin'], { stdin: 'six666\n' });
    expect(changed.stderr).toContain('shorter than 8 characters');
    const long = await config(['set', 'prod', 'token', '--token-stdin'], { stdin: 'eight888\n' });
    expect(long).toMatchObject({ code: 0, stderr: '' });
  });

  test('notes a variable, a file or a command, and keeps the token out', async () => {
    const base = ['--base-url', 'http://127.0.0.1:8080/'];
    await config(['add', 'a', ...base, '--token-env', 'BOT_TOKEN', '--timeout', '5s', '--max-wait=0s'], {
      env: { BOT_TOKEN: secret },
    });
    await config(['add', 'b', ...base, '--token-file', 'token.txt', '--max-wait', '2m', '--use']);
    await config(['add', 'c', ...base, '--token-command', "op read 'op://My Vault/bot'"]);
    expect(home.readConfig()).toEqual({
      version: 1,
      'in-use': 'b',
      profiles: {
        a: {
          'base-url': 'http://127.0.0.1:8080',
          token: { kind: 'env', variable: 'BOT_TOKEN' },
          timeout: '5s',
          'max-wait': '0s',
        },
        b: {
          'base-url': 'http://127.0.0.1:8080',
          token: { kind: 'file', path: join(process.cwd(), 'token.txt') },
          'max-wait': '2m',
        },
        c: {
          'base-url': 'http://127.0.0.1:8080',
          token: { kind: 'command', command: "op read 'op://My Vault/bot'" },
        },
      },
    });
  });

  test('keeps a policy and the chain', async () => {
    const line = ['add', 'prod', '--base-url', 'https://bots.example.com', '--token-env', 'T'];
    const chain = [
      '--rpc-url',
      'https://node.example.com',
      '--assets',
      `USDC=${mint}`,
      '--cluster',
      'devnet',
    ];
    const { code, stderr } = await config([...line, ...chain, '--policy', 'policy.json']);
    expect(code).toBe(0);
    expect(stderr).toContain('cannot send anything');
    expect(home.readConfig()).toMatchObject({
      profiles: {
        prod: {
          policy: join(process.cwd(), 'policy.json'),
          'rpc-url': { kind: 'stored', secret: 'https://node.example.com' },
          cluster: 'devnet',
          assets: { USDC: mint },
        },
      },
    });
  });

  const to = (name: string, ...rest: string[]) => [
    'add',
    name,
    '--base-url',
    'https://x.example.com',
    ...rest,
  ];

  test.each([
    [['add', 'x', '--token-env', 'T'], 'usage', /needs --base-url/u],
    [
      ['add', 'x', '--base-url', 'https://a:canary@x.example.com', '--token-env', 'T'],
      'base-url',
      /user name or a password/u,
    ],
    [to('sandbox', '--token-env', 'T'), 'bad-input', /--sandbox/u],
    [to('-x', '--token-env', 'T'), 'usage', /Unknown option|Missing/u],
    [to('__proto__', '--token-env', 'T'), 'bad-input', /letters, digits/u],
    [to('a'.repeat(65), '--token-env', 'T'), 'bad-input', /64 characters/u],
    [to('x', '--token-env', ''), 'bad-input', /not a variable name/u],
    [to('x', '--token-file', ''), 'bad-input', /use --token-stdin/u],
    [to('x', '--token-file', '-', '--token-env', 'T'), 'usage', /--token-stdin and --token-env are both/u],
    [to('x', '--token-command', "op 'read"), 'bad-input', /unclosed quote/u],
    [to('x', '--token-env', 'T', '--timeout', '0s'), 'bad-input', /The timeout of profile x/u],
    [to('x', '--token-env', 'T', '--assets', 'USDC'), 'bad-input', /joined by one =/u],
    [
      to('x', '--token-env', 'T', '--assets', `USDC=${mint}`, '--assets', `USDC=${mint}`),
      'bad-input',
      /twice/u,
    ],
    [to('x', '--token-env', 'T', '--assets', 'USDC=x'), 'bad-input', /base58/u],
    [['add', 'x', '--sandbox', '--base-url', 'http://127.0.0.1:9'], 'sandbox-unavailable', /botctl sandbox/u],
  ])('%j is refused and changes nothing', async (line, code, words) => {
    await addProd();
    await refused(line, code, words);
  });

  test('the value of a variable in the place of its name is not echoed', async () => {
    const value = 'canary_value_that_could_be_a_name';
    await refused(to('x', '--token-env', value), 'bad-input', /--token-env BOT_TOKEN/u, {
      env: { BOT_TOKEN: value },
    });
  });
});

describe('config list and show', () => {
  test('say where the token comes from, and its last four characters at most', async () => {
    await addProd();
    await config([
      'add',
      'ci',
      '--base-url',
      'https://ci.example.com',
      '--token-env',
      'T',
      '--timeout',
      '5s',
    ]);
    for (const face of [[], ['--quiet'], ['--json'], ['--verbose']]) {
      for (const command of [['list'], ['show', 'prod'], ['show', 'ci']]) {
        const { code, stdout, stderr } = await config([...command, ...face], { env: { T: secret } });
        expect(code).toBe(0);
        expect(stdout + stderr).not.toContain(secret.slice(0, -4));
      }
    }
    expect(await json(['list'], { env: { T: secret } })).toMatchObject([
      { profile: { name: 'prod', in_use: true, token: { source: 'stored', ending: 'efgh' } } },
      { profile: { name: 'ci', in_use: false, token: { source: 'env', ending: 'efgh' }, timeout: '5s' } },
    ]);
    expect((await config(['list', '--quiet'])).stdout).toBe('prod\nci\n');
  });

  test('show means who is named, else who is in use', async () => {
    await addProd();
    await config(['add', 'ci', '--base-url', 'https://ci.example.com', '--token-env', 'T']);
    const name = async (line: string[], env = {}) =>
      (await config([...line, '--quiet'], { env })).stdout.trim();
    expect(await name(['show'])).toBe('prod');
    expect(await name(['show', 'ci'])).toBe('ci');
    expect(await name(['show', '--profile', 'ci'])).toBe('ci');
    expect(await name(['show'], { BOTCTL_PROFILE: 'ci' })).toBe('ci');
  });
});

describe('config use, set, unset, remove, path', () => {
  beforeEach(async () => {
    await addProd();
    await config(['add', 'ci', '--base-url', 'https://ci.example.com', '--token-env', 'T']);
  });

  test('use chooses, and says what outranks it', async () => {
    const { code, stderr } = await config(['use', 'ci'], { env: { BOTCTL_PROFILE: 'prod' } });
    expect(code).toBe(0);
    expect(stderr).toContain('BOTCTL_PROFILE');
    expect(home.readConfig()).toMatchObject({ 'in-use': 'ci' });
  });

  test('set token changes the secret or its source', async () => {
    await config(['set', 'prod', 'token', '--token-stdin'], { stdin: 'another-token' });
    expect(home.readConfig()).toMatchObject({
      profiles: { prod: { token: { kind: 'stored', secret: 'another-token' } } },
    });
    await config(['set', 'prod', 'token', '--token-command', 'pass bot']);
    expect(readFileSync(home.configFile, 'utf8')).not.toContain('another-token');
  });

  test('another origin needs the token again', async () => {
    const move = ['set', 'prod', 'base-url', 'https://bots.example.net'];
    await refused(move, 'base-url', /is never sent elsewhere.*--token-stdin/u);
    await refused(
      ['set', 'prod', 'base-url', 'https://bots.example.com:444'],
      'base-url',
      /never sent elsewhere/u,
    );
    await refused(['set', 'prod', 'base-url', 'http://127.0.0.1'], 'base-url', /never sent elsewhere/u);
    await config([...move, '--token-env', 'NEW']);
    expect(home.readConfig()).toMatchObject({
      profiles: { prod: { 'base-url': 'https://bots.example.net', token: { kind: 'env', variable: 'NEW' } } },
    });
  });

  test('remove takes the token with it, and leaves nobody in use', async () => {
    const [removed] = await json(['remove', 'prod', '--yes']);
    expect(removed).toMatchObject({ command: 'config remove', removed: { name: 'prod' } });
    expect(readFileSync(home.configFile, 'utf8')).not.toContain('canary');
    expect(home.readConfig()).toEqual({
      version: 1,
      profiles: { ci: { 'base-url': 'https://ci.example.com', token: { kind: 'env', variable: 'T' } } },
    });
  });

  test.each([
    [['set', 'nobody', 'timeout', '5s'], 'no-such-profile', /prod and ci/u],
    [['set', 'prod', 'timeout', '600h'], 'bad-input', /too long/u],
    [['set', 'prod', 'timeout', '5s', '--token-env', 'T'], 'usage', /together with timeout/u],
    [['set', 'prod', 'token'], 'usage', /no terminal/u],
    [['set', 'prod', 'base-url', 'nonsense'], 'base-url', /not a URL/u],
  ])('%j is refused and changes nothing', async (line, code, words) => {
    await refused(line, code, words);
  });
});
