import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { botctl } from '../../testing/botctl.ts';
import { Home } from '../../testing/home.ts';

const keeps = 'enableCompileCache' in module && process.platform !== 'win32';

async function filesKept(prepare: (folder: string) => void) {
  const home = new Home();
  const cache = join(home.path, 'cache');
  const folder = join(cache, 'botctl');
  mkdirSync(cache);
  try {
    prepare(folder);
    const { code } = await botctl(['config', 'list'], { env: { ...home.env, XDG_CACHE_HOME: cache } });
    expect(code).toBe(0);
    return existsSync(folder)
      ? { mode: statSync(folder).mode & 0o777, files: readdirSync(folder) }
      : { mode: undefined, files: [] };
  } finally {
    home.remove();
  }
}

test.runIf(keeps)('compiled code is kept where nobody else can write', async () => {
  const { mode, files } = await filesKept(() => {});
  expect(files).toHaveLength(1);
  expect(mode).toBe(0o700);
});

test.runIf(keeps)('compiled code is neither kept nor run where others can write', async () => {
  const open = await filesKept((folder) => {
    mkdirSync(folder);
    chmodSync(folder, 0o777);
  });
  expect(open.files).toEqual([]);
  const elsewhere = await filesKept((folder) => {
    mkdirSync(`${folder}-elsewhere`, { mode: 0o700 });
    symlinkSync(`${folder}-elsewhere`, folder);
  });
  expect(elsewhere.files).toEqual([]);
});

test.runIf(!keeps)('an older Node makes no folder for it', async () => {
  expect((await filesKept(() => {})).mode).toBeUndefined();
});
