import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { root } from './root.ts';

type BuiltModule = {
  /** The URL by which other processes import it. */
  readonly href: string;
  remove(): void;
};

/** One module of src/ with its dependencies, for other processes. */
export async function buildModule(entry: string): Promise<BuiltModule> {
  // Inside node_modules, where the SQLite package is found.
  const cache = join(root, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'module-'));
  const file = join(folder, 'module.mjs');
  const bundle = await rolldown({
    input: join(root, entry),
    platform: 'node',
    external: [/^node:/, '@photostructure/sqlite'],
  });
  await bundle.write({ file, format: 'esm' });
  await bundle.close();
  return { href: pathToFileURL(file).href, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
