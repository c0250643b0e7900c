// node scripts/run.mjs FOLDER/NAME [ARGUMENT]…: bundles and runs FOLDER/NAME.ts, because Node 20 cannot run TypeScript.
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { leaveTerminal } from './ownSession.mjs';

await leaveTerminal();

const root = fileURLToPath(new URL('..', import.meta.url));
const [entry = '', ...words] = process.argv.slice(2);
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
