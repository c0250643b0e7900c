import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'rolldown';
import { type Bundle, bundle } from './bundle.ts';
import { root } from './root.ts';

/** A botctl to drive: the shipped one, or one that the proof builds for itself. */
export type Program = { readonly name: string; readonly bin: string };

export type Programs = {
  /** What users get, or a broken one in its place. */
  readonly plain: Program;
  /** The same, with steps to die at and a clock that jumps. */
  readonly hooked: Program;
};

export const shipped: Program = { name: 'shipped', bin: join(root, 'bin', 'botctl.js') };

async function build(name: string, wish: Bundle): Promise<Program> {
  // Inside node_modules, so that what stays outside the bundle is found.
  const folder = join(root, 'node_modules', '.proof', name);
  await mkdir(folder, { recursive: true });
  await bundle(wish, join(folder, 'dist'));
  await cp(join(root, 'bin'), join(folder, 'bin'), { recursive: true });
  await writeFile(join(folder, 'package.json'), await readFile(join(root, 'package.json')));
  return { name, bin: join(folder, 'bin', 'botctl.js') };
}

const hooked: Bundle = {
  entry: 'proof/hooked/main.ts',
  replaced: { '@photostructure/sqlite': join(root, 'proof', 'hooked', 'sqlite.ts') },
};

export async function soundPrograms(): Promise<Programs> {
  return { plain: shipped, hooked: await build('hooked', hooked) };
}

export async function brokenPrograms(name: string, plugin: Plugin): Promise<Programs> {
  const plugins = [plugin];
  return {
    plain: await build(`broken-${name}`, { entry: 'src/main.ts', plugins }),
    hooked: await build(`broken-${name}-hooked`, { ...hooked, plugins }),
  };
}
