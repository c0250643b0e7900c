import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { type Queue, queues, workThrough } from './queues.ts';
import { type RowKind, writeRows } from './rowFiles.ts';
import { askServer, newJournal, type SharedScene } from './sharedScene.ts';
import { homeIn } from './stage.ts';
import { median } from './timing.ts';
import { runBotctl } from './wholeRun.ts';

type Contestant = {
  readonly name: string;
  /** Seconds for all rows, by so many processes. */
  readonly take: (processes: number) => Promise<number>;
};

export type Placing = {
  readonly name: string;
  /** Rows a second with one process, and with two. */
  readonly perS: readonly [number, number];
};

export type Contest = {
  readonly scene: SharedScene;
  readonly rows: number;
  readonly rounds: number;
  /** Requests in flight, over all processes. */
  readonly atOnce: number;
  /** Where the queues are installed. */
  readonly queuesFolder: string | undefined;
};

/** All in turn, and again: a machine that is slow for a while is slow for everybody. */
export async function compete(contest: Contest): Promise<Placing[]> {
  const { rows, rounds, queuesFolder } = contest;
  const ours = (['send', 'transfer'] as const).map((kind) => ourBatch(kind, contest));
  const others = queuesFolder === undefined ? [] : queues.map((queue) => peer(queue, queuesFolder, contest));
  const all = [...ours, ...others].map((one) => ({ ...one, perS: { 1: [] as number[], 2: [] as number[] } }));
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, take, perS } of all) {
      for (const processes of [1, 2] as const) {
        const rate = rows / (await take(processes));
        perS[processes].push(rate);
        console.log(`round ${round + 1}: ${name}, ${processes} at work: ${rate.toFixed(0)} rows/s`);
      }
    }
  }
  return all.map(({ name, perS }) => ({ name, perS: [median(perS[1]), median(perS[2])] }));
}

/** Whole commands: their start, the check of the file and the last word are in it. */
function ourBatch(kind: RowKind, { scene, rows, atOnce }: Contest): Contestant {
  const take = async (processes: number): Promise<number> => {
    const url = await newJournal(scene);
    const home = mkdtempSync(join(scene.folder, 'home-'));
    const path = join(home, 'rows.csv');
    await writeRows(path, kind, 0, rows);
    const env = { ...homeIn(home), ...scene.env, BOTCTL_JOURNAL: url };
    const words = ['batch', kind, path, '--once', 'bench', '--concurrency', `${atOnce / processes}`];
    const begun = performance.now();
    await Promise.all(Array.from({ length: processes }, () => runBotctl(words, env)));
    const seconds = (performance.now() - begun) / 1000;
    await assertAllDone(url, rows);
    return seconds;
  };
  return { name: `botctl batch ${kind}`, take };
}

async function assertAllDone(url: string, rows: number): Promise<void> {
  const [found] = await askServer(
    url,
    `SELECT count(*)::int AS n FROM botctl.intents WHERE state = 'accepted'`,
  );
  if (found?.n !== rows) throw new Error(`${found?.n} of ${rows} rows are accepted`);
}

function peer(queue: Queue, folder: string, { scene, rows, atOnce }: Contest): Contestant {
  const take = async (processes: number): Promise<number> => {
    const databaseUrl = await scene.newDatabase();
    return workThrough({ folder, queue, databaseUrl, serviceUrl: scene.serviceUrl, rows, atOnce, processes });
  };
  return { name: queue.name, take };
}
