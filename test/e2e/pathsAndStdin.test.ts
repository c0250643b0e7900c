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

describe('a - is stdin', () => {
  const url = ['--base-url', 'http://127.0.0.1:9', '--token-file', 'token'] as const;

  beforeEach(() => writeFileSync(join(home.path, 'token'), 'canary-token-0123456789-abcdefgh\n'));

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
