import { rmSync } from 'node:fs';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'rolldown';
import { foreignBin } from '../testing/program.ts';
import { root } from '../testing/root.ts';
import { type Bundle, bundle } from './bundle.ts';

/** A botctl to run: the shipped one, or one that the proof builds for itself. */
export type Program = { readonly name: string; readonly bin: string };

export type Programs = {
  /** What users get, or a broken one in its place. */
  readonly plain: Program;
  /** The same, with steps to die at and a clock that jumps. */
  readonly hooked: Program;
};

// Inside node_modules, so that packages outside the bundles are found. Each run of the proof has its own folder.
const runFolder = join(root, 'node_modules', '.proof', `run-${process.pid}`);
process.once('exit', () => rmSync(runFolder, { recursive: true, force: true }));

function at(name: string): Program & { folder: string } {
  const folder = join(runFolder, name);
  return { name, folder, bin: join(folder, 'bin', 'botctl.js') };
}

/** The program that BOTCTL_BIN names, or a copy of the build made at the start, which later builds do not change. */
export const shipped: Program = foreignBin === undefined ? at('shipped') : { name: 'named', bin: foreignBin };

async function copyShipped(): Promise<void> {
  if (foreignBin !== undefined) return;
  const { folder } = at('shipped');
  await mkdir(folder, { recursive: true });
  for (const part of ['bin', 'dist', 'package.json']) {
    await cp(join(root, part), join(folder, part), { recursive: true });
  }
}

async function build(name: string, options: Bundle): Promise<Program> {
  const { folder, bin } = at(name);
  await mkdir(folder, { recursive: true });
  await bundle(options, join(folder, 'dist'));
  await cp(join(root, 'bin'), join(folder, 'bin'), { recursive: true });
  await writeFile(join(folder, 'package.json'), await readFile(join(root, 'package.json')));
  return { name, bin };
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
