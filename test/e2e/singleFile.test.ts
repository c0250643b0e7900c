// The file that runs without Node: what is different from the program for Node. Everything else is shown by the other
// tests here, with BOTCTL_BIN.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ended, fewAtATime, type Ran } from '../../testing/botctl.ts';
import { newSharedJournal } from '../../testing/postgres/newJournal.ts';
import { sharedServer } from '../../testing/postgres/server.ts';
import { silence, upForLong } from '../../testing/postgres/silence.ts';
import { root } from '../../testing/root.ts';
import { recipient, startTestSandbox, type TestSandbox } from '../../testing/sandbox.ts';

const isHere = existsSync(join(root, 'build/node_modules/@oven/bun-linux-x64-baseline'));
const skipped = isHere ? '' : ' (skipped: npm run binary has not installed Bun here)';

const send = ['--sandbox', 'send', '--conversation', 'conv_demo', '--content', 'hi'];
const pay = ['--sandbox', 'transfer', '--to', recipient, '--asset', 'SOL', '--amount', '1', '--yes'];

/** To make it, on a busy machine. */
const longestMs = 300_000;

describe.skipIf(!isHere)(`the single file${skipped}`, () => {
  let folder: string;
  let file: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'botctl-file-'));
    execFileSync(process.execPath, [join(root, 'build/file.mjs'), 'linux-x64', folder]);
    file = join(folder, 'botctl-linux-x64');
  }, longestMs);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  let home: string;
  let cwd: string;
  let native: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'botctl-home-'));
    native = join(home, '.cache/botctl/native');
    cwd = join(home, 'here');
    mkdirSync(cwd);
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  /** With an empty home, in an empty folder, and no program in PATH. */
  function run(words: readonly string[], env: Record<string, string> = {}): Promise<Ran> {
    return ended(file, words, { cwd, env: { HOME: home, PATH: '/nonexistent', ...env } });
  }

  const parts = (): string[] => readdirSync(native).map((name) => join(native, name));

  test('says that it is a preview', async () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    const { stdout } = await run(['--version']);
    expect(stdout).toMatch(/^[\d.]+, preview: a single file on Bun [\d.]+\n$/u);
    expect(stdout).toContain(`${version}, `);
  });

  test('makes a transfer with a real signature from nothing but itself, and makes it once', async () => {
    const first = await run([...pay, '--once', 'rent', '--json']);
    expect(JSON.parse(first.stdout)).toMatchObject({
      outcome: 'accepted',
      replayed: false,
      transfer: { signature: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{86,88}$/u) },
    });
    expect(JSON.parse((await run([...pay, '--once', 'rent', '--json'])).stdout)).toMatchObject({
      replayed: true,
    });
    expect(readdirSync(cwd)).toEqual([]);
  });

  test('takes nothing from the folder in which it runs', async () => {
    const loud = 'process.stderr.write("FOREIGN CODE RAN\\n");';
    const foreign = ['litesvm-linux-x64-gnu', '@photostructure/sqlite', 'sqlite', 'string-width', 'undici'];
    for (const name of foreign) {
      mkdirSync(join(cwd, 'node_modules', name), { recursive: true });
      writeFileSync(join(cwd, 'node_modules', name, 'index.js'), loud);
    }
    writeFileSync(join(cwd, 'loud.js'), loud);
    writeFileSync(join(cwd, 'main.js'), loud);
    for (const name of ['.env', '.env.local', '.env.production', '.env.development'])
      writeFileSync(join(cwd, name), 'BOTCTL_TOKEN=a_strangers_token\nBOTCTL_RUN=a-strangers-run\n');
    for (const path of [join(cwd, 'bunfig.toml'), join(home, '.bunfig.toml')])
      writeFileSync(path, 'preload = ["./loud.js"]\n');
    const paths = { paths: { '*': ['./loud.js'], './main.js': ['./loud.js'] }, baseUrl: '.' };
    writeFileSync(join(cwd, 'tsconfig.json'), JSON.stringify({ compilerOptions: paths }));
    const named = { name: 'x', type: 'module', imports: { '#*': './loud.js' }, exports: './loud.js' };
    writeFileSync(join(cwd, 'package.json'), JSON.stringify({ ...named, main: './loud.js' }));
    const toNobody = ['send', '--conversation', 'c', '--content', 'x', '--base-url', 'http://127.0.0.1:1'];
    const without = await run([...toNobody, '--json']);
    expect(JSON.parse(without.stdout)).toMatchObject({ error: { code: 'no-token' } });
    const ran = await run([...send, '--json']);
    expect(JSON.parse(ran.stdout)).toMatchObject({ outcome: 'accepted' });
    expect(JSON.parse(ran.stdout)).not.toHaveProperty('intent.name');
    expect(without.stderr + ran.stderr).not.toContain('FOREIGN');
  });

  test.each([
    ['BUN_BE_BUN', '1'],
    ['BUN_OPTIONS', '--preload ./loud.js'],
    ['BUN_INSPECT', '127.0.0.1:1?break=1'],
    ['BUN_INSPECT_CONNECT_TO', 'ws://127.0.0.1:1'],
    ['BUN_INSPECT_PRELOAD', './loud.js'],
  ])('is not changed by %s', async (variable, value) => {
    writeFileSync(join(cwd, 'loud.js'), 'process.stderr.write("FOREIGN CODE RAN\\n");');
    const ran = await run(['--version'], { [variable]: value });
    expect(ran).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('preview') });
  });

  test('lays its native parts where nobody else can write, each whole', async () => {
    expect(await run(send)).toMatchObject({ code: 0 });
    expect(statSync(native).mode & 0o777).toBe(0o700);
    expect(parts()).toHaveLength(1);
    for (const path of parts()) expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('is started by twenty processes at once, which all send', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `n${index}`);
    const codes: (number | null)[] = [];
    await fewAtATime(
      names,
      async (name) => {
        codes.push((await run([...send, '--once', name])).code);
      },
      20,
    );
    expect(codes).toEqual(names.map(() => 0));
    expect(parts()).toHaveLength(1);
  });

  test.each<[string, (path: string) => void]>([
    ['cut', (path) => truncateSync(path, 1000)],
    [
      'another',
      (path) => {
        const bytes = readFileSync(path);
        bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
        writeFileSync(path, bytes);
      },
    ],
    ['readable by others', (path) => chmodSync(path, 0o644)],
    [
      'a link',
      (path) => {
        copyFileSync(path, join(home, 'copy'));
        rmSync(path);
        symlinkSync(join(home, 'copy'), path);
      },
    ],
  ])('lays a native part again that is %s', async (_what, spoil) => {
    expect(await run(send)).toMatchObject({ code: 0 });
    const [path = ''] = parts();
    const whole = readFileSync(path);
    spoil(path);
    expect(await run([...send, '--once', 'again'])).toMatchObject({ code: 0 });
    expect(readFileSync(path).equals(whole)).toBe(true);
    const own = execFileSync('stat', ['-c', '%F %a', path], { encoding: 'utf8' });
    expect(own).toBe('regular file 600\n');
  });

  test.each<[string, () => void]>([
    ['its folder is open', () => chmodSync(native, 0o777)],
    ['a folder above is open', () => chmodSync(join(home, '.cache'), 0o777)],
    [
      'its folder is somebody else’s',
      () => {
        if (process.getuid?.() === 0) execFileSync('chown', ['12345', native]);
        else chmodSync(native, 0o750);
      },
    ],
  ])('loads nothing, and says so, if %s', async (_what, spoil) => {
    mkdirSync(native, { recursive: true, mode: 0o700 });
    chmodSync(join(home, '.cache'), 0o700);
    spoil();
    const ran = await run([...send, '--json']);
    expect(ran.code).toBe(1);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      error: { code: 'machine-fault', retry: 'after-fix', message: expect.stringContaining(native) },
    });
    expect(JSON.parse(ran.stdout).error.message).toMatch(/may be able to write to .* Nothing was sent\.$/u);
    expect(readdirSync(native)).toEqual([]);
  });

  test('says where it cannot lay its native parts', async () => {
    const ran = await run(send, { XDG_CACHE_HOME: '/proc/nowhere' });
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toMatch(
      /^botctl: The native parts of botctl cannot be loaded from \/proc\/nowhere\/botctl\/native: /u,
    );
    expect(ran.stderr).toContain('Nothing was sent.');
    expect(ran.stderr).toContain('Set XDG_CACHE_HOME');
    expect(ran.stderr).not.toMatch(/^\s+at /mu);
  });

  /** In mounts of its own, which the shell line makes of `$0`, the home. Undefined where nothing can be mounted. */
  async function among(mounts: string, words: readonly string[], newHome = home): Promise<Ran | undefined> {
    const line = ['-m', 'sh', '-c', `${mounts} && exec "$@"`, home, ...words];
    const ran = await ended('unshare', line, { cwd, env: { HOME: newHome, PATH: process.env.PATH ?? '' } });
    return /^(?:unshare|mount): /mu.test(ran.stderr) ? undefined : ran;
  }

  test.for([
    [
      'the disk of its cache is full',
      'mount -t tmpfs -o size=1m,mode=700 none "$0/.cache"',
      'the disk is full',
    ],
    [
      'the home is read-only',
      'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0"',
      'the file system is read-only',
    ],
  ])('sends nothing if %s', async ([, mounts = '', trouble = ''], { skip }) => {
    mkdirSync(join(home, '.cache'), { mode: 0o700 });
    const ran = await among(mounts, [file, ...send]);
    if (ran === undefined) return skip('nothing can be mounted here');
    expect(ran).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(trouble) });
    expect(ran.stderr).toContain('Nothing was sent.');
  });

  test('needs of a Linux its libraries and /proc, and names what is missing', async ({ skip }) => {
    expect(await run(pay)).toMatchObject({ code: 0 });
    const needed = execFileSync('ldd', [file, ...parts()], { encoding: 'utf8' });
    for (const path of [file, ...(needed.match(/\/\S+(?= \()/gu) ?? [])]) {
      const copy = join(cwd, path === file ? 'botctl' : path);
      mkdirSync(dirname(copy), { recursive: true });
      copyFileSync(path, copy);
    }
    for (const name of ['proc', 'new-home']) mkdirSync(join(cwd, name));
    const inRoot = (): Promise<Ran | undefined> =>
      among('mount -t proc proc "$0/here/proc"', ['chroot', cwd, '/botctl', ...pay], '/new-home');
    const paid = await inRoot();
    if (paid === undefined) return skip('nothing can be mounted here');
    expect(paid).toMatchObject({ code: 0, stdout: expect.stringContaining('Signature') });
    for (const path of needed.match(/\/\S*libstdc\S+(?= \()/gu) ?? []) rmSync(join(cwd, path));
    expect(await inRoot()).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/libstdc.+Nothing was sent.+needs glibc [\d.]+ and libstdc/su),
    });
  });

  test.each([30, 80, 95])('cut to %i percent does nothing', async (percent) => {
    const half = join(home, 'half');
    copyFileSync(file, half);
    truncateSync(half, Math.floor((statSync(file).size * percent) / 100));
    const ran = await ended(half, send, { cwd, env: { HOME: home } });
    expect(ran.code).not.toBe(0);
    expect(ran.stdout).toBe('');
    expect(readdirSync(home).sort()).toEqual(['half', 'here']);
  });

  test(
    'is the same bytes whenever it is made',
    () => {
      const again = join(home, 'again');
      execFileSync(process.execPath, [join(root, 'build/file.mjs'), 'linux-x64', again]);
      expect(readFileSync(join(again, 'botctl-linux-x64')).equals(readFileSync(file))).toBe(true);
    },
    longestMs,
  );

  test('draws a key of its own in every process', async () => {
    const keys = new Set<string>();
    await fewAtATime(
      Array.from({ length: 40 }, (_, index) => `hello ${index}`),
      async (content) => {
        const { stdout } = await run([...send.slice(0, -1), content, '--json']);
        keys.add((JSON.parse(stdout) as { intent: { key: string } }).intent.key);
      },
    );
    expect(keys.size).toBe(40);
  });

  describe('beside the program for Node', () => {
    let sandbox: TestSandbox;
    beforeEach(async () => {
      sandbox = await startTestSandbox();
    });
    afterEach(() => sandbox.close());

    const rows = 80;
    const aFile = { journal: async (): Promise<string | undefined> => undefined, afterKill: async () => {} };
    const aServer = {
      journal: async (): Promise<string> => {
        const journal = await newSharedJournal(await sharedServer(18));
        await upForLong(journal);
        return journal;
      },
      afterKill: silence,
    };

    test.each([
      ['a file', aFile],
      ['PostgreSQL', aServer],
    ])('runners of both, killed in turn, send each row once with one journal: %s', async (_where, kept) => {
      const journal = await kept.journal();
      const table = join(cwd, 'rows.csv');
      const lines = Array.from({ length: rows }, (_, row) => `r${row},conv_demo,row ${row}`);
      writeFileSync(table, `id,conversation_id,content\n${lines.join('\n')}\n`);
      const words = ['batch', 'send', table, '--once', 'news', '--concurrency', '2', '--json'];
      const env = {
        HOME: home,
        PATH: process.env.PATH ?? '',
        BOTCTL_BASE_URL: sandbox.baseUrl,
        BOTCTL_TOKEN: sandbox.tokens.full,
        ...(journal === undefined ? {} : { BOTCTL_JOURNAL: journal }),
      };
      const engines = [[file], [process.execPath, join(root, 'bin/botctl.js')]];
      for (let kills = 0; kills < 4; kills += 1) {
        const [program = '', ...first] = engines[kills % 2] ?? [];
        const child = spawn(program, [...first, ...words], { env, stdio: 'ignore' });
        const over = once(child, 'close');
        while ((await sandbox.ledger()).length < 8 * (kills + 1)) await nextTurn();
        child.kill('SIGKILL');
        expect(await over).toEqual([null, 'SIGKILL']);
        if (journal !== undefined) await kept.afterKill(journal);
      }
      for (const [program = '', ...first] of engines) {
        const ran = await ended(program, [...first, ...words], { env });
        expect([ran.code, ran.stderr.includes('botctl:')]).toEqual([0, false]);
      }
      const effects = await sandbox.ledger();
      expect(effects).toHaveLength(rows);
      expect(new Set(effects.map(({ key }) => key)).size).toBe(rows);
    });
  });
});
