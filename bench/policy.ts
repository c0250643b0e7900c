import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startServer } from '../test/support/postgres/server.ts';
import { programLine } from '../test/support/program.ts';
import { recipient } from '../test/support/sandbox.ts';
import { writeRows } from './measure/rowFiles.ts';
import { newJournal } from './measure/sharedScene.ts';
import { homeIn, type Stage, setStage } from './measure/stage.ts';
import type { Line, Measure } from './measure/table.ts';
import { type Row, timeRows } from './measure/timing.ts';

type Given = Parameters<Measure>[0];
type Held = 'with' | 'without';

export const measure: Measure = async (given) => {
  const stage = await setStage();
  const server = await startServer();
  try {
    const onServer = async () => ({
      BOTCTL_JOURNAL: await newJournal({ newDatabase: () => server.newDatabase() }),
    });
    const rows = given('rows');
    for (let round = 0; round <= given('rounds'); round += 1)
      await writeRows(rowsFile(stage, round), 'transfer', round * rows, (round + 1) * rows);
    return {
      about: `Processor time of the commands alone, means of ${given('pairs')} transfers and ${given('rounds')} batches of each kind in turn`,
      columns: ['a file', 'PostgreSQL'],
      lines: [
        ...linesOf('a file', { with: {}, without: {} }, stage, given),
        ...linesOf('PostgreSQL', { with: await onServer(), without: await onServer() }, stage, given),
      ],
    };
  } finally {
    await server.close();
    stage.end();
  }
};

type Journals = Readonly<Record<Held, NodeJS.ProcessEnv>>;

function linesOf(column: string, journals: Journals, stage: Stage, given: Given): Line[] {
  const envs = {
    with: { ...homeOf('with', column, stage), ...journals.with },
    without: { ...homeOf('without', column, stage), ...journals.without },
  };
  const takenBy = (words: (run: number) => readonly string[], rounds: number) => {
    const row = (held: Held): Row => ({
      name: `${words(0).slice(0, 2).join(' ')}, ${held} a policy`,
      command: (run) => [...programLine, ...words(run)],
      env: envs[held],
    });
    const [free, limited] = timeRows([row('without'), row('with')], rounds).map(({ cpuMs }) => cpuMs);
    return { free: free ?? Number.NaN, more: (limited ?? Number.NaN) - (free ?? Number.NaN) };
  };
  const pay = ['transfer', '--to', recipient, '--asset', 'SOL', '--amount', '0.1', '--once'];
  const single = takenBy((run) => [...pay, `single-${run}`], given('pairs'));
  const batch = takenBy(
    (run) => ['batch', 'transfer', rowsFile(stage, run), '--once', `batch-${run}`],
    given('rounds'),
  );
  const rowUs = (1000 * batch.free) / given('rows');
  const share = (100 * batch.more) / batch.free;
  return [
    { what: 'a transfer', figure: `${single.free.toFixed(1)} ms` },
    { what: 'a transfer: more with a policy', figure: `${single.more.toFixed(1)} ms`, value: single.more },
    { what: 'a row of a batch', figure: `${rowUs.toFixed(0)} µs` },
    { what: 'a row: more with a policy', figure: `${share.toFixed(1)} %`, value: share },
  ].map((line) => ({ ...line, column }));
}

function rowsFile({ folder }: Stage, round: number): string {
  return join(folder, `rows-${round}.csv`);
}

/** A home whose profile has a policy, or has none. */
function homeOf(held: Held, column: string, { folder, baseUrl }: Stage): NodeJS.ProcessEnv {
  const env = homeIn(join(folder, `${column}, ${held}`));
  const config = join(env.HOME ?? '', '.config', 'botctl');
  mkdirSync(config, { recursive: true, mode: 0o700 });
  const policy = join(config, 'policy.json');
  const limits = { SOL: { day: '1000000' }, USDC: { day: '100000000' } };
  const rules = { schema: 'botctl-policy/1', limits };
  const bot = { 'base-url': baseUrl, token: { kind: 'stored', secret: 'bench' } };
  const profiles = { bot: held === 'with' ? { ...bot, policy } : bot };
  for (const [path, content] of [
    [policy, rules],
    [join(config, 'config.json'), { version: 1, 'in-use': 'bot', profiles }],
  ] as const)
    writeFileSync(path, JSON.stringify(content), { mode: 0o600 });
  return env;
}
