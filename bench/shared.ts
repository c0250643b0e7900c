import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PostgresServer, startServer } from '../testing/postgres/server.ts';
import { programLine } from '../testing/program.ts';
import type { Given } from './benches.ts';
import { compete, type Placing } from './measure/contest.ts';
import { installQueues, versionsOf } from './measure/queues.ts';
import { startNginx } from './measure/service.ts';
import { measureMillion } from './measure/sharedMillion.ts';
import { newJournal, type SharedScene } from './measure/sharedScene.ts';
import { homeIn } from './measure/stage.ts';
import type { Figures, Line, Measure } from './measure/table.ts';
import { median, type Row, timeRows } from './measure/timing.ts';

const columns = ['one process', 'two processes'] as const;
const atOnce = 64;

export const measure: Measure = async (given) => {
  const folder = mkdtempSync(join(tmpdir(), 'botctl-bench-'));
  const service = await startNginx(folder);
  if ('skipped' in service) return service;
  let server: PostgresServer | undefined;
  try {
    const started = await startServer();
    server = started;
    const env = { BOTCTL_BASE_URL: service.url, BOTCTL_TOKEN: 'bench_token_0123456789' };
    const newDatabase = () => started.newDatabase();
    return await measureAll({ folder, serviceUrl: service.url, newDatabase, env }, given);
  } finally {
    await server?.close();
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
};

async function measureAll(scene: SharedScene, given: Given): Promise<Figures> {
  const [rows, rounds] = [given.number('rows'), given.number('rounds')];
  const installed = installQueues(scene.folder);
  if ('why' in installed) console.log(installed.why);
  const queuesFolder = 'folder' in installed ? installed.folder : undefined;
  const placings = await compete({ scene, rows, rounds, atOnce, queuesFolder });
  const versions = queuesFolder === undefined ? '' : `, ${versionsOf(queuesFolder)}`;
  return {
    about: `PostgreSQL 18${versions}; rows a second, of ${rows.toLocaleString('en')}, ${atOnce} requests at a time, medians of ${rounds} rounds in turn`,
    columns,
    lines: [
      ...placings.flatMap(placingLines),
      ...besideQueues(placings),
      await startLine(scene, given.number('pairs')),
      ...(await measureMillion(scene, given.number('entries'))),
    ],
  };
}

function placingLines({ name, perS }: Placing): Line[] {
  return columns.map((column, at) => {
    const rate = perS[at] ?? Number.NaN;
    return { what: name, column, figure: Math.round(rate).toLocaleString('en') };
  });
}

/** With as many processes, the queue at its defaults that is faster. */
function besideQueues(placings: readonly Placing[]): Line[] {
  const rated = (names: readonly string[], at: number): number =>
    Math.max(
      ...placings.filter(({ name }) => names.includes(name)).map(({ perS }) => perS[at] ?? Number.NaN),
    );
  return columns.map((column, at) => {
    const value =
      rated(['botctl batch send'], at) / rated(['pg-boss', 'graphile-worker, at its defaults'], at);
    return {
      what: 'batch send, beside the faster plain queue',
      column,
      figure: `${value.toFixed(2)} ×`,
      value,
    };
  });
}

/** The same send with both kinds of journal, in turn. */
async function startLine(scene: SharedScene, pairs: number): Promise<Line> {
  const env = { ...homeIn(join(scene.folder, 'sender')), ...scene.env };
  const row = (name: string, more: NodeJS.ProcessEnv): Row => ({
    name,
    command: (run) => [
      ...programLine,
      ...['send', '--conversation', 'conv_demo', '--content', 'hello', '--once', `${name} ${run}`],
    ],
    env: { ...env, ...more },
  });
  const [file, shared] = timeRows(
    [row('file', {}), row('shared', { BOTCTL_JOURNAL: await newJournal(scene) })],
    pairs,
  );
  if (file === undefined || shared === undefined) throw new Error('nothing was timed');
  const value = median(shared.timesMs.map((ms, round) => ms - (file.timesMs[round] ?? Number.NaN)));
  return { what: 'a send: more than with a journal in a file', figure: `${value.toFixed(0)} ms`, value };
}
