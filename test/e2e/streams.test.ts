import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { shell } from '../support/botctl.ts';
import { Home } from '../support/home.ts';

let home: Home;
beforeAll(() => {
  home = new Home();
  // About 1 MiB of list, more than any pipe holds.
  const many = Array.from({ length: 4000 }, (_, index) => [
    `bot-${String(index).padStart(5, '0')}`,
    {
      'base-url': `https://bots.example.com/${'x'.repeat(100)}`,
      token: { kind: 'env', variable: 'A_VARIABLE_THAT_IS_NOT_SET' },
    },
  ]);
  home.writeConfig({ version: 1, profiles: Object.fromEntries(many) });
});
afterAll(() => home.remove());

describe('the streams', () => {
  test('a pipe whose reader leaves ends quietly', async () => {
    for (const flags of ['', '--json', '--quiet']) {
      const line = `botctl config list ${flags} | head -1; echo "\${PIPESTATUS[0]}"`;
      const { stdout, stderr } = await shell(line, { env: home.env });
      expect(stdout.split('\n')).toHaveLength(3);
      expect(stdout).toContain('bot-00000');
      expect(stdout).toMatch(/\n0\n$/u);
      expect(stderr).toBe('');
    }
    for (const line of ['botctl --help', 'botctl --version']) {
      const closed = await shell(`${line} | true; echo "\${PIPESTATUS[0]}"`, { env: home.env });
      expect(closed).toMatchObject({ stdout: '0\n', stderr: '' });
    }
  });

  test('piped output is never cut, also when the reader is slow', async () => {
    const { stdout } = await shell('botctl config list --json | (sleep 0.5; wc -lc)', { env: home.env });
    const [lines = 0, bytes = 0] = stdout.trim().split(/\s+/u).map(Number);
    expect(lines).toBe(4000);
    expect(bytes).toBeGreaterThan(1024 * 1024);
  });

  test('a closed stderr or stdin changes nothing', async () => {
    expect(await shell('botctl config show bot-00000 --quiet 2>&- <&-', { env: home.env })).toMatchObject({
      code: 0,
      stdout: 'bot-00000\n',
    });
    expect(await shell('botctl config list --nope 2>/dev/full', { env: home.env })).toMatchObject({
      code: 2,
    });
  });
});
