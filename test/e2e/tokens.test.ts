import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ended } from '../support/botctl.ts';
import { programInShell } from '../support/program.ts';
import { SandboxHome } from '../support/sandboxHome.ts';

let operator: SandboxHome;
beforeEach(async () => {
  operator = await SandboxHome.open();
});
afterEach(() => operator.close());

const hello = ['send', '--conversation', 'conv_demo', '--content', 'Hello', '--once', 'a'];

function tokenFile(mode: number): string {
  const path = operator.home.file('token', operator.sandbox.tokens.full);
  chmodSync(path, mode);
  return path;
}

const warnings = (stderr: string): number => stderr.match(/^warning:/gmu)?.length ?? 0;

describe('a token file', () => {
  test('is taken, with one warning where it is open to others', async () => {
    const own = await operator.run([...hello, '--token-file', tokenFile(0o400)]);
    expect([own.code, warnings(own.stderr)]).toEqual([0, 0]);
    const path = tokenFile(0o620);
    const { code, stderr } = await operator.run([...hello, '--token-file', path]);
    expect([code, warnings(stderr)]).toEqual([0, 1]);
    expect(stderr).toContain('is open to other users (mode 620)');
    expect(stderr).toContain(`chmod 600 ${path}`);
  });

  test('on a read-only mount is taken as it is (skipped where nothing can be mounted)', async ({ skip }) => {
    const folder = join(operator.home.path, 'secrets');
    mkdirSync(folder);
    const path = join(folder, 'token');
    writeFileSync(path, operator.sandbox.tokens.full);
    chmodSync(path, 0o646);
    const words = [...hello, '--token-file', path].map((word) => `'${word}'`).join(' ');
    const inside = `mount --bind '${folder}' '${folder}' && mount -o remount,bind,ro '${folder}' && exec ${programInShell} ${words}`;
    const { code, stderr } = await ended('unshare', ['-m', 'sh', '-c', inside], { env: operator.env });
    if (/unshare|mount:|not found|permitted/u.test(stderr)) return skip('nothing can be mounted here');
    expect([code, warnings(stderr)]).toEqual([0, 0]);
  });
});
