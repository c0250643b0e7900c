// npm run bench -- history [--intents N] [--rounds N]
// Every filter of history against `history --limit 20`, and what an export takes: whole processes.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeVariedJournal } from './measure/longJournal.ts';
import { botctl, setStage } from './measure/stage.ts';
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
  ['--kind', 'transfer'],
  ['--bot', 'rare'],
  ['--to', '7o36UsWR1JQLpZ9PE2gn9L4SQ69CNNiWAXd4Jt7rqz9Z'],
  ['--name', 'rent-'],
  ['--name', 'pay'],
  ['--batch', 'payroll'],
  ['--since', '2d'],
  ['--until', '9d'],
  ['--batch', 'payroll', '--state', 'held'],
];

const stage = await setStage(false);
try {
  const journal = join(stage.folder, 'long.db');
  const intents = Number(values.intents);
  await makeVariedJournal(journal, intents);
  const words = [botctl, 'history', '--journal', journal];
  const row = (more: readonly string[]) => ({
    name: `history ${more.join(' ')}`,
    command: () => [process.execPath, ...words, ...more] as const,
    env: stage.env,
  });
  const timings = timeRows([row(['--limit', '20']), ...filters.map(row)], Number(values.rounds));
  for (const { name, medianMs, ratio, cpuRatio } of timings)
    console.log(
      `${name.padEnd(64)} ${medianMs.toFixed(0).padStart(5)} ms  ${ratio.toFixed(2)} x, CPU ${cpuRatio?.toFixed(2) ?? '?'} x`,
    );
  for (const limit of [Math.floor(intents / 20), Math.floor(intents / 2)]) {
    const exporting = [...words, '--format', 'csv', '--state', 'accepted', '--limit', String(limit)];
    const run = await wholeRun(process.execPath, exporting, stage.env);
    console.log(
      `export of ${limit}: exit ${run.code}, ${run.seconds.toFixed(1)} s, ${run.peakMb.toFixed(0)} MB at most`,
    );
  }
} finally {
  stage.end();
}
