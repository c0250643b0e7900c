// npm run bench [-- [NAME] [ARGUMENT]…]: bundles bench/NAME.ts, marks.ts if none is named, and runs it, since
// Node 20 reads no TypeScript.
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const here = fileURLToPath(new URL('.', import.meta.url));
const words = process.argv.slice(2);
const isNamed = words[0] !== undefined && !words[0].startsWith('-');
const [name, args] = isNamed ? [words[0], words.slice(1)] : ['marks', words];
if (!/^\w+$/u.test(name) || !existsSync(`${here}${name}.ts`)) {
  const names = readdirSync(here).filter((file) => file.endsWith('.ts'));
  console.error(
    `usage: npm run bench -- [${names.map((file) => file.slice(0, -3)).join(' | ')}] [ARGUMENT]…`,
  );
  process.exit(2);
}
// Inside node_modules, so that what stays outside the bundle is found.
const file = fileURLToPath(new URL(`../node_modules/.bench/${name}.mjs`, import.meta.url));
const bundle = await rolldown({
  input: `${here}${name}.ts`,
  platform: 'node',
  external: [/^node:/, '@photostructure/sqlite'],
});
await bundle.write({ file, format: 'esm', codeSplitting: false });
await bundle.close();
process.argv.splice(2, process.argv.length, ...args);
await import(pathToFileURL(file).href);
