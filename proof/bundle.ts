import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import { root } from '../test/support/root.ts';

export type Bundle = {
  /** From the project's folder. */
  readonly entry: string;
  readonly plugins?: readonly Plugin[];
  /** Modules that another file stands in for, everywhere but in that file itself. */
  readonly replaced?: Readonly<Record<string, string>>;
};

const native = /^(node:|@photostructure\/sqlite$)/u;

/** Bundles a program for the proof from the same source, without the shipped program's start-up optimisations. */
export async function bundle({ entry, plugins = [], replaced = {} }: Bundle, dir: string): Promise<void> {
  const standIn = (source: string, importer: string | undefined): string | undefined =>
    replaced[source] === importer ? undefined : replaced[source];
  const made = await rolldown({
    input: { main: join(root, entry) },
    cwd: root,
    platform: 'node',
    // jsonc-parser's `main` is a wrapper that no bundler can follow.
    resolve: { mainFields: ['module', 'main'] },
    external: (source, importer) => native.test(source) && standIn(source, importer) === undefined,
    plugins: [
      ...plugins,
      { name: 'stand-ins', resolveId: (source, importer) => standIn(source, importer) ?? null },
    ],
  });
  await made.write({ dir, format: 'cjs', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' });
  await made.close();
  await writeFile(join(dir, 'package.json'), '{ "type": "commonjs" }\n');
}
