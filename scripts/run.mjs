// node scripts/run.mjs FOLDER/NAME [OTHER] [ARGUMENT]…: bundles and runs FOLDER/NAME.ts, or FOLDER/OTHER.ts if the
// first argument has no dash. Needed because Node 20 cannot run TypeScript.
import { existsSync, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { leaveTerminal } from './ownSession.mjs';

await leaveTerminal();

const root = fileURLToPath(new URL('..', import.meta.url));
const [start = '', ...words] = process.argv.slice(2);
const folder = dirname(start);
const entry = /^[a-z]\w*$/iu.test(words[0] ?? '') ? `${folder}/${words.shift()}` : start;
if (!existsSync(`${root}${entry}.ts`)) {
  const names = readdirSync(`${root}${folder}`).filter((name) => name.endsWith('.ts'));
  console.error(`${folder} has ${names.map((name) => name.slice(0, -3)).join(', ')}; not ${entry}`);
  process.exit(2);
}
// Inside node_modules, so that packages outside the bundle are found.
const file = `${root}node_modules/.${entry}.mjs`;
const bundle = await rolldown({
  input: `${root}${entry}.ts`,
  platform: 'node',
  // jsonc-parser's `main` is a wrapper that no bundler can follow.
  resolve: { mainFields: ['module', 'main'] },
  external: [/^node:/, '@photostructure/sqlite', /^rolldown(?:\/|$)/u, /^vitest(?:\/|$)/u],
});
await bundle.write({ file, format: 'esm', codeSplitting: false });
await bundle.close();
process.argv.splice(2, process.argv.length, ...words);
await import(pathToFileURL(file).href);
