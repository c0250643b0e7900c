// Bundles src/ into dist/: one small entry, and a chunk for whatever a command loads when it runs.
// SQLite goes along for every platform: as a package of its own it would ask to run an install script, which pnpm
// refuses and npm warns of. Only the sandbox's litesvm is found in node_modules when first used.
import { execFileSync } from 'node:child_process';
import { copyFile, mkdir, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { Review, surgery, surgeryIndex } from './build/surgery.mjs';
import { noticesFor } from './scripts/notices.mjs';

const root = fileURLToPath(new URL('.', import.meta.url));
const dist = `${root}dist`;
const sqlite = `${root}node_modules/@photostructure/sqlite/`;

/** SQLite's native parts, each in a file named after its platform. */
async function copySqlite() {
  await mkdir(`${dist}/sqlite`);
  for (const platform of await readdir(`${sqlite}prebuilds`)) {
    for (const file of await readdir(`${sqlite}prebuilds/${platform}`)) {
      const flavour = file.replace('@photostructure+sqlite.', '');
      await copyFile(`${sqlite}prebuilds/${platform}/${file}`, `${dist}/sqlite/${platform}.${flavour}`);
    }
  }
}

const review = new Review();

const leaveOut = {
  name: 'leave-out',
  async resolveId(source, importer) {
    const index = surgeryIndex(source, importer);
    if (index < 0) return null;
    const isNoFile = source.startsWith('node:') || surgery[index].mayBeMissing;
    const replaced = isNoFile ? undefined : (await this.resolve(source, importer, { skipSelf: true }))?.id;
    review.noted(index, importer, replaced);
    return `\0left-out:${index}`;
  },
  load(id) {
    return id.startsWith('\0left-out:') ? surgery[Number(id.slice('\0left-out:'.length))].by : null;
  },
};

/** What is done to other people's code must be what somebody has looked at: an update must not undo or break it. */
function assertReviewed() {
  const complaints = review.complaints();
  for (const entry of layers.flatMap(([, entries]) => entries)) {
    if (!members.has(root + entry))
      complaints.push(`a layer begins with ${entry}, which is not in the bundle`);
  }
  if (complaints.length === 0) return;
  throw new Error(
    `build.mjs and build/surgery.mjs do not fit what is bundled:\n  ${complaints.join('\n  ')}`,
  );
}

/** src/machine/compiled.ts reads it byte by byte. */
function assertAscii(chunks) {
  const beyond = chunks.find(({ code }) => code !== undefined && /[^\0-\x7F]/u.test(code));
  if (beyond !== undefined) throw new Error(`${beyond.fileName} has characters beyond ASCII`);
}

// What is loaded together lies together, or a send would look up and read twenty more files: 4 ms. A module
// belongs to the first of these whose entries import it statically.
const layers = [
  ['start', ['src/main.ts']],
  ['parse', ['src/cli/parse/commandLine.ts']],
  ['record', ['src/cli/commands/history/run.ts', 'src/once/journal/sqlite/openJournal.ts']],
  ['send', ['src/cli/commands/send/run.ts', 'src/cli/bot/profileBot.ts', 'src/once/wire/connecting.ts']],
  ['wire', ['src/once/wire/undiciChannel.ts']],
  ['shared', ['src/postgres/openSharedJournal.ts', 'src/postgres/address.ts']],
];

const members = new Map();

function layerOf(id, graph) {
  if (members.size === 0) {
    for (const [layer, entries] of layers) for (const entry of entries) enlist(root + entry, layer, graph);
  }
  return members.get(id) ?? null;
}

function enlist(id, layer, graph) {
  const module = graph.getModuleInfo(id);
  if (module === null || members.has(id)) return;
  members.set(id, layer);
  for (const imported of module.importedIds) enlist(imported, layer, graph);
}

await rm(dist, { recursive: true, force: true });
const bundle = await rolldown({
  input: {
    main: `${root}src/main.ts`,
    compiled: `${root}src/machine/compiled.ts`,
    stringWidth: 'string-width',
  },
  cwd: root,
  preserveEntrySignatures: 'allow-extension',
  platform: 'node',
  // jsonc-parser's `main` is a wrapper that no bundler can follow.
  resolve: { mainFields: ['module', 'main'] },
  external: (source, importer) => /^node:/u.test(source) && surgeryIndex(source, importer) < 0,
  plugins: [leaveOut],
  // The layers hold apart what `wire` also imports at once: a chunk of its own is loaded when it is asked for.
  checks: { ineffectiveDynamicImport: false },
});
const { output } = await bundle.write({
  dir: dist,
  // Node loads CommonJS 15 ms faster than modules: the module loader itself is code to compile.
  format: 'cjs',
  exports: 'named',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
  codeSplitting: { groups: [{ name: layerOf, debugName: 'layers', includeDependenciesRecursively: false }] },
  minify: { compress: true, mangle: false, codegen: { removeWhitespace: true, asciiOnly: true } },
});
await bundle.close();
assertReviewed();
assertAscii(output);
const moduleIds = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
await copySqlite();
const native = [
  `${sqlite}prebuilds`,
  createRequire(`${await realpath(sqlite)}/`).resolve('node-addon-api/package.json'),
];
await writeFile(`${dist}/THIRD-PARTY-NOTICES.txt`, noticesFor([...moduleIds, ...native]));
execFileSync(process.execPath, ['scripts/run.mjs', 'scripts/manual'], { cwd: root, stdio: 'inherit' });
await writeFile(`${dist}/package.json`, '{ "type": "commonjs" }\n');
process.stdout.write(`built ${output.length} files into dist/\n`);
