import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'botctl-bin-'));

afterEach(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('BOTCTL_BIN', () => {
  test.each([
    ['an executable', 'other', '#!/bin/sh\necho "other: $*"\nexit 9\n'],
    ['a script', 'other.js', 'console.log("other:", ...process.argv.slice(2)); process.exitCode = 9;\n'],
  ])('has %s driven, also where this checkout would run in the tests’ process', async (_, name, text) => {
    const bin = join(mkdtempSync(join(folder, 'bin-')), name);
    writeFileSync(bin, text, { mode: 0o700 });
    vi.stubEnv('BOTCTL_BIN', bin);
    vi.resetModules();
    const { botctl } = await import('../../testing/botctl.ts');
    const { botctlHere } = await import('../../testing/builtHere.ts');
    const start = { env: { PATH: process.env.PATH } };
    const expected = { code: 9, signal: null, stdout: 'other: one two\n', stderr: '' };
    expect(await botctl(['one', 'two'], start)).toEqual(expected);
    expect(await botctlHere(['one', 'two'], start)).toEqual(expected);
  });
});
