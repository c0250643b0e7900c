// npm run bench -- batch [--large]: rows a second with the full durable journal, beside curl in the same run.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const rounds = 3;
const botctl = resolve('bin/botctl.js');
const folder = mkdtempSync(join(tmpdir(), 'botctl-bench-'));
const reply = '{"message":{"id":"msg_1"},"request_id":"req_1"}';

function freePort(): Promise<number> {
  return new Promise((resolvePort) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolvePort(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

/** A service that is not ours and does next to nothing. */
async function startNginx(port: number): Promise<ChildProcess> {
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const temp = paths.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ');
  const location = `location / { default_type application/json; return 200 '${reply}'; }`;
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; pid ${folder}/pid; error_log ${folder}/error.log; worker_processes 1;
     events { worker_connections 512; }
     http { access_log off; keepalive_requests 100000000; ${temp}
       server { listen 127.0.0.1:${port}; ${location} } }`,
  );
  const child = spawn('nginx', ['-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')], {
    stdio: 'ignore',
  });
  await new Promise((resolveLater) => setTimeout(resolveLater, 300));
  return child;
}

async function writeRows(name: string, rows: number): Promise<string> {
  const path = join(folder, name);
  const file = createWriteStream(path);
  file.write('id,conversation_id,content\n');
  for (let row = 0; row < rows; row += 1) {
    if (!file.write(`r${row},conv_demo,"Hello, number ${row}"\n`)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'close');
  return path;
}

type Run = { readonly seconds: number; readonly peakMb: number; readonly code: number | null };

/** Runs a program to its end, and watches how much memory it takes. */
async function run(
  program: string,
  words: readonly string[],
  env: Record<string, string> = {},
): Promise<Run> {
  const begun = performance.now();
  const child = spawn(program, words, { env: { ...process.env, ...env }, stdio: 'ignore' });
  let peakMb = 0;
  const look = setInterval(() => {
    try {
      const [, kb] = /VmHWM:\s+(\d+) kB/u.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
      peakMb = Math.max(peakMb, Number(kb) / 1024);
    } catch {
      // It has just ended.
    }
  }, 50);
  const [code] = (await once(child, 'close')) as [number | null];
  clearInterval(look);
  return { seconds: (performance.now() - begun) / 1000, peakMb, code };
}

function batch(rows: string, journal: string, url: string, concurrency = 16): Promise<Run> {
  const words = ['batch', 'send', rows, '--once', 'bench', '--journal', join(folder, journal)];
  const env = { BOTCTL_BASE_URL: url, BOTCTL_TOKEN: 'bench', HOME: folder, XDG_CONFIG_HOME: folder };
  return run(process.execPath, [botctl, ...words, '--concurrency', `${concurrency}`], env);
}

function curlAll(requests: number, url: string): Promise<Run> {
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
  return run('curl', ['-s', '--parallel', '--parallel-max', '16', '-K', config]);
}

function xargsCurl(requests: number, url: string): Promise<Run> {
  const data = '{"conversation_id":"conv_demo","content":"Hello, number {}"}';
  const line = `seq ${requests} | xargs -P 4 -I{} curl -s -o /dev/null -H 'Content-Type: application/json' -H 'Authorization: Bot bench' -d '${data}' ${url}/api/bot/v1/messages/send`;
  return run('sh', ['-c', line]);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

async function compare(url: string): Promise<void> {
  const rows = 50_000;
  const path = await writeRows('rows.csv', rows);
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
  const path = await writeRows('many.csv', 100_000);
  await batch(path, 'many.db', url, 64);
  // Whoever makes a request now fails.
  await stopService();
  const { seconds, code } = await batch(path, 'many.db', url);
  console.log(
    `re-run of 100,000 finished rows: ${seconds.toFixed(2)} s, exit ${code}, no service (mark 5 s, exit 0)`,
  );
}

async function memory(url: string): Promise<void> {
  const few = await batch(await writeRows('few.csv', 10_000), 'few.db', url);
  const large = await batch(await writeRows('large.csv', 1_000_000), 'large.db', url);
  console.log(
    `peak memory: ${few.peakMb.toFixed(0)} MB at 10,000 rows, ${large.peakMb.toFixed(0)} MB at 1,000,000`,
  );
  console.log(
    `${(large.peakMb / few.peakMb).toFixed(2)} × (mark 1.3); ${(1_000_000 / large.seconds).toFixed(0)} rows/s`,
  );
}

if (spawnSync('nginx', ['-v']).error !== undefined) {
  console.log('nginx is not installed (Debian: nginx-light): there is no service to measure against.');
} else {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const nginx = await startNginx(port);
  const stop = async (): Promise<void> => {
    if (nginx.exitCode !== null || nginx.signalCode !== null) return;
    nginx.kill('SIGTERM');
    await once(nginx, 'close');
  };
  try {
    await compare(url);
    if (process.argv.includes('--large')) await memory(url);
    await rerun(url, stop);
  } finally {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
