// npm run bench -- batch [--large]: rows a second with the full durable journal, beside curl in the same run.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeRows } from './measure/rowFiles.ts';
import { hasNginx, noNginx, startNginx } from './measure/service.ts';
import { botctl } from './measure/stage.ts';
import { median } from './measure/timing.ts';
import { type WholeRun, wholeRun } from './measure/wholeRun.ts';

const rounds = 3;
const folder = mkdtempSync(join(tmpdir(), 'botctl-bench-'));

async function rowsIn(name: string, rows: number): Promise<string> {
  const path = join(folder, name);
  await writeRows(path, 'send', 0, rows);
  return path;
}

function batch(rows: string, journal: string, url: string, concurrency = 16): Promise<WholeRun> {
  const words = ['batch', 'send', rows, '--once', 'bench', '--journal', join(folder, journal)];
  const env = { BOTCTL_BASE_URL: url, BOTCTL_TOKEN: 'bench', HOME: folder, XDG_CONFIG_HOME: folder };
  return wholeRun(process.execPath, [botctl, ...words, '--concurrency', `${concurrency}`], env);
}

function curlAll(requests: number, url: string): Promise<WholeRun> {
  const one = (row: number): string =>
    [
      `url = "${url}/api/bot/v1/messages/send"`,
      'header = "Content-Type: application/json"',
      'header = "Authorization: Bot bench"',
      `data = "{\\"conversation_id\\":\\"conv_demo\\",\\"content\\":\\"Hello, number ${row}\\"}"`,
      'output = "/dev/null"',
    ].join('\n');
  const config = join(folder, 'curl.cfg');
  writeFileSync(config, Array.from({ length: requests }, (_, row) => one(row)).join('\nnext\n'));
  return wholeRun('curl', ['-s', '--parallel', '--parallel-max', '16', '-K', config]);
}

function xargsCurl(requests: number, url: string): Promise<WholeRun> {
  const data = '{"conversation_id":"conv_demo","content":"Hello, number {}"}';
  const line = `seq ${requests} | xargs -P 4 -I{} curl -s -o /dev/null -H 'Content-Type: application/json' -H 'Authorization: Bot bench' -d '${data}' ${url}/api/bot/v1/messages/send`;
  return wholeRun('sh', ['-c', line]);
}

async function compare(url: string): Promise<void> {
  const rows = 50_000;
  const path = await rowsIn('rows.csv', rows);
  const perS = { batch: [] as number[], wide: [] as number[], curl: [] as number[], xargs: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    perS.batch.push(rows / (await batch(path, `journal-${round}.db`, url)).seconds);
    perS.wide.push(rows / (await batch(path, `wide-${round}.db`, url, 64)).seconds);
    perS.curl.push(5000 / (await curlAll(5000, url)).seconds);
    perS.xargs.push(1000 / (await xargsCurl(1000, url)).seconds);
  }
  const [curl, xargs] = [median(perS.curl), median(perS.xargs)];
  console.log(`curl --parallel     ${curl.toFixed(0)} requests/s (5000, 16 at once, no journal)`);
  console.log(`xargs -P 4 curl     ${xargs.toFixed(0)} requests/s (1000)`);
  for (const [ours, atATime] of [
    [median(perS.batch), 16],
    [median(perS.wide), 64],
  ] as const) {
    console.log(
      `botctl batch send   ${ours.toFixed(0)} rows/s (${rows}, ${atATime} at a time, start and checks included)`,
    );
    console.log(
      `                    ${(ours / xargs).toFixed(1)} × xargs -P 4 curl (mark 20), ${(ours / curl).toFixed(2)} × curl --parallel (mark 0.4)`,
    );
  }
}

async function rerun(url: string, stopService: () => Promise<void>): Promise<void> {
  const path = await rowsIn('many.csv', 100_000);
  await batch(path, 'many.db', url, 64);
  // Whoever makes a request now fails.
  await stopService();
  const { seconds, code } = await batch(path, 'many.db', url);
  console.log(
    `re-run of 100,000 finished rows: ${seconds.toFixed(2)} s, exit ${code}, no service (mark 5 s, exit 0)`,
  );
}

async function memory(url: string): Promise<void> {
  const few = await batch(await rowsIn('few.csv', 10_000), 'few.db', url);
  const large = await batch(await rowsIn('large.csv', 1_000_000), 'large.db', url);
  console.log(
    `peak memory: ${few.peakMb.toFixed(0)} MB at 10,000 rows, ${large.peakMb.toFixed(0)} MB at 1,000,000`,
  );
  console.log(
    `${(large.peakMb / few.peakMb).toFixed(2)} × (mark 1.3); ${(1_000_000 / large.seconds).toFixed(0)} rows/s`,
  );
}

if (!hasNginx()) {
  console.log(noNginx);
} else {
  const service = await startNginx(folder);
  try {
    await compare(service.url);
    if (process.argv.includes('--large')) await memory(service.url);
    await rerun(service.url, service.stop);
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
