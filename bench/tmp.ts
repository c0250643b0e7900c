import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '../testing/postgres/server.ts';
import { writeRows } from './measure/rowFiles.ts';
import { homeIn } from './measure/stage.ts';

const folder = mkdtempSync(join(tmpdir(), 'botctl-bench-'));
const loop = spawn(process.execPath, ['bench/measure/loopback.mjs'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const [line] = await once(loop.stdout, 'data');
const url = `http://127.0.0.1:${String(line).trim()}`;
const server = await startServer();
const rows = Number(process.env.ROWS ?? 2000);
const run = async (bin: string, words: string[], env: NodeJS.ProcessEnv) => {
  const child = spawn(process.execPath, [bin, ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  child.stdout.on('data', (d) => (out += d));
  child.stderr.on('data', (d) => (out += d));
  const [code] = await once(child, 'close');
  if (code !== 0) console.log(bin, code, out.slice(-600));
};
for (let round = 0; round < Number(process.env.ROUNDS ?? 2); round += 1)
  for (const kind of ['send', 'transfer'] as const)
    for (const bin of (process.env.BINS ?? '').split(',')) {
      const home = mkdtempSync(join(folder, 'home-'));
      const path = join(home, 'rows.csv');
      await writeRows(path, kind, 0, rows);
      const env = {
        ...homeIn(home),
        BOTCTL_BASE_URL: url,
        BOTCTL_TOKEN: 'bench_token_0123456789',
        BOTCTL_JOURNAL: await server.newDatabase(),
        PATH: process.env.PATH,
      };
      await run(bin, ['journal', 'migrate'], env);
      const begun = performance.now();
      await run(
        bin,
        ['batch', kind, path, '--once', 'bench', '--concurrency', process.env.CONC ?? '64'],
        env,
      );
      console.log(kind, bin, Math.round(rows / ((performance.now() - begun) / 1000)), 'rows/s');
    }
await server.close();
loop.kill();
