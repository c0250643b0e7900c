import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { payAda, SandboxHome } from '../../testing/sandboxHome.ts';

let operator: SandboxHome;
let copy: string;
beforeEach(async () => {
  operator = await SandboxHome.open();
  copy = join(operator.home.path, 'copy.db');
});
afterEach(() => operator.close());

test('a backup is a whole journal, private, and replays what it holds', async () => {
  expect((await operator.apart([...payAda, '--yes', '--once', 'one'])).code).toBe(0);
  const made = await operator.apart(['journal', 'backup', copy]);
  expect([made.code, made.stdout]).toEqual([0, expect.stringContaining('(1 entry, 1 request)')]);
  expect(readdirSync(operator.home.path).filter((name) => name.startsWith('copy.db'))).toEqual(['copy.db']);
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  const again = await operator.jsonApart([...payAda, '--yes', '--once', 'one', '--journal', copy]);
  expect(again).toMatchObject({ exit: 0, replayed: true });
  expect(
    (await operator.apart([...payAda, '--yes', '--once', 'two', '--repeat', '--journal', copy])).code,
  ).toBe(0);
  expect((await operator.apart(['doctor', '--journal', copy])).stdout).toContain(
    'has everything that it acknowledged',
  );
});
