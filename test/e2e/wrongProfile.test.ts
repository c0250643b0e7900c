import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { payAda, SandboxHome } from '../support/sandboxHome.ts';

let operator: SandboxHome;
beforeEach(async () => {
  operator = await SandboxHome.open();
  operator.useProfiles({ ops: {}, tips: {} }, 'ops');
});
afterEach(() => operator.close());

const batch = (rows: number, ...more: string[]): string[] => {
  const lines = Array.from({ length: rows }, (_, n) => `a${n},${payAda[2]},SOL,${n + 1}\n`).join('');
  const path = operator.home.file('pay.csv', `id,to_address,asset,amount\n${lines}`);
  return ['batch', 'transfer', path, '--once', 'payday-11', '--yes', ...more];
};

describe('a batch under the wrong profile', () => {
  test.each([
    ['is refused', []],
    ['is refused by its dry run', ['--dry-run']],
  ])('%s, and says who began it; new rows are not paid either', async (_what, more) => {
    expect((await operator.run(batch(2))).code).toBe(0);
    const ended = await operator.run(batch(3, '--profile', 'tips', ...more));
    expect(ended.code).toBe(6);
    expect(ended.stderr).toMatch(
      /^botctl: payday-11 was begun by ops, and this is tips\.[^\n]*\n *Did you mean --profile ops\?\n *botctl batch transfer .* --profile ops\n$/u,
    );
    expect(ended.stderr).not.toContain('new id');
    expect(await operator.sandbox.ledger()).toHaveLength(2);
  });

  test('is paid under the one that began it', async () => {
    await operator.run(batch(2));
    expect((await operator.run(batch(3, '--profile', 'ops'))).code).toBe(0);
    expect(await operator.sandbox.ledger()).toHaveLength(3);
  });

  test('names no profile where a token from outside the profiles began it', async () => {
    const env = { BOTCTL_TOKEN: operator.sandbox.tokens.full, BOTCTL_BASE_URL: operator.sandbox.baseUrl };
    await operator.run(batch(2), { env });
    const ended = await operator.run(batch(2));
    expect(ended).toMatchObject({ code: 6, stderr: expect.stringContaining('begun by env') });
    expect(ended.stderr).not.toContain('--profile');
  });
});
