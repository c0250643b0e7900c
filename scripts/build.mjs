// Bundles src/ into dist/, for Node: a chunk for what every command loads, one for what most of them load next, and
// small ones for the rest. Native packages stay outside, where Node finds them as usual.
import { execFileSync } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { noticesFor } from './notices.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = `${root}dist`;

// What is loaded together lies together: to look up, read and compile sixty files is half of what a history costs.
const mostCommands = [
  'src/cli/commands/send.ts',
  'src/cli/commands/transfer.ts',
  'src/cli/commands/history/run.ts',
  'src/cli/open/bot.ts',
  'src/cli/open/journal.ts',
  'src/cli/open/policies.ts',
  'src/once/journal/file/openJournal.ts',
].map((path) => root + path);

await rm(dist, { recursive: true, force: true });

// What serves MCP is a bundle of its own: its SDK needs more of zod than a send does, whose chunk would grow by a fifth.
const mcp = await rolldown({ input: { mcp: `${root}src/cli/commands/mcp.ts` }, platform: 'node' });
const { output: mcpOutput } = await mcp.write({ dir: dist, format: 'cjs', minify: true });
await mcp.close();

const bundle = await rolldown({
  input: { main: `${root}src/main.ts` },
  cwd: root,
  platform: 'node',
  // jsonc-parser's `main` is a wrapper that no bundler can follow.
  resolve: { mainFields: ['module', 'main'] },
  external: [
    /^node:/u,
    /\/commands\/mcp\.ts$/u,
    '@photostructure/sqlite',
    'bufferutil',
    'utf-8-validate',
    'pg-native',
  ],
  // What one command loads only when it needs it lies in the chunk of those that always do.
  checks: { ineffectiveDynamicImport: false },
});
const { output } = await bundle.write({
  dir: dist,
  // Node loads CommonJS 15 ms faster than modules: the module loader itself is code to compile.
  format: 'cjs',
  exports: 'named',
  minify: true,
  paths: (id) => (id.endsWith('/commands/mcp.ts') ? './mcp.js' : id),
  codeSplitting: {
    groups: [
      // A group takes along what its modules import. This one comes first, or --help would load the other, too.
      { name: 'start', test: (id) => id === `${root}src/main.ts`, priority: 2 },
      { name: 'order', test: (id) => mostCommands.includes(id), priority: 1 },
    ],
  },
});
await bundle.close();
const moduleIds = [...output, ...mcpOutput].flatMap((chunk) =>
  chunk.type === 'chunk' ? chunk.moduleIds : [],
);
const moved = mostCommands.filter((path) => !moduleIds.includes(path));
if (moved.length > 0)
  throw new Error(`scripts/build.mjs names files that are not in the bundle: ${moved.join(', ')}`);
await writeFile(`${dist}/THIRD-PARTY-NOTICES.txt`, noticesFor(moduleIds));
execFileSync(process.execPath, ['scripts/run.mjs', 'scripts/manual'], { cwd: root, stdio: 'inherit' });
await writeFile(`${dist}/package.json`, '{ "type": "commonjs" }\n');
process.stdout.write(`built ${output.length + mcpOutput.length} files into dist/\n`);
