// npm run bench -- history [--intents N] [--rounds N]
// Every filter of history against `history --limit 20`, in a file and on PostgreSQL, and what an export takes: whole
// processes.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startServer } from '../testing/postgres/server.ts';
import { program, programLine, programWords } from '../testing/program.ts';
import { makeVariedJournal, rejectAllButTheOldest } from './measure/longJournal.ts';
import {
  makeVariedSharedJournal,
  rejectAllButTheOldest as rejectAllButTheOldestShared,
} from './measure/longSharedJournal.ts';
import { setStage } from './measure/stage.ts';
import { timeRows } from './measure/timing.ts';
import { wholeRun } from './measure/wholeRun.ts';

const { values } = parseArgs({
  options: {
    intents: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '11' },
  },
});

const filters: readonly (readonly string[])[] = [
  ['--state', 'held'],
  ['--state', 'accepted'],
  ['--state', 'rejected'],
  ['--kind', 'transfer'],
  ['--bot', 'rare'],
  ['--to', '7o36UsWR1JQLpZ9PE2gn9L4SQ69CNNiWAXd4Jt7rqz9Z'],
  ['--name', 'rent-'],
  ['--name', 'pay'],
  ['--batch', 'payroll'],
  ['--since', '2d'],
  ['--until', '9d'],
  ['--batch', 'payroll', '--state', 'held'],
  ['--batch', 'payroll', '--state', 'rejected'],
  ['--bot', 'rare', '--state', 'held'],
];

type Held = { readonly env: NodeJS.ProcessEnv; readonly where: string };

function timeFilters({ env, where }: Held, asked: readonly (readonly string[])[]): void {
  const row = (more: readonly string[]) => ({
    name: `${where}: history ${more.join(' ')}`,
    command: () => [...programLine, 'history', ...more] as const,
    env,
  });
  const timings = timeRows([row(['--limit', '20']), ...asked.map(row)], Number(values.rounds));
  for (const { name, medianMs, ratio, cpuRatio } of timings)
    console.log(
      `${name.padEnd(64)} ${medianMs.toFixed(0).padStart(5)} ms  ${ratio.toFixed(2)} x, CPU ${cpuRatio?.toFixed(2) ?? '?'} x`,
    );
}

async function measureExports({ env, where }: Held, intents: number): Promise<void> {
  for (const limit of [Math.floor(intents / 20), Math.floor(intents / 2)]) {
    const exporting = [
      ...programWords,
      'history',
      '--format',
      'csv',
      '--state',
      'accepted',
      '--limit',
      String(limit),
    ];
    const run = await wholeRun(program, exporting, env);
    console.log(
      `${where}: export of ${limit}: exit ${run.code}, ${run.seconds.toFixed(1)} s, ${run.peakMb.toFixed(0)} MB at most`,
    );
  }
}

/** What was accepted is few and old only in the end. */
const amongRefused = [
  ['--state', 'accepted'],
  ['--batch', 'payroll', '--state', 'rejected'],
  ['--kind', 'transfer', '--state', 'accepted'],
] as const;

const stage = await setStage(false);
const server = await startServer();
try {
  const intents = Number(values.intents);
  const journal = join(stage.folder, 'long.db');
  await makeVariedJournal(journal, intents);
  const url = await makeVariedSharedJournal({ newDatabase: () => server.newDatabase() }, intents);
  const places = [
    { where: 'file', place: journal, rejectRest: () => rejectAllButTheOldest(journal) },
    { where: 'PostgreSQL', place: url, rejectRest: () => rejectAllButTheOldestShared(url) },
  ];
  for (const { where, place, rejectRest } of places) {
    const held = { where, env: { ...stage.env, BOTCTL_JOURNAL: place } };
    timeFilters(held, filters);
    await measureExports(held, intents);
    await rejectRest();
    timeFilters({ ...held, where: `${where}, all but 30 rejected` }, amongRefused);
  }
} finally {
  await server.close();
  stage.end();
}
