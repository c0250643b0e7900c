// Bundles src/ into dist/, for Node: one entry, and a chunk for what a command loads when it runs. Native packages
// stay outside, where Node finds them as usual.
import { execFileSync } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { noticesFor } from './scripts/notices.mjs';

const root = fileURLToPath(new URL('.', import.meta.url));
const dist = `${root}dist`;

await rm(dist, { recursive: true, force: true });
const bundle = await rolldown({
  input: { main: `${root}src/main.ts` },
  cwd: root,
  platform: 'node',
  // jsonc-parser's `main` is a wrapper that no bundler can follow.
  resolve: { mainFields: ['module', 'main'] },
  external: [/^node:/u, '@photostructure/sqlite', 'bufferutil', 'utf-8-validate', 'pg-native'],
});
// Node loads CommonJS 15 ms faster than modules: the module loader itself is code to compile.
const { output } = await bundle.write({ dir: dist, format: 'cjs', exports: 'named', minify: true });
await bundle.close();
const moduleIds = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
await writeFile(`${dist}/THIRD-PARTY-NOTICES.txt`, noticesFor(moduleIds));
execFileSync(process.execPath, ['scripts/run.mjs', 'scripts/manual'], { cwd: root, stdio: 'inherit' });
await writeFile(`${dist}/package.json`, '{ "type": "commonjs" }\n');
process.stdout.write(`built ${output.length} files into dist/\n`);
