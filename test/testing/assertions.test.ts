import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ended } from '../../testing/botctl.ts';
import { root } from '../../testing/root.ts';

/** A project of its own with this one's settings, and a test of each kind in each of vitest's projects. */
function newProject(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'botctl-vitest-'));
  mkdirSync(join(folder, 'test'));
  for (const name of ['testing', 'node_modules', 'test/fixedSeed.ts'])
    symlinkSync(join(root, name), join(folder, name));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('a test without an assertion fails, in whatever project it runs', async () => {
  const asserting = `import { expect, test } from 'vitest'; test('asserts', () => expect(1).toBe(1));`;
  const silent = `import { test } from 'vitest'; test('asserts nothing', () => {});`;
  const folder = newProject({
    'test/silent.test.ts': silent,
    'test/asserting.test.ts': asserting,
    'test/proof/silent.test.ts': silent,
    'test/proof/asserting.test.ts': asserting,
  });
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const settings = ['--config', join(root, 'vitest.config.ts'), '--reporter', 'json'];
  const { code, stdout } = await ended(process.execPath, [vitest, 'run', '--root', folder, ...settings], {
    env: { PATH: process.env.PATH },
    cwd: folder,
  });
  type Result = {
    name: string;
    assertionResults: { title: string; status: string; failureMessages: string[] }[];
  };
  const { testResults } = JSON.parse(stdout.slice(stdout.indexOf('{'))) as { testResults: Result[] };
  const found = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ status, failureMessages }) => [
      name.slice(folder.length + 1),
      status,
      failureMessages.join().includes('expected any number of assertion, but got none'),
    ]),
  );
  expect(found.sort()).toEqual([
    ['test/asserting.test.ts', 'passed', false],
    ['test/proof/asserting.test.ts', 'passed', false],
    ['test/proof/silent.test.ts', 'failed', true],
    ['test/silent.test.ts', 'failed', true],
  ]);
  expect(code).toBe(1);
});
