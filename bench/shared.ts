// npm run bench -- shared [--rows N] [--rounds N] [--pairs N] [--intents N] [--markdown] [--check]
// A batch with a journal on PostgreSQL, beside queues in PostgreSQL that make the same requests in the same run; what
// a shared journal costs a single send; and how a journal of a million intents answers.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { withMarked } from '../scripts/marked.ts';
import { type PostgresServer, startServer } from '../testing/postgres/server.ts';
import { programLine } from '../testing/program.ts';
import { compete } from './measure/contest.ts';
import { installQueues, versionsOf } from './measure/queues.ts';
import { hasNginx, noNginx, startNginx } from './measure/service.ts';
import { measureMillion } from './measure/sharedMillion.ts';
import { newJournal, type SharedScene } from './measure/sharedScene.ts';
import {
  drawSharedTable,
  missedSharedMarks,
  type SharedFigures,
  type StartFigures,
  sharedMarkdown,
} from './measure/sharedTables.ts';
import { homeIn } from './measure/stage.ts';
import { median, type Row, timeRows } from './measure/timing.ts';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '30000' },
    rounds: { type: 'string', default: '3' },
    pairs: { type: 'string', default: '31' },
    intents: { type: 'string', default: '1000000' },
    markdown: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
  },
});
const [rows = 0, rounds = 0, pairs = 0, intents = 0] = [
  values.rows,
  values.rounds,
  values.pairs,
  values.intents,
].map(Number);
const atOnce = 64;

async function measureAll(scene: SharedScene): Promise<SharedFigures> {
  const installed = installQueues(scene.folder);
  if ('why' in installed) console.log(installed.why);
  const queuesFolder = 'folder' in installed ? installed.folder : undefined;
  const placings = await compete({ scene, rows, rounds, atOnce, queuesFolder });
  const versions = queuesFolder === undefined ? '' : `, ${versionsOf(queuesFolder)}`;
  return {
    about: `Node ${process.version}, PostgreSQL 18${versions}, ${cpus().length} processors; ${inWords(rows)} rows, ${atOnce} requests at a time, medians of ${rounds} rounds; one process / two.`,
    placings,
    start: await measureStart(scene),
    million: intents === 0 ? undefined : await measureMillion(scene, intents),
  };
}

function inWords(count: number): string {
  return count.toLocaleString('en');
}

/** The same send with both kinds of journal, in turn. */
async function measureStart(scene: SharedScene): Promise<StartFigures> {
  const env = { ...homeIn(join(scene.folder, 'sender'), false), ...scene.env };
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
  const moreMs = median(shared.timesMs.map((ms, round) => ms - (file.timesMs[round] ?? Number.NaN)));
  return { fileMs: file.medianMs, sharedMs: shared.medianMs, moreMs };
}

function tell(figures: SharedFigures): void {
  console.log(drawSharedTable(figures));
  for (const { name, ms } of figures.million?.slowest.slice(0, 5) ?? [])
    console.log(`  ${name}: ${ms.toFixed(2)} ms`);
  const missed = missedSharedMarks(figures);
  for (const one of missed) console.log(one);
  if (values.check && missed.length > 0) process.exitCode = 1;
  if (!values.markdown) return;
  const page = 'docs/performance.md';
  writeFileSync(page, withMarked(readFileSync(page, 'utf8'), 'shared', sharedMarkdown(figures)));
}

async function withScene(work: (scene: SharedScene) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'botctl-bench-'));
  let server: PostgresServer | undefined;
  const service = await startNginx(folder);
  try {
    const started = await startServer();
    server = started;
    const env = { BOTCTL_BASE_URL: service.url, BOTCTL_TOKEN: 'bench_token_0123456789' };
    await work({ folder, serviceUrl: service.url, newDatabase: () => started.newDatabase(), env });
  } finally {
    await server?.close();
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

if (hasNginx()) await withScene(async (scene) => tell(await measureAll(scene)));
else console.log(noNginx);
