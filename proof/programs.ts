import { rmSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'rolldown';
import { foreignBin } from '../test/support/program.ts';
import { root } from '../test/support/root.ts';
import { type Bundle, bundle } from './bundle.ts';

/** What is run, by its path. */
export type Programs = {
  /** What users get, or a broken one in its place. */
  readonly plain: string;
  /** The same, with steps to die at and a clock that jumps. */
  readonly hooked: string;
};

// Inside node_modules, so that packages outside the bundles are found. Each run of the proof has its own folder.
const runFolder = join(root, 'node_modules', '.proof', `run-${process.pid}`);
process.once('exit', () => rmSync(runFolder, { recursive: true, force: true }));

const binIn = (folder: string): string => join(folder, 'bin', 'botctl.js');

/** The program that BOTCTL_BIN names, or a copy of the build made at the start, which later builds do not change. */
export const shipped = foreignBin ?? binIn(join(runFolder, 'shipped'));

async function copyShipped(): Promise<void> {
  if (foreignBin !== undefined) return;
  for (const part of ['bin', 'dist', 'package.json'])
    await cp(join(root, part), join(runFolder, 'shipped', part), { recursive: true });
}

async function build(name: string, options: Bundle): Promise<string> {
  const folder = join(runFolder, name);
  await bundle(options, join(folder, 'dist'));
  for (const part of ['bin', 'package.json'])
    await cp(join(root, part), join(folder, part), { recursive: true });
  return binIn(folder);
}

const hooked: Bundle = {
  entry: 'proof/hooked/main.ts',
  replaced: { '@photostructure/sqlite': join(root, 'proof', 'hooked', 'sqlite.ts') },
};

export async function soundPrograms(): Promise<Programs> {
  await copyShipped();
  return { plain: shipped, hooked: await build('hooked', hooked) };
}

export async function brokenPrograms(name: string, plugin: Plugin): Promise<Programs> {
  const plugins = [plugin];
  await copyShipped();
  return {
    plain: await build(`broken-${name}`, { entry: 'src/main.ts', plugins }),
    hooked: await build(`broken-${name}-hooked`, { ...hooked, plugins }),
  };
}
