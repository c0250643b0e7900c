import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** One way to run a program, made anew for each run: what is sent must differ, or it would be a re-run. */
export type Row = {
  readonly name: string;
  readonly command: (run: number) => readonly [string, ...string[]];
  readonly env?: NodeJS.ProcessEnv;
};

export type Timing = {
  readonly name: string;
  readonly medianMs: number;
  /** Median of this row's time over the first row's, each pair from the same round. */
  readonly ratio: number;
  /** The mean of its processor time. */
  readonly cpuMs: number;
  readonly timesMs: readonly number[];
};

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/**
 * Whole processes, the rows in turn and again, so that a machine that is slow for a while slows both sides of
 * a ratio. The first row is the floor that the others are compared with.
 */
export function timeRows(rows: readonly Row[], rounds: number): Timing[] {
  const taken = rows.map((): { ms: number; cpuMs: number }[] => []);
  for (const row of rows) runOnce(row, 0);
  for (let round = 1; round <= rounds; round += 1) {
    for (const [index, row] of rows.entries()) taken[index]?.push(runOnce(row, round));
  }
  const [floor = []] = taken;
  return rows.map(({ name }, index) => {
    const runs = taken[index] ?? [];
    return {
      name,
      medianMs: median(runs.map(({ ms }) => ms)),
      ratio: median(runs.map(({ ms }, round) => ms / (floor[round]?.ms ?? Number.NaN))),
      cpuMs: runs.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / runs.length,
      timesMs: runs.map(({ ms }) => ms),
    };
  });
}

function runOnce({ name, command, env = {} }: Row, run: number): { ms: number; cpuMs: number } {
  const [file, ...words] = command(run);
  const cpuBefore = childrenCpuMs();
  const begun = performance.now();
  const { status, stderr, error } = spawnSync(file, words, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ms = performance.now() - begun;
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${name}: exit ${status}: ${stderr}`);
  return { ms, cpuMs: childrenCpuMs() - cpuBefore };
}

const tickMs = 10;

// In ticks, but of all that has ended so far: what one run loses to rounding, the next one gains.
function childrenCpuMs(): number {
  const [, rest = ''] = /\) (.*)/su.exec(readFileSync('/proc/self/stat', 'utf8')) ?? [];
  const fields = rest.split(' ');
  return (Number(fields[13]) + Number(fields[14])) * tickMs;
}
