import { join } from 'node:path';
import { root } from './root.ts';

/** The program that tests, proof and bench run: this checkout's, or the executable that BOTCTL_BIN names. */
export const foreignBin = process.env.BOTCTL_BIN || undefined;
export const botctlPath = foreignBin ?? join(root, 'bin/botctl.js');

/** The words that start a program. A script needs this Node in front. */
export function startOf(bin: string): readonly [string, ...string[]] {
  return /\.[cm]?js$/u.test(bin) ? [process.execPath, bin] : [bin];
}

export const programLine = startOf(botctlPath);
export const [program, ...programWords] = programLine;
/**
 * The environment in which a program loads this code first, on Node or, where it listens to that, in the single file.
 */
export const loadingFirst = (path: string): { NODE_OPTIONS: string; BUN_OPTIONS: string } => ({
  NODE_OPTIONS: `--require=${path}`,
  BUN_OPTIONS: `--preload=${path}`,
});

export const programInShell = programLine.map((word) => `'${word}'`).join(' ');
