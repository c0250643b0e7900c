import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ended } from './botctl.ts';
import { programInShell, programLine } from './program.ts';
import { root } from './root.ts';

const script = join(root, 'test/support/onTerminal.py');

/** Why terminal tests cannot run here; empty if they can. */
export const noTerminal =
  spawnSync('python3', ['-c', 'import pty']).status === 0 ? '' : ' (skipped: no python3 to make a terminal)';

/**
 * Each step: type this once that has been shown since the step before. `meanwhile` is a line of bash that others have
 * run to its end by then, in the same environment.
 */
export type Steps = readonly (readonly [shown: string | RegExp, typed: string, meanwhile?: string])[];

export type TerminalMore = {
  readonly columns?: number;
  readonly cwd?: string;
  /** What a pipe brings: then stdout and stderr are pipes too, and the terminal is the controlling one only. */
  readonly stdin?: string;
};

export type OnTerminal = {
  readonly code: number;
  readonly shown: string;
  readonly stdout: string;
  readonly stderr: string;
};

/** Runs the built program on a terminal of its own. */
export function onTerminal(
  argv: readonly string[],
  steps: Steps,
  env: Readonly<Record<string, string>>,
  more: TerminalMore = {},
): Promise<OnTerminal> {
  return played([...programLine, ...argv], steps, env, more);
}

/** The same with a line of bash, in which `botctl` is the built program, also for xargs and timeout. */
export function shellOnTerminal(
  line: string,
  steps: Steps,
  env: Readonly<Record<string, string>>,
  more: TerminalMore = {},
): Promise<OnTerminal> {
  const named = { ...env, PATH: process.env.PATH ?? '' };
  return played(['/bin/bash', '-c', ofProgram(line)], steps, named, more);
}

function ofProgram(line: string): string {
  return line.replaceAll(/(?<![\w./-])botctl(?![\w./-])/gu, programInShell);
}

async function played(
  words: readonly string[],
  steps: Steps,
  env: Readonly<Record<string, string>>,
  { columns = 80, cwd, stdin }: TerminalMore,
): Promise<OnTerminal> {
  const patterns = steps.map(([shown, typed, meanwhile = '']) => [
    typeof shown === 'string' ? shown.replaceAll(/[.*+?^${}()|[\]\\]/gu, '\\$&') : shown.source,
    typed,
    ofProgram(meanwhile),
  ]);
  const setting = { steps: patterns, env: { TERM: 'xterm', ...env }, columns, stdin: stdin ?? null };
  const start = { env: process.env, ...(cwd === undefined ? {} : { cwd }) };
  const { stdout, stderr } = await ended('python3', [script, JSON.stringify(setting), ...words], start);
  if (stderr !== '') throw new Error(stderr);
  return JSON.parse(stdout);
}
