import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '../test/support/postgres/server.ts';
import { programLine } from '../test/support/program.ts';
import { makeVariedSharedJournal } from './measure/longSharedJournal.ts';
import { type RowKind, writeRows } from './measure/rowFiles.ts';
import { startNginx } from './measure/service.ts';
import { newJournal, type SharedScene } from './measure/sharedScene.ts';
import { homeIn } from './measure/stage.ts';
import { type Line, type Measure, memoryLine } from './measure/table.ts';
import { median, type Row, timeRows } from './measure/timing.ts';
import { runBotctl } from './measure/wholeRun.ts';

const atOnce = 64;
const columns = ['one process', 'two processes'] as const;

export const measure: Measure = async (given) => {
  const folder = mkdtempSync(join(tmpdir(), 'botctl-bench-'));
  const service = await startNginx(folder);
  const server = await startServer();
  try {
    const env = { BOTCTL_BASE_URL: service.url, BOTCTL_TOKEN: 'bench_token_0123456789' };
    const scene: SharedScene = { folder, newDatabase: () => server.newDatabase(), env };
    const [rows, rounds] = [given('rows'), given('rounds')];
    const batches = [await batchLines('send', scene, rows, rounds)];
    batches.push(await batchLines('transfer', scene, rows, rounds));
    return {
      about: `PostgreSQL 18; rows a second, of ${rows.toLocaleString('en')}, ${atOnce} requests at a time, medians of ${rounds} rounds`,
      columns,
      lines: [
        ...batches.flat(),
        await startLine(scene, given('pairs')),
        await listLine(scene, given('entries')),
      ],
    };
  } finally {
    await server.close();
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
};

async function batchLines(kind: RowKind, scene: SharedScene, rows: number, rounds: number): Promise<Line[]> {
  const lines: Line[] = [];
  for (const [at, column] of columns.entries()) {
    const rates: number[] = [];
    for (let round = 0; round < rounds; round += 1)
      rates.push(rows / (await batch(kind, scene, rows, at + 1)));
    lines.push({ what: `batch ${kind}`, column, figure: Math.round(median(rates)).toLocaleString('en') });
  }
  return lines;
}

/** Seconds that so many processes take: their start, the check of the file and the last word are in it. */
async function batch(kind: RowKind, scene: SharedScene, rows: number, processes: number): Promise<number> {
  const home = mkdtempSync(join(scene.folder, 'home-'));
  const path = join(home, 'rows.csv');
  await writeRows(path, kind, 0, rows);
  const env = { ...homeIn(home), ...scene.env, BOTCTL_JOURNAL: await newJournal(scene) };
  const words = ['batch', kind, path, '--once', 'bench', '--concurrency', `${atOnce / processes}`];
  const begun = performance.now();
  await Promise.all(Array.from({ length: processes }, () => runBotctl(words, env)));
  return (performance.now() - begun) / 1000;
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

async function listLine(scene: SharedScene, entries: number): Promise<Line> {
  const journal = await makeVariedSharedJournal(scene, entries);
  const env = { ...homeIn(join(scene.folder, 'reader')), BOTCTL_JOURNAL: journal };
  const list = (limit: number) => runBotctl(['history', '--limit', String(limit), '--json'], env);
  return memoryLine('memory of history --json: all, beside 10,000', await list(entries), await list(10_000));
}
