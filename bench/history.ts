import { join } from 'node:path';
import { startServer } from '../test/support/postgres/server.ts';
import { programLine } from '../test/support/program.ts';
import { makeVariedJournal, rejectAllButTheOldest } from './measure/longJournal.ts';
import {
  makeVariedSharedJournal,
  rejectAllButTheOldest as rejectAllButTheOldestShared,
} from './measure/longSharedJournal.ts';
import { setStage } from './measure/stage.ts';
import { type Line, type Measure, memoryLine } from './measure/table.ts';
import { timeRows } from './measure/timing.ts';
import { runBotctl } from './measure/wholeRun.ts';

const filters: readonly string[] = [
  '--state held',
  '--state accepted',
  '--state rejected',
  '--kind transfer',
  '--to 7o36UsWR1JQLpZ9PE2gn9L4SQ69CNNiWAXd4Jt7rqz9Z',
  '--asset SOL',
  '--batch payroll',
  '--since 2d',
  '--until 9d',
  '--batch payroll --state held',
  '--batch payroll --state rejected',
  '--asset SOL --state held',
];

/** What was accepted is few and old only in the end. */
const amongRejected = [
  '--state accepted',
  '--batch payroll --state rejected',
  '--kind transfer --state accepted',
];

type Given = Parameters<Measure>[0];

type Place = {
  readonly column: string;
  readonly env: NodeJS.ProcessEnv;
  readonly rejectRest: () => Promise<void>;
};

export const measure: Measure = async (given) => {
  const stage = await setStage();
  const server = await startServer();
  try {
    const entries = given('entries');
    const file = join(stage.folder, 'long.db');
    await makeVariedJournal(file, entries);
    const url = await makeVariedSharedJournal({ newDatabase: () => server.newDatabase() }, entries);
    const at = (place: string) => ({ ...stage.env, BOTCTL_JOURNAL: place });
    const places: readonly Place[] = [
      { column: 'a file', env: at(file), rejectRest: () => rejectAllButTheOldest(file) },
      { column: 'PostgreSQL', env: at(url), rejectRest: () => rejectAllButTheOldestShared(url) },
    ];
    const lines: Line[] = [];
    for (const place of places) lines.push(...(await linesOf(place, given)));
    return {
      about: `A journal of ${entries.toLocaleString('en')} entries; medians of ${given('rounds')} rounds; × is the time of history --limit 20`,
      columns: places.map(({ column }) => column),
      lines,
    };
  } finally {
    await server.close();
    stage.end();
  }
};

async function linesOf(place: Place, given: Given): Promise<Line[]> {
  const { column, env, rejectRest } = place;
  const entries = given('entries');
  const timed = timeFilters(filters, '', place, given);
  const exportOf = (part: number) =>
    runBotctl(
      ['history', '--format', 'csv', '--state', 'accepted', '--limit', String(Math.floor(entries / part))],
      env,
    );
  const exported = memoryLine(
    'memory of an export of half, beside a twentieth',
    await exportOf(2),
    await exportOf(20),
  );
  await rejectRest();
  const all = [...timed, ...timeFilters(amongRejected, ', all but 30 rejected', place, given)];
  const slowest = Math.max(...all.map(({ value }) => value ?? Number.NaN));
  return [
    ...all,
    { what: 'the slowest filter', figure: `${slowest.toFixed(2)} ×`, value: slowest },
    exported,
  ].map((line) => ({ ...line, column }));
}

function timeFilters(asked: readonly string[], when: string, { env }: Place, given: Given): Line[] {
  const rows = ['--limit 20', ...asked].map((words) => ({
    name: `history ${words}${when}`,
    command: () => [...programLine, 'history', ...words.split(' ')] as const,
    env,
  }));
  return timeRows(rows, given('rounds')).map(({ name, medianMs, ratio }) => ({
    what: name,
    figure: `${medianMs.toFixed(0)} ms, ${ratio.toFixed(2)} ×`,
    value: ratio,
  }));
}
