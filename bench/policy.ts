// npm run bench -- policy [--pairs N] [--rows N] [--rounds N] [--shared]
// What a policy costs: CPU time of a single transfer, and of each row of a batch, with a limit of a day and without,
// in alternation; with `--shared` in two journals of a PostgreSQL of its own, whose CPU time is not in it.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startServer } from '../testing/postgres/server.ts';
import { programLine } from '../testing/program.ts';
import { writeRows } from './measure/rowFiles.ts';
import { newJournal } from './measure/sharedScene.ts';
import { median } from './measure/timing.ts';

const { values } = parseArgs({
  options: {
    pairs: { type: 'string', default: '41' },
    rows: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '5' },
    shared: { type: 'boolean', default: false },
  },
});
const [pairs = 0, rows = 0, rounds = 0] = [values.pairs, values.rows, values.rounds].map(Number);
const folder = mkdtempSync(join(tmpdir(), 'botctl-bench-'));
const recipient = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
const kinds = ['with', 'without'] as const;
type Kind = (typeof kinds)[number];

/** A service in a process of its own, in which every transfer is done at once. */
const serving = `let n = 0;
const server = require('node:http').createServer((request, response) => {
  request.resume().on('end', () => {
    n += 1;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ transfer_id: 't' + n, status: 'confirmed', signature: 's' + n, request_id: 'r' }));
  });
}).listen(0, '127.0.0.1', () => console.log(server.address().port));`;

function homeOf(kind: Kind, url: string): NodeJS.ProcessEnv {
  const home = join(folder, kind);
  mkdirSync(join(home, 'botctl'), { recursive: true, mode: 0o700 });
  const limits = { SOL: { day: '1000000' }, USDC: { day: '100000000' } };
  const policy = join(home, 'policy.json');
  writeFileSync(policy, JSON.stringify({ schema: 'botctl-policy/1', limits, fresh_journal: 'allow' }), {
    mode: 0o600,
  });
  const bot = { 'base-url': url, token: { kind: 'stored', secret: 'bench' } };
  const profiles = { bot: kind === 'with' ? { ...bot, policy } : bot };
  writeFileSync(
    join(home, 'botctl', 'config.json'),
    JSON.stringify({ version: 1, 'in-use': 'bot', profiles }),
    { mode: 0o600 },
  );
  return { PATH: process.env.PATH, HOME: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home };
}

/** User and system time of the whole process. */
function cpuMs(words: readonly string[], env: NodeJS.ProcessEnv): number {
  const line = `TIMEFORMAT='%U %S'; time "$@" > /dev/null 2> "$ERRORS"`;
  const errors = join(folder, 'errors');
  const ran = spawnSync('bash', ['-c', line, 'bash', ...programLine, ...words], {
    env: { ...env, ERRORS: errors },
    encoding: 'utf8',
  });
  const [user = 0, system = 0] = ran.stderr.trim().split(/\s+/u).map(Number);
  if (ran.status !== 0) throw new Error(`botctl ${words.join(' ')} ended with ${ran.status}; see ${errors}`);
  return 1000 * (user + system);
}

function report(
  what: string,
  taken: Readonly<Record<Kind, readonly number[]>>,
  per: number,
  unit: string,
): void {
  const [held, free] = [median(taken.with) / per, median(taken.without) / per];
  const more = median(taken.with.map((one, at) => one - (taken.without[at] ?? 0))) / per;
  console.log(
    `${what}: ${free.toFixed(3)} ${unit} without, ${held.toFixed(3)} with; the median pair ${more.toFixed(3)} more (${((100 * more) / free).toFixed(1)} %)`,
  );
}

const server = values.shared ? await startServer() : undefined;
const service = spawn(process.execPath, ['-e', serving], { stdio: ['ignore', 'pipe', 'inherit'] });
try {
  const [port] = (await once(service.stdout, 'data')) as [Buffer];
  const url = `http://127.0.0.1:${String(port).trim()}`;
  const shared = async (): Promise<NodeJS.ProcessEnv> =>
    server === undefined
      ? {}
      : { BOTCTL_JOURNAL: await newJournal({ newDatabase: () => server.newDatabase() }) };
  const homes = {
    with: { ...homeOf('with', url), ...(await shared()) },
    without: { ...homeOf('without', url), ...(await shared()) },
  };
  if (server !== undefined) cpuMs(['policy', 'set', join(folder, 'with', 'policy.json')], homes.with);
  const send = (kind: Kind, name: string): number =>
    cpuMs(['transfer', '--once', name, '--to', recipient, '--asset', 'SOL', '--amount', '0.1'], homes[kind]);
  for (const kind of kinds) for (const n of [1, 2, 3]) send(kind, `warm-${kind}-${n}`);
  const single: Record<Kind, number[]> = { with: [], without: [] };
  for (let pair = 0; pair < pairs; pair += 1)
    for (const kind of kinds) single[kind].push(send(kind, `send-${kind}-${pair}`));
  report('a transfer', single, 1, 'ms');
  const batch: Record<Kind, number[]> = { with: [], without: [] };
  for (let round = 0; round < rounds; round += 1) {
    const path = join(folder, `rows-${round}.csv`);
    await writeRows(path, 'transfer', round * rows, (round + 1) * rows);
    for (const kind of kinds)
      batch[kind].push(cpuMs(['batch', 'transfer', path, '--once', `b-${kind}-${round}`], homes[kind]));
  }
  report(`a row of ${rows}`, batch, rows / 1000, 'µs');
} finally {
  service.kill();
  await server?.close();
  rmSync(folder, { recursive: true, force: true });
}
