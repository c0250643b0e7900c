import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Home } from '../../support/home.ts';
import { runMain } from '../../support/inProcess.ts';

let home: Home;
beforeEach(() => {
  home = new Home();
});
afterEach(() => home.remove());

test('without a journal says which one is looked for, not that nothing ever happened', async () => {
  const path = join(home.path, 'mistyped.db');
  for (const flags of [[], ['--sandbox']]) {
    const { code, stderr } = await runMain(['history', '--journal', path, ...flags], { env: home.env });
    expect(code).toBe(0);
    expect(stderr).toContain(`there is no journal ${path}`);
  }
  expect((await runMain(['history', '--sandbox'], { env: home.env })).stderr).toContain('in the sandbox yet');
});

test('a journal that cannot be looked at is not one that is empty', async () => {
  const path = join(home.path, 'loop.db');
  symlinkSync(path, path);
  const { code, stderr } = await runMain(['history', '--journal', path], { env: home.env });
  expect(code).toBe(2);
  expect(stderr).not.toContain('Nothing is recorded');
});

test.each([
  ['--state', 'done', 'is not a state.', 'Give one of open, sending,'],
  ['--kind', 'money', 'is not a kind.', 'Give message or transfer.'],
  ['--since', 'monday', 'is not a time.', 'Write how long ago'],
  ['--until', '2026-02-30', 'is not a time.', 'Write how long ago'],
  ['--to', '9Wz', 'is not an address or the beginning of one.', 'Give the recipient’s address'],
  ['--limit', '0', 'is not a count.', 'Give a whole number from 1, or all.'],
])('%s %s says once what is wrong and once what to give', async (option, value, problem, hint) => {
  const { code, stderr } = await runMain(['history', option, value], { env: home.env });
  expect(code).toBe(2);
  expect(stderr).toContain(problem);
  expect(stderr).toContain(hint);
});
