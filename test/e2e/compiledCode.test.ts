import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { botctl } from '../../testing/botctl.ts';
import { Home } from '../../testing/home.ts';
import { programWords } from '../../testing/program.ts';

let home: Home;
let cache: string;
let folder: string;

beforeEach(() => {
  home = new Home();
  const token = { kind: 'env', variable: 'T' };
  home.writeConfig({ version: 1, profiles: { prod: { 'base-url': 'https://bots.example.com', token } } });
  cache = join(home.path, 'cache');
  folder = join(cache, 'botctl');
  mkdirSync(cache);
});
afterEach(() => home.remove());

async function run(words: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<string> {
  const { code, stdout, stderr } = await botctl(words, {
    env: { ...home.env, XDG_CACHE_HOME: cache, ...more },
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

const where = ['config', 'list', '--quiet'];

function kept(): string[] {
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
}

function bytesKept(): Map<string, string> {
  return new Map(kept().map((path) => [path, readFileSync(path, 'base64')]));
}

const isKept = programWords.length > 0;

describe.runIf(isKept)('compiled code (the single file has it inside)', () => {
  test('is kept from the second command on, where nobody else can read or write', async () => {
    await run(where);
    expect(kept()).toEqual([]);
    await run(where);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(kept().length).toBeGreaterThan(1);
    for (const path of kept()) expect(lstatSync(path).mode & 0o177777).toBe(0o100600);
  });

  test('is added to by each command that loads something else, and only then', async () => {
    mkdirSync(folder, { mode: 0o700 });
    await run(where);
    const afterList = bytesKept();
    await run(['completion', 'bash']);
    const afterBoth = bytesKept();
    expect([...afterList].filter(([path, bytes]) => afterBoth.get(path) !== bytes)).not.toEqual([]);
    expect(afterBoth.size).toBeGreaterThan(afterList.size);
    await run(where);
    await run(['completion', 'bash']);
    expect(bytesKept()).toEqual(afterBoth);
  });

  const keptOnce: (readonly [name: string, bytes: Buffer])[] = [];
  beforeAll(async () => {
    const other = new Home();
    const env = { ...other.env, XDG_CACHE_HOME: other.path };
    mkdirSync(join(other.path, 'botctl'), { mode: 0o700 });
    await botctl(where, { env });
    for (const name of readdirSync(join(other.path, 'botctl')))
      keptOnce.push([name, readFileSync(join(other.path, 'botctl', name))]);
    other.remove();
  });

  test.each([
    ['a flipped bit at the beginning', (bytes: Buffer) => flipped(bytes, 3)],
    ['a flipped bit behind the digest', (bytes: Buffer) => flipped(bytes, 40)],
    ['a flipped bit in the middle', (bytes: Buffer) => flipped(bytes, bytes.length >> 1)],
    ['a flipped bit at the end', (bytes: Buffer) => flipped(bytes, bytes.length - 1)],
    ['a cut in the middle', (bytes: Buffer) => bytes.subarray(0, bytes.length >> 1)],
    ['a cut in the digest', (bytes: Buffer) => bytes.subarray(0, 20)],
    ['nothing at all', () => Buffer.alloc(0)],
    ['zeros', (bytes: Buffer) => Buffer.alloc(bytes.length)],
  ])('with %s is not used, and replaced', async (_what, damage) => {
    mkdirSync(folder, { mode: 0o700 });
    const damaged = keptOnce.map(([name, bytes]) => [join(folder, name), damage(bytes)] as const);
    for (const [path, bytes] of damaged) writeFileSync(path, bytes, { mode: 0o600 });
    expect(await run(where)).toBe('prod\n');
    expect(kept().sort()).toEqual(damaged.map(([path]) => path).sort());
    for (const [path, bytes] of damaged) expect(readFileSync(path).equals(bytes)).toBe(false);
  });

  test('is not kept where others can write, behind a link, or where it is not wanted', async () => {
    mkdirSync(folder);
    chmodSync(folder, 0o777);
    await run(where);
    expect(kept()).toEqual([]);
    chmodSync(folder, 0o700);
    chmodSync(cache, 0o777);
    await run(where);
    expect(kept()).toEqual([]);
    chmodSync(cache, 0o700);
    await run(where, { NODE_DISABLE_COMPILE_CACHE: '1' });
    expect(kept()).toEqual([]);
    const link = join(home.path, 'link');
    mkdirSync(link);
    symlinkSync(folder, join(link, 'botctl'));
    await run(where, { XDG_CACHE_HOME: link });
    expect(kept()).toEqual([]);
  });

  test.runIf(process.getuid?.() === 0)('is not kept in the home of somebody else', async () => {
    mkdirSync(folder, { mode: 0o700 });
    chownSync(cache, 4321, 4321);
    await run(where);
    expect(kept()).toEqual([]);
  });

  test('is not read through a link, nor from a file that others can write', async () => {
    mkdirSync(folder, { mode: 0o700 });
    await run(where);
    const [one = ''] = kept();
    truncateSync(one, 0);
    chmodSync(one, 0o666);
    await run(where);
    expect(lstatSync(one).mode & 0o777).toBe(0o600);
    expect(lstatSync(one).size).toBeGreaterThan(1000);
  });

  test.each(['/proc/nowhere', '/dev/null', 'relative'])(
    'is kept nowhere, in silence, below %s',
    async (base) => {
      await run(where, { XDG_CACHE_HOME: base });
    },
  );
});

function flipped(bytes: Buffer, at: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[at] = (changed[at] ?? 0) ^ 4;
  return changed;
}
