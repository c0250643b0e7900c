// npm run proof -- [OPTION]…: bundles proof/main.ts and runs it, since Node 20 reads no TypeScript.
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const here = fileURLToPath(new URL('.', import.meta.url));
// Inside node_modules, so that what stays outside the bundle is found.
const file = fileURLToPath(new URL('../node_modules/.proof/main.mjs', import.meta.url));
const bundle = await rolldown({
  input: `${here}main.ts`,
  platform: 'node',
  // jsonc-parser's `main` is a wrapper that no bundler can follow.
  resolve: { mainFields: ['module', 'main'] },
  external: [/^node:/, '@photostructure/sqlite', 'rolldown'],
});
await bundle.write({ file, format: 'esm', codeSplitting: false });
await bundle.close();
await import(pathToFileURL(file).href);
