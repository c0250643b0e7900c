import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RowKind, writeRows } from './measure/rowFiles.ts';
import { startNginx } from './measure/service.ts';
import { type Line, type Measure, memoryLine } from './measure/table.ts';
import { median } from './measure/timing.ts';
import { runBotctl, type WholeRun, wholeRun } from './measure/wholeRun.ts';

export const measure: Measure = async (given) => {
  const folder = mkdtempSync(join(tmpdir(), 'botctl-bench-'));
  const service = await startNginx(folder);
  const scene = { folder, url: service.url };
  const rounds = given('rounds');
  try {
    const lines = await compare(scene, rounds);
    lines.push(await memory(scene), await rerun(scene, service.stop));
    return {
      about: `Rows, or requests, a second; nginx is the service; medians of ${rounds} rounds; × is the rate of curl --parallel`,
      columns: ['botctl'],
      lines,
    };
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
};

type Scene = { readonly folder: string; readonly url: string };

type Batch = {
  readonly kind: RowKind;
  readonly rows: number;
  readonly atOnce: number;
  readonly journal: string;
};

async function run({ kind, rows, atOnce, journal }: Batch, { folder, url }: Scene): Promise<WholeRun> {
  const path = join(folder, `${kind}-${rows}.csv`);
  await writeRows(path, kind, 0, rows);
  const words = ['batch', kind, path, '--once', 'bench', '--journal', join(folder, journal)];
  const env = { BOTCTL_BASE_URL: url, BOTCTL_TOKEN: 'bench', HOME: folder, XDG_CONFIG_HOME: folder };
  return runBotctl([...words, '--concurrency', `${atOnce}`], env);
}

function curlAll(requests: number, { folder, url }: Scene): Promise<WholeRun> {
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

function xargsCurl(requests: number, { url }: Scene): Promise<WholeRun> {
  const data = '{"conversation_id":"conv_demo","content":"Hello, number {}"}';
  const line = `seq ${requests} | xargs -P 4 -I{} curl -s -o /dev/null -H 'Content-Type: application/json' -H 'Authorization: Bot bench' -d '${data}' ${url}/api/bot/v1/messages/send`;
  return wholeRun('sh', ['-c', line]);
}

type Contestant = { readonly what: string; readonly perS: (round: number) => Promise<number> };

const batches = [
  { kind: 'send', rows: 20_000, atOnce: 16 },
  { kind: 'send', rows: 50_000, atOnce: 16 },
  { kind: 'send', rows: 50_000, atOnce: 64 },
  { kind: 'transfer', rows: 20_000, atOnce: 16 },
] as const;

/** Each in turn, round after round, so that a machine that is slow for a while is slow for everybody. */
async function compare(scene: Scene, rounds: number): Promise<Line[]> {
  const peers: Contestant[] = [
    { what: 'xargs -P 4 curl', perS: async () => 1000 / (await xargsCurl(1000, scene)).seconds },
    { what: 'curl --parallel, 16 at a time', perS: async () => 5000 / (await curlAll(5000, scene)).seconds },
  ];
  const own = batches.map(
    ({ kind, rows, atOnce }, nth): Contestant => ({
      what: `batch ${kind}, ${counted(rows)} rows, ${atOnce} at a time`,
      perS: async (round) => {
        const journal = `${nth}-${round}.db`;
        return rows / (await run({ kind, rows, atOnce, journal }, scene)).seconds;
      },
    }),
  );
  const taken = [...peers, ...own].map((one) => ({ ...one, rates: [] as number[] }));
  for (let round = 0; round < rounds; round += 1)
    for (const { perS, rates } of taken) rates.push(await perS(round));
  const rated = taken.map(({ what, rates }) => ({ what, rate: median(rates) }));
  const curl = rated[1]?.rate ?? Number.NaN;
  return rated.map(({ what, rate }) => ({
    what,
    figure: `${counted(rate)}, ${(rate / curl).toFixed(2)} ×`,
    value: rate / curl,
  }));
}

async function rerun(scene: Scene, stopService: () => Promise<void>): Promise<Line> {
  const many = { kind: 'send', rows: 100_000, atOnce: 64, journal: 'many.db' } as const;
  await run(many, scene);
  // If a request is made now it fails.
  await stopService();
  const { seconds } = await run(many, scene);
  return {
    what: '100,000 finished rows again, no service',
    figure: `${seconds.toFixed(1)} s`,
    value: seconds,
  };
}

async function memory(scene: Scene): Promise<Line> {
  const rowsOf = (rows: number): Promise<WholeRun> =>
    run({ kind: 'send', rows, atOnce: 16, journal: `${rows}.db` }, scene);
  return memoryLine('memory: 250,000 rows, beside 10,000', await rowsOf(250_000), await rowsOf(10_000));
}

function counted(number: number): string {
  return Math.round(number).toLocaleString('en-US');
}
