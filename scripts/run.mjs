// node scripts/run.mjs NAME [ARGUMENT]…: bundles scripts/NAME.ts and runs it, since Node 20 reads no TypeScript.
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const [name = '', ...args] = process.argv.slice(2);
// Inside node_modules, so that what stays outside the bundle is found.
const file = fileURLToPath(new URL(`../node_modules/.scripts/${name}.mjs`, import.meta.url));
const bundle = await rolldown({
  input: fileURLToPath(new URL(`./${name}.ts`, import.meta.url)),
  platform: 'node',
  external: [/^node:/, '@photostructure/sqlite', 'litesvm', /^@solana(-program)?\//],
});
await bundle.write({ file, format: 'esm', codeSplitting: false });
await bundle.close();
process.argv.splice(2, process.argv.length, ...args);
await import(pathToFileURL(file).href);
