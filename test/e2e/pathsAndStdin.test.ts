import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { botctlHere } from '../../testing/builtHere.ts';
import { Home } from '../../testing/home.ts';

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
        'rpc-url': [
          { kind: 'stored', secret: 'https://node.example.com' },
          { kind: 'stored', secret: 'https://other.example.com/?key=canary' },
        ],
        assets: { USDC: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' },
      },
    },
  });
});
afterEach(() => home.remove());

async function run(argv: readonly string[], stdin = '') {
  return botctlHere(argv, { env: home.env, cwd: home.path, stdin });
}

describe('config get', () => {
  test.each([
    ['base-url', 'https://bots.example.com'],
    ['wallet', wallet],
    ['assets', '{"USDC":"EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"}'],
    ['rpc-url', 'https://node.example.com other.example.com'],
  ])('prints %s alone, without a secret in it', async (key, value) => {
    for (const mode of [[], ['--quiet']])
      expect(await run(['config', 'get', 'prod', key, ...mode])).toMatchObject({
        code: 0,
        stdout: `${value}\n`,
        stderr: '',
      });
    const { stdout } = await run(['config', 'get', 'prod', key, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ profile: 'prod', key, value });
  });

  test('never prints a token', async () => {
    for (const mode of [[], ['--quiet'], ['--json']]) {
      const { code, stdout, stderr } = await run(['config', 'get', 'prod', 'token', ...mode]);
      expect([code, stdout + stderr]).toEqual([2, expect.not.stringContaining('canary')]);
    }
  });

  test('prints nothing of a key that is not set, and says so', async () => {
    const said = await run(['config', 'get', 'prod', 'key-age']);
    expect(said).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'note: key-age is not set in profile prod.\n',
    });
  });
});

describe('a path from where one stands', () => {
  test('is kept whole: a policy’s', async () => {
    writeFileSync(join(home.path, 'policy.json'), '{"version":1}', { mode: 0o600 });
    expect((await run(['config', 'set', 'prod', 'policy', 'policy.json'])).code).toBe(0);
    const { stdout } = await run(['config', 'get', 'prod', 'policy']);
    expect(stdout).toBe(`${join(home.path, 'policy.json')}\n`);
  });
});
