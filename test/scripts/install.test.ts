// install.sh, with a stand-in for the file that it fetches.
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ended, type Ran } from '../support/botctl.ts';
import { root } from '../support/root.ts';
import { hasTool } from '../support/tools.ts';

const script = join(root, 'install.sh');
const isHere = hasTool('curl') && process.platform === 'linux';
const noCurl = isHere ? '' : ' (skipped: there is no curl on a Linux here)';

let folder: string;
let from: string;
let bin: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'botctl-install-'));
  from = join(folder, 'release');
  bin = join(folder, 'bin');
  mkdirSync(from);
  publish('#!/bin/sh\necho 9.9.9\n');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function publish(file: string): void {
  const sum = createHash('sha256').update(file).digest('hex');
  writeFileSync(join(from, 'botctl-linux-x64'), file);
  writeFileSync(join(from, 'SHA256SUMS'), `${sum}  botctl-linux-x64\n`);
}

/** `machine` is what uname says. */
function install(words: readonly string[] = [`file://${from}`, bin], machine = 'x86_64'): Promise<Ran> {
  const tools = join(folder, 'tools');
  mkdirSync(tools);
  writeFileSync(join(tools, 'uname'), `#!/bin/sh\n[ "$1" = -s ] && echo Linux || echo ${machine}\n`, {
    mode: 0o755,
  });
  writeFileSync(join(tools, 'sudo'), `#!/bin/sh\ntouch ${folder}/root-was-asked-for\n`, { mode: 0o755 });
  const env = { PATH: `${tools}:${process.env.PATH ?? ''}`, HOME: folder, TMPDIR: folder };
  return ended('sh', [script, ...words], { env });
}

describe.skipIf(!isHere)(`install.sh${noCurl}`, () => {
  test('installs a file whose sum is right, over an older one, and leaves nothing else', async () => {
    mkdirSync(bin);
    writeFileSync(join(bin, 'botctl'), 'old');
    expect(await install()).toMatchObject({
      code: 0,
      stdout: `Installed ${bin}/botctl (9.9.9).\n`,
      stderr: '',
    });
    expect(readFileSync(join(bin, 'botctl'), 'utf8')).toContain('9.9.9');
    expect(readdirSync(bin)).toEqual(['botctl']);
    expect(readdirSync(folder).sort()).toEqual(['bin', 'release', 'tools']);
  });

  test('installs into the folder of the user’s own programs', async () => {
    expect(await install([`file://${from}/`])).toMatchObject({ code: 0 });
    expect(existsSync(join(folder, '.local/bin/botctl'))).toBe(true);
  });

  test.each<[string, () => void, RegExp]>([
    [
      'was changed',
      () => writeFileSync(join(from, 'botctl-linux-x64'), '#!/bin/sh\n'),
      /does not match SHA256SUMS/u,
    ],
    ['has no sum', () => writeFileSync(join(from, 'SHA256SUMS'), ''), /does not match SHA256SUMS/u],
    ['is not there', () => rmSync(join(from, 'botctl-linux-x64')), /could not be fetched/u],
    ['does not run', () => publish('#!/bin/sh\nexit 1\n'), /does not run on this machine/u],
  ])('installs nothing if the file %s', async (_what, spoil, says) => {
    spoil();
    const { code, stderr } = await install();
    expect([code, stderr]).toEqual([1, expect.stringMatching(says)]);
    expect(stderr).toContain('Nothing was installed.');
    expect(existsSync(bin)).toBe(false);
  });

  test('installs nothing on another machine, or over plain HTTP', async () => {
    expect(await install(undefined, 'riscv64')).toMatchObject({
      code: 1,
      stderr: 'install.sh: There is no file for Linux-riscv64: use npm. Nothing was installed.\n',
    });
    rmSync(join(folder, 'tools'), { recursive: true });
    expect(await install(['http://example.com', bin])).toMatchObject({ code: 1 });
    expect(existsSync(bin)).toBe(false);
  });
});

test.skipIf(!hasTool('shellcheck'))('shellcheck finds nothing in install.sh', async () => {
  expect(await ended('shellcheck', [script], { env: process.env })).toMatchObject({ code: 0, stdout: '' });
});
