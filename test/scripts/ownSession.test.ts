import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { root } from '../../testing/root.ts';
import { noTerminal, shellOnTerminal } from '../../testing/terminal.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'botctl-session-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A program that leaves its terminal first, as the tests, the proof and the bench do. */
function leaving(work: string): string {
  const path = join(folder, 'leaving.mjs');
  writeFileSync(
    path,
    `import { leaveTerminal } from '${root}/scripts/ownSession.mjs';\nawait leaveTerminal();\n${work}`,
  );
  return `'${process.execPath}' ${path}`;
}

describe.skipIf(noTerminal !== '')(`what leaves its terminal${noTerminal}`, () => {
  test('starts children that have none to ask on, and ends as its work does', async () => {
    const looks = `(: < /dev/tty) 2> ${folder}/err && echo asked || echo unasked`;
    const work = `import { spawnSync } from 'node:child_process';
      spawnSync('sh', ['-c', ${JSON.stringify(looks)}], { stdio: 'inherit' });
      process.exit(7);`;
    const { code, shown } = await shellOnTerminal(`${leaving(work)}; exit $?`, [], {});
    expect([code, shown.trim()]).toEqual([7, 'unasked']);
  });

  test('is ended by Ctrl-C all the same', async () => {
    const work = `console.log('works'); setInterval(() => {}, 1000);`;
    const { shown } = await shellOnTerminal(`${leaving(work)}; echo "ended $?"`, [['works', '\u0003']], {});
    expect(shown).toContain('works');
    expect(shown).not.toContain('ended 0');
  });
});
