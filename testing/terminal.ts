import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { ended } from './botctl.ts';
import { programLine } from './program.ts';

const script = resolve(import.meta.dirname, 'onTerminal.py');

/** Why terminal tests cannot run here; empty if they can. */
export const noTerminal =
  spawnSync('python3', ['-c', 'import pty']).status === 0 ? '' : ' (skipped: no python3 to make a terminal)';

/** Runs the built program on its own terminal. Each step types a text once another has been shown. */
export async function onTerminal(
  argv: readonly string[],
  steps: readonly (readonly [string, string])[],
  env: Record<string, string>,
): Promise<{ code: number; shown: string }> {
  const childEnv = JSON.stringify({ TERM: 'xterm', ...env });
  const words = [script, JSON.stringify(steps), childEnv, ...programLine, ...argv];
  const { stdout, stderr } = await ended('python3', words, { env: process.env });
  if (stderr !== '') throw new Error(stderr);
  const lines = stdout.trimEnd().split('\n');
  return { code: Number(lines.pop()), shown: lines.join('\n') };
}
