import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** What others keep jobs in PostgreSQL with. Not of this project: they are installed where the bench works. */
export const queues = [
  { name: 'pg-boss', script: 'pgboss.mjs', env: {} },
  { name: 'graphile-worker, at its defaults', script: 'graphile.mjs', env: { TUNED: '0' } },
  { name: 'graphile-worker, tuned', script: 'graphile.mjs', env: { TUNED: '1' } },
] as const;
export type Queue = (typeof queues)[number];

/** The folder in which they are, or why they are not. */
export function installQueues(parent: string): { readonly folder: string } | { readonly why: string } {
  const folder = join(parent, 'queues');
  cpSync(resolve('bench/peers/queues'), folder, { recursive: true });
  const words = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--no-package-lock'];
  const { status, stderr, error } = spawnSync('npm', words, { cwd: folder, encoding: 'utf8' });
  if (status === 0) return { folder };
  const [why = ''] = (error?.message ?? stderr).trim().split('\n').slice(-1);
  return { why: `the queues could not be installed with npm, and have no row: ${why}` };
}

export function versionsOf(folder: string): string {
  return ['graphile-worker', 'pg-boss']
    .map((name) => {
      const text = readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8');
      return `${name} ${(JSON.parse(text) as { version: string }).version}`;
    })
    .join(', ');
}

type Work = {
  readonly folder: string;
  readonly queue: Queue;
  readonly databaseUrl: string;
  readonly serviceUrl: string;
  readonly rows: number;
  readonly atOnce: number;
  readonly processes: number;
};

/** Seconds from the word to go until the last reply. Adding the jobs and the start of the processes are not counted. */
export async function workThrough(work: Work): Promise<number> {
  const { folder, queue, rows, processes } = work;
  const env = {
    ...process.env,
    ...queue.env,
    DATABASE_URL: work.databaseUrl,
    SERVICE_URL: work.serviceUrl,
    AT_ONCE: String(work.atOnce / processes),
  };
  const script = join(folder, queue.script);
  const filled = spawnSync(process.execPath, [script, 'fill', jobsFile(work)], { env, encoding: 'utf8' });
  if (filled.status !== 0) throw new Error(`${queue.name} took no jobs: ${filled.stderr}`);
  const workers = Array.from({ length: processes }, () => fork(script, ['work'], { env, execArgv: [] }));
  await Promise.all(workers.map((worker) => once(worker, 'message')));
  const begun = performance.now();
  await allDone(workers, rows);
  const seconds = (performance.now() - begun) / 1000;
  const ended = workers.map((worker) => once(worker, 'exit'));
  for (const worker of workers) worker.send('stop');
  await Promise.all(ended);
  return seconds;
}

function allDone(workers: readonly ChildProcess[], rows: number): Promise<void> {
  const done = workers.map(() => 0);
  return new Promise((resolveAll, reject) => {
    for (const [index, worker] of workers.entries()) {
      worker.on('message', (message: { readonly done?: number }) => {
        done[index] = message.done ?? 0;
        if (done.reduce((sum, one) => sum + one, 0) >= rows) resolveAll();
      });
      worker.once('exit', (code) => reject(new Error(`a queue's process ended with ${code}`)));
      worker.send('go');
    }
  });
}

function jobsFile({ folder, rows }: Work): string {
  const path = join(folder, 'jobs.jsonl');
  const jobs = Array.from({ length: rows }, (_, row) => JSON.stringify(jobOf(row)));
  writeFileSync(path, jobs.join('\n'));
  return path;
}

function jobOf(row: number): Record<string, string> {
  return {
    path: '/api/bot/v1/messages/send',
    conversation_id: 'conv_demo',
    content: `Hello, number ${row}`,
    idempotency_key: `key-of-the-row-${row}`,
  };
}
