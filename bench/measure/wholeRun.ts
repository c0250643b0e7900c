import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { program, programWords } from '../../test/support/program.ts';

export type WholeRun = {
  readonly seconds: number;
  readonly peakMb: number;
  readonly code: number | null;
  /** The last of what it wrote to stderr. */
  readonly said: string;
};

/** Runs botctl, which must succeed. */
export async function runBotctl(words: readonly string[], env: NodeJS.ProcessEnv): Promise<WholeRun> {
  const run = await wholeRun(program, [...programWords, ...words], env);
  if (run.code !== 0) throw new Error(`botctl ${words.slice(0, 2).join(' ')}: exit ${run.code}: ${run.said}`);
  return run;
}

/** Runs a program to its end, and watches how much memory it takes. */
export async function wholeRun(
  program: string,
  words: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<WholeRun> {
  const begun = performance.now();
  const child = spawn(program, words, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + String(chunk)).slice(-2000);
  });
  let peakMb = 0;
  const look = setInterval(() => {
    peakMb = Math.max(peakMb, peakMbOf(child.pid));
  }, 50);
  const [code] = (await once(child, 'close')) as [number | null];
  clearInterval(look);
  return { seconds: (performance.now() - begun) / 1000, peakMb, code, said };
}

function peakMbOf(pid: number | undefined): number {
  try {
    const [, kb = '0'] = /VmHWM:\s+(\d+) kB/u.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kb) / 1024;
  } catch {
    // It has just ended.
    return 0;
  }
}
