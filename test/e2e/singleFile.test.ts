// The file that runs without Node: what is different from the program for Node. Everything else is shown by the other
// tests here, with BOTCTL_BIN.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ended, fewAtATime, type Ran } from '../support/botctl.ts';
import { newSharedJournal } from '../support/postgres/newJournal.ts';
import { sharedServer } from '../support/postgres/server.ts';
import { silence, upForLong } from '../support/postgres/silence.ts';
import { root } from '../support/root.ts';
import { recipient, startTestSandbox, type TestSandbox } from '../support/sandbox.ts';

const file = join(root, 'out', `botctl-linux-${process.arch}`);
const isHere = existsSync(file);
const skipped = isHere ? '' : ' (skipped: npm run binary has not made it here)';

const send = ['--sandbox', 'send', '--conversation', 'conv_demo', '--content', 'hi'];
const pay = ['--sandbox', 'transfer', '--to', recipient, '--asset', 'SOL', '--amount', '1', '--yes'];

describe.skipIf(!isHere)(`the single file${skipped}`, () => {
  let home: string;
  let cwd: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'botctl-home-'));
    cwd = join(home, 'here');
    mkdirSync(cwd);
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  /** With an empty home, in an empty folder, and no program in PATH. */
  function run(words: readonly string[], env: Record<string, string> = {}): Promise<Ran> {
    return ended(file, words, { cwd, env: { HOME: home, PATH: '/nonexistent', ...env } });
  }

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

  test('has an SQLite of its own that loses no commit', async () => {
    const { checks } = JSON.parse((await run(['doctor', '--json'])).stdout);
    expect(checks).toContainEqual({
      check: 'sqlite',
      level: 'ok',
      says: expect.stringMatching(/^SQLite \d+\.\d+\.\d+$/u),
    });
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
    expect(JSON.parse(ran.stdout)).not.toHaveProperty('entry.name');
    expect(without.stderr + ran.stderr).not.toContain('FOREIGN');
  });

  test('draws a key of its own in every process', async () => {
    const keys = new Set<string>();
    await fewAtATime(
      Array.from({ length: 40 }, (_, index) => `hello ${index}`),
      async (content) => {
        const { stdout } = await run([...send.slice(0, -1), content, '--json']);
        keys.add((JSON.parse(stdout) as { entry: { key: string } }).entry.key);
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
