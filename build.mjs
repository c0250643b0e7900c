// Bundles src/ into dist/: one small entry, and a chunk for whatever a command loads when it runs.
// What is native stays outside: it is found in node_modules when first used.
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('.', import.meta.url));
const dist = `${root}dist`;

await rm(dist, { recursive: true, force: true });
const bundle = await rolldown({
  input: { main: `${root}src/main.ts` },
  cwd: root,
  platform: 'node',
  // jsonc-parser's `main` is a wrapper that no bundler can follow.
  resolve: { mainFields: ['module', 'main'] },
  external: [/^node:/, '@photostructure/sqlite'],
  treeshake: true,
});
const { output } = await bundle.write({
  dir: dist,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
  minify: { compress: true, mangle: false, codegen: false },
  comments: { legal: false },
});
await bundle.close();
process.stdout.write(`built ${output.length} files into dist/\n`);
