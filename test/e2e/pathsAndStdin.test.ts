import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { botctlHere } from '../support/builtHere.ts';
import { Home } from '../support/home.ts';

const wallet = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';

let home: Home;
beforeEach(() => {
  home = new Home();
  home.writeConfig({
    version: 1,
    'in-use': 'prod',
    profiles: {
      prod: {
        'base-url': 'https://bots.example.com',
        token: { kind: 'stored', secret: 'canary-token-0123456789-abcdefgh' },
        wallet,
        'rpc-url': { kind: 'stored', secret: 'https://node.example.com/?key=canary' },
        assets: { USDC: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' },
      },
    },
  });
});
afterEach(() => home.remove());

async function run(argv: readonly string[], stdin = '') {
  return botctlHere(argv, { env: home.env, cwd: home.path, stdin });
}

describe('a path from where one stands', () => {
  test('is kept whole: a policy’s', async () => {
    writeFileSync(join(home.path, 'policy.json'), '{"schema":"botctl-policy/1"}', { mode: 0o600 });
    expect((await run(['config', 'set', 'prod', 'policy', 'policy.json'])).code).toBe(0);
    const { stdout } = await run(['config', 'show', 'prod', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ profile: { policy: join(home.path, 'policy.json') } });
  });
});

describe('a - is stdin', () => {
  const url = ['--base-url', 'http://127.0.0.1:9', '--token-file', 'token'] as const;
  const dry = ['--dry-run', '--json', ...url] as const;

  beforeEach(() => writeFileSync(join(home.path, 'token'), 'canary-token-0123456789-abcdefgh\n'));

  async function json(argv: readonly string[], stdin: string): Promise<Record<string, unknown>> {
    const { stdout } = await run(argv, stdin);
    return JSON.parse(stdout) as Record<string, unknown>;
  }

  test('for the content of a message', async () => {
    const said = await json(['send', '--conversation', 'c', '--content', '-', ...dry], 'From a pipe.\n');
    expect(said).toMatchObject({ entry: { request: { content: 'From a pipe.' } } });
  });

  test('for a template', async () => {
    writeFileSync(join(home.path, 'rows.csv'), 'id,conversation_id,who\n1,c,Ada\n');
    const batch = ['batch', 'send', 'rows.csv', '--once', 'b', '--template', '-', '--dry-run', ...url];
    expect(await run(batch, 'Hello {{who}}')).toMatchObject({ code: 0 });
    expect((await run(batch, 'Hello {{nobody}}')).stderr).toContain('nobody');
  });

  test('for a policy that is checked', async () => {
    const policy = '{"schema":"botctl-policy/1","limits":{"SOL":{"day":"20"}}}';
    expect(await run(['policy', 'check', '-'], policy)).toMatchObject({ code: 0 });
    const { code, stderr } = await run(['policy', 'check', '-'], policy.slice(0, -1));
    expect([code, stderr]).toEqual([2, expect.stringContaining('stdin')]);
  });

  test('for a token that is stored', async () => {
    const set = ['config', 'set', 'prod', 'token', '--token-file', '-'];
    expect((await run(set, 'canary-token-0123456789-ijklmnop\n')).code).toBe(0);
    expect(home.readConfig()).toMatchObject({
      profiles: { prod: { token: { kind: 'stored', secret: 'canary-token-0123456789-ijklmnop' } } },
    });
  });

  test.each([
    [
      ['send', '--conversation', 'c', '--content', '-', '--components', '-', ...url],
      '--content and --components',
    ],
    [['send', '--conversation', 'c', '--content', '-', '--token-file', '-'], '--token-file and --content'],
    [['transfer', '--payload', '-', '--token-file', '-'], '--token-file and --payload'],
    [['batch', 'send', '-', '--once', 'b', '--template', '-', ...url], '<file> and --template'],
    [['config', 'add', 'x', '--token-stdin', '--token-file', '-'], '--token-file and --token-stdin'],
  ])('but not for two: %j', async (argv, readers) => {
    const { code, stderr } = await run(argv, 'x');
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${readers} both read stdin`)]);
  });
});
