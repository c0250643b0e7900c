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
