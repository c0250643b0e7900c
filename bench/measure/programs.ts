import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Refusal } from '../../scripts/refusal.ts';
import { botctlPath, startOf } from '../../testing/program.ts';
import { root } from '../../testing/root.ts';
import { type Given, singleFile } from '../benches.ts';

/** A program to measure, in a column of its own. */
export type Measured = {
  readonly column: string;
  /** Beside it: what `node -e 0` and a script run on. */
  readonly node: string;
  readonly start: readonly [string, ...string[]];
};

/** The program on this Node, or by itself, if it needs none. */
export function programsToMeasure(given: Given): Measured[] {
  const node = process.execPath;
  const start = startOf(botctlPath);
  if (start[0] === node) {
    return [
      { column: nameOf(node), node, start },
      ...(given.has('file') ? [{ column: singleFile, node, start: [madeFile()] as const }] : []),
    ];
  }
  return [{ column: singleFile, node, start }];
}

function madeFile(): string {
  const file = join(root, 'out', `botctl-${process.platform}-${process.arch}`);
  if (existsSync(file)) return file;
  throw new Refusal(`there is no ${file}: \`npm run binary\` makes it`);
}

/** What runs the program, where only one does. */
export function runtime(): string {
  return startOf(botctlPath)[0] === process.execPath ? nameOf(process.execPath) : singleFile;
}

function nameOf(node: string): string {
  return `Node ${spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim().slice(1)}`;
}
