// Runs a batch through random faults and kill -9, then again until it is done. Did every row happen once?
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openJournal } from '../../src/once/journal/file/openJournal.ts';
import { botctl } from './botctl.ts';
import { program, programWords } from './program.ts';
import { randomFaults } from './randomFaults.ts';
import { controlOf, recipient } from './sandbox.ts';
import { startSandboxProcess } from './sandboxProcess.ts';

type BatchKillOptions = { readonly kind: 'send' | 'transfer'; readonly rows: number };

type BatchKillReport = { readonly problems: string[]; readonly inDoubt: number[] };

const concurrency = 8;
const kills = 2;

type Scene = {
  readonly folder: string;
  readonly env: Record<string, string>;
  readonly control: ReturnType<typeof controlOf>;
  readonly words: readonly string[];
};

export async function batchThroughKills(plan: BatchKillOptions): Promise<BatchKillReport> {
  const folder = mkdtempSync(join(tmpdir(), 'botctl-batch-'));
  const sandbox = await startSandboxProcess(['--data', join(folder, 'sandbox')]);
  try {
    const { greeting } = sandbox;
    const scene: Scene = {
      folder,
      control: controlOf(greeting.base_url),
      env: {
        HOME: folder,
        XDG_CONFIG_HOME: join(folder, 'config'),
        XDG_DATA_HOME: join(folder, 'data'),
        BOTCTL_BASE_URL: greeting.base_url,
        BOTCTL_TOKEN: greeting.tokens.full,
      },
      words: [
        ...['batch', plan.kind, join(folder, 'rows.csv'), '--once', 'proof'],
        ...['--concurrency', `${concurrency}`, '--max-wait', '20s'],
      ],
    };
    writeFileSync(join(folder, 'rows.csv'), csvOf(plan));
    await scene.control.money({ asset: 'SOL', amount: '1000' });
    const inDoubt = await killSeveralTimes(plan, scene);
    await scene.control.clearFaults();
    const code = await finish(scene);
    const problems = await examine(plan, scene);
    if (code !== 0) problems.push(`the last run exited ${code}`);
    // While a row is recorded, its lane claims the next one.
    if (inDoubt.some((rows) => rows > 2 * concurrency))
      problems.push(`${inDoubt} rows in doubt after the kills`);
    return { problems, inDoubt };
  } finally {
    await sandbox.end('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  }
}

function textOf(row: number): string {
  return `row ${row}, "once"`;
}

function csvOf({ kind, rows }: BatchKillOptions): string {
  const lines = Array.from({ length: rows }, (_, row) => {
    const text = `"${textOf(row).replaceAll('"', '""')}"`;
    return kind === 'send' ? `r${row},conv_demo,${text}` : `r${row},${recipient},SOL,0.001,${text}`;
  });
  const header = kind === 'send' ? 'id,conversation_id,content' : 'id,to_address,asset,amount,memo';
  return `${[header, ...lines].join('\n')}\n`;
}

async function effects(plan: BatchKillOptions, { control }: Scene): Promise<number> {
  const { counts } = await control.state();
  return plan.kind === 'send' ? counts.messages : counts.transfers;
}

/** Kills it each time more rows have happened. Returns how many rows each kill left in doubt. */
async function killSeveralTimes(plan: BatchKillOptions, scene: Scene): Promise<number[]> {
  const inDoubt: number[] = [];
  // The first run's requests are held, so that some are in doubt even if the check is slow.
  const stalls = { kind: 'stall', ms: null, when: 'after', times: concurrency } as const;
  // The sandbox reads all its faults at each request.
  const rate = Math.min(0.05, 200 / plan.rows);
  const others = randomFaults({ seed: 'slice', rate, requests: 2 * plan.rows });
  await scene.control.faults(stalls, ...others);
  for (let kill = 1; kill <= kills; kill += 1) {
    const child = spawn(program, [...programWords, ...scene.words], { env: scene.env, stdio: 'ignore' });
    const gone = once(child, 'close');
    const enough = kill === 1 ? concurrency : Math.floor((plan.rows * kill) / (kills + 1));
    while (child.exitCode === null && (await effects(plan, scene)) < enough) {
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    child.kill('SIGKILL');
    await gone;
    inDoubt.push(await claimedRows(scene));
  }
  return inDoubt;
}

/** Rows that the killed process had claimed but not concluded. */
async function claimedRows({ folder }: Scene): Promise<number> {
  const journal = openJournal(join(folder, 'data', 'botctl', 'journal.db'));
  let claimed = 0;
  for await (const _ of journal.reads.select({ states: ['sending'], limit: 1000 })) claimed += 1;
  await journal.close();
  return claimed;
}

/** Runs it again, makes the decisions that only an operator can, and runs it once more: then all must be done. */
async function finish(scene: Scene): Promise<number | null> {
  const { code } = await botctl(scene.words, scene);
  if (code === 0) return code;
  await botctl(['resume', '--all', '--held', '--yes', '--quiet'], scene);
  return (await botctl(scene.words, scene)).code;
}

async function examine(plan: BatchKillOptions, scene: Scene): Promise<string[]> {
  const problems: string[] = [];
  const ledger = await scene.control.ledger();
  const seen = new Map<string, number>();
  for (const { request } of ledger) {
    const text = String(plan.kind === 'send' ? request.content : request.memo);
    seen.set(text, (seen.get(text) ?? 0) + 1);
  }
  for (let row = 0; row < plan.rows; row += 1) {
    const times = seen.get(textOf(row)) ?? 0;
    if (times !== 1) problems.push(`row ${row} happened ${times} times`);
  }
  if (ledger.length !== plan.rows) problems.push(`${ledger.length} effects for ${plan.rows} rows`);
  return problems.slice(0, 20);
}
