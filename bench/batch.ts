// npm run bench -- batch [--large] [--check] [--markdown]
// Rows a second with the full durable journal, beside curl in the same run.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withMarked } from '../scripts/marked.ts';
import { program, programWords } from '../testing/program.ts';
import { type RowKind, writeRows } from './measure/rowFiles.ts';
import { hasNginx, noNginx, startNginx } from './measure/service.ts';
import { median } from './measure/timing.ts';
import { type WholeRun, wholeRun } from './measure/wholeRun.ts';

const rounds = 3;
const folder = mkdtempSync(join(tmpdir(), 'botctl-bench-'));

async function rowsIn(name: string, rows: number, kind: RowKind = 'send'): Promise<string> {
  const path = join(folder, name);
  await writeRows(path, kind, 0, rows);
  return path;
}

function batch(
  rows: string,
  journal: string,
  url: string,
  concurrency = 16,
  kind: RowKind = 'send',
): Promise<WholeRun> {
  const words = ['batch', kind, rows, '--once', 'bench', '--journal', join(folder, journal)];
  const env = { BOTCTL_BASE_URL: url, BOTCTL_TOKEN: 'bench', HOME: folder, XDG_CONFIG_HOME: folder };
  return wholeRun(program, [...programWords, ...words, '--concurrency', `${concurrency}`], env);
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

type Contest = {
  readonly kind: RowKind;
  readonly rows: number;
  readonly concurrency: number;
  /** How many times as many rows a second as either of them. */
  readonly atLeast: { readonly xargs?: number; readonly curl?: number };
};

const contests: readonly Contest[] = [
  { kind: 'send', rows: 20_000, concurrency: 16, atLeast: { xargs: 22, curl: 0.28 } },
  { kind: 'send', rows: 50_000, concurrency: 16, atLeast: { curl: 0.37 } },
  { kind: 'send', rows: 50_000, concurrency: 64, atLeast: {} },
  { kind: 'transfer', rows: 20_000, concurrency: 16, atLeast: { xargs: 16 } },
];

const peers = {
  xargs: 'xargs -P 4 curl, 1,000 requests',
  curl: 'curl --parallel, 16 at once, 5,000 requests',
} as const;

/** Each in turn, round after round, so that a machine that is slow for a while is slow for everybody. */
async function compare(url: string): Promise<void> {
  const perS = { xargs: [] as number[], curl: [] as number[], own: contests.map((): number[] => []) };
  for (let round = 0; round < rounds; round += 1) {
    perS.xargs.push(1000 / (await xargsCurl(1000, url)).seconds);
    perS.curl.push(5000 / (await curlAll(5000, url)).seconds);
    for (const [nth, { kind, rows, concurrency }] of contests.entries()) {
      const path = await rowsIn(`${nth}.csv`, rows, kind);
      const { seconds, code } = await batch(path, `${nth}-${round}.db`, url, concurrency, kind);
      if (code !== 0) throw new Error(`batch ${kind}: exit ${code}`);
      perS.own[nth]?.push(rows / seconds);
    }
  }
  const [xargs, curl] = [median(perS.xargs), median(perS.curl)];
  say(peers.xargs, `${counted(xargs)} a second`);
  say(peers.curl, `${counted(curl)} a second`);
  for (const [nth, contest] of contests.entries())
    tell(contest, median(perS.own[nth] ?? []), { xargs, curl });
}

function tell(
  { kind, rows, concurrency, atLeast }: Contest,
  own: number,
  of: { xargs: number; curl: number },
): void {
  const against = (['xargs', 'curl'] as const).map((peer) => {
    const times = own / of[peer];
    const mark = atLeast[peer];
    const told = `${times.toFixed(peer === 'xargs' ? 1 : 2)} × ${peer === 'xargs' ? 'xargs' : 'curl --parallel'}`;
    if (mark === undefined) return told;
    return `${told} (at least ${mark}${times < mark ? `: ${missed}` : ''})`;
  });
  say(
    `batch ${kind}, ${counted(rows)} rows, ${concurrency} at a time`,
    `${counted(own)} rows a second: ${against.join(', ')}`,
  );
}

async function rerun(url: string, stopService: () => Promise<void>): Promise<void> {
  const path = await rowsIn('many.csv', 100_000);
  await batch(path, 'many.db', url, 64);
  // Whoever makes a request now fails.
  await stopService();
  const { seconds, code } = await batch(path, 'many.db', url);
  say(
    '100,000 finished rows run again, without a service',
    `${seconds.toFixed(1)} s, exit ${code} (at most 5 s${seconds > 5 ? `: ${missed}` : ''})`,
  );
}

async function memory(url: string): Promise<void> {
  const few = await batch(await rowsIn('few.csv', 10_000), 'few.db', url);
  const large = await batch(await rowsIn('large.csv', 1_000_000), 'large.db', url);
  const times = large.peakMb / few.peakMb;
  say(
    'peak memory at 1,000,000 rows',
    `${large.peakMb.toFixed(0)} MB, ${times.toFixed(2)} of that at 10,000 (at most 1.2${times > 1.2 ? `: ${missed}` : ''}); ${counted(1_000_000 / large.seconds)} rows a second`,
  );
}

const missed = '**missed**';
const table: string[] = [];

function say(what: string, figure: string): void {
  table.push(`| ${what} | ${figure} |`);
  console.log(`${what.padEnd(52)} ${figure}`);
}

function counted(number: number): string {
  return Math.round(number).toLocaleString('en-US');
}

function putIntoPage(): void {
  const page = 'docs/performance.md';
  const head = [
    `Node ${process.version}, nginx as the service, medians of ${rounds} rounds in turn.`,
    '',
    '| what | figure |',
    '| ---- | ------ |',
  ];
  writeFileSync(page, withMarked(readFileSync(page, 'utf8'), 'batch', [...head, ...table].join('\n')));
}

if (!hasNginx()) {
  console.log(noNginx);
} else {
  const service = await startNginx(folder);
  try {
    await compare(service.url);
    if (process.argv.includes('--large')) await memory(service.url);
    await rerun(service.url, service.stop);
    if (process.argv.includes('--markdown')) putIntoPage();
    if (process.argv.includes('--check') && table.some((line) => line.includes(missed))) process.exitCode = 1;
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
