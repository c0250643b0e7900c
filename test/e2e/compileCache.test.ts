// Node 22.8 and newer run what lies in this folder without compiling it, so nobody else may have written it.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import module from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { notRoot, type User } from '../support/postgres/folder.ts';
import { botctlPath, programWords } from '../support/program.ts';
import { root } from '../support/root.ts';

const keepsCompiled =
  'enableCompileCache' in module && programWords.length > 0 && botctlPath.startsWith(root);
const isRoot = process.getuid?.() === 0;

let folder: string;
let cache: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'botctl-compiled-'));
  // A copy, because another user may not read this checkout.
  for (const part of ['bin', 'dist', 'package.json'])
    cpSync(join(root, part), join(folder, part), { recursive: true });
  mkdirSync(join(folder, 'home'));
  cache = join(folder, 'home/.cache/botctl');
  ownedBy(notRoot());
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function ownedBy({ uid, gid }: User): void {
  if (uid !== undefined) execFileSync('chown', ['-Rh', `${uid}:${gid}`, folder]);
}

/** Prints the help, as that user, and returns how many files were kept before the program ended. */
function keptBy(user: User): number {
  const env = { HOME: join(folder, 'home') };
  const words = [join(folder, 'bin/botctl.js'), '--help'];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { ...user, cwd: folder, env });
  expect({ status, stderr: String(stderr) }).toEqual({ status: 0, stderr: '' });
  expect(String(stdout)).toContain('Run it again. It happened once.');
  return existsSync(cache) ? readdirSync(cache, { recursive: true }).length : 0;
}

describe.skipIf(!keepsCompiled)('what Node compiled', () => {
  test('is kept in a folder of this user alone', () => {
    const kept = keptBy(notRoot());
    expect(kept).toBeGreaterThan(1);
    expect(lstatSync(cache).mode & 0o777).toBe(0o700);
    expect(keptBy(notRoot())).toBe(kept);
  });

  test.skipIf(!isRoot)('is not kept by root', () => {
    expect(keptBy({})).toBe(0);
  });

  test('is not kept where others may write, nor through a link', () => {
    mkdirSync(cache, { recursive: true });
    chmodSync(cache, 0o777);
    ownedBy(notRoot());
    expect(keptBy(notRoot())).toBe(0);
    rmSync(cache, { recursive: true });
    mkdirSync(join(folder, 'elsewhere'));
    symlinkSync(join(folder, 'elsewhere'), cache);
    ownedBy(notRoot());
    expect(keptBy(notRoot())).toBe(0);
  });

  test.skipIf(!isRoot)('is not kept in a folder of another user', () => {
    expect(keptBy(notRoot())).toBeGreaterThan(1);
    const [inside = ''] = readdirSync(cache);
    for (const file of readdirSync(join(cache, inside))) rmSync(join(cache, inside, file));
    chmodSync(cache, 0o755);
    chownSync(cache, 0, 0);
    expect(keptBy(notRoot())).toBe(1);
  });
});
