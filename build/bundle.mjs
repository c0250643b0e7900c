// Bundles src/ for one of the engines that run botctl: one small entry, and a chunk for whatever a command loads when it
// runs. Both engines share everything but src/machine/engine and what build/surgery.mjs says of an engine.
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { plainTags } from './plainTags.mjs';
import { Review, surgeryFor, surgeryIndex } from './surgery.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

const leaveOut = (surgery, review) => ({
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
});

/** What `--version` prints. */
const ownVersion = (version) => ({
  name: 'own-version',
  load: (id) => (id === `${root}package.json` ? JSON.stringify({ version }) : null),
});

/** Every other engine has a file of its own beside Node's. */
const engineFile = (engine) => ({
  name: 'engine',
  resolveId: (source) =>
    source.endsWith('/engine/node.ts') ? `${root}src/machine/engine/${engine}.ts` : null,
});

/** What is done to other people's code must be what somebody has looked at: an update must not undo or break it. */
function assertReviewed(review, members) {
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
  ['record', ['src/cli/commands/history/run.ts', 'src/once/journal/file/openJournal.ts']],
  ['send', ['src/cli/commands/send/run.ts', 'src/cli/bot/profileBot.ts', 'src/once/wire/connecting.ts']],
  ['wire', ['src/once/wire/undiciChannel.ts']],
  ['shared', ['src/postgres/openSharedJournal.ts', 'src/postgres/address.ts']],
];

function layerOf(members, id, graph) {
  if (members.size === 0) {
    for (const [layer, entries] of layers)
      for (const entry of entries) enlist(members, root + entry, layer, graph);
  }
  return members.get(id) ?? null;
}

function enlist(members, id, layer, graph) {
  const module = graph.getModuleInfo(id);
  if (module === null || members.has(id)) return;
  members.set(id, layer);
  for (const imported of module.importedIds) enlist(members, imported, layer, graph);
}

/** Bundles for `engine` into the folder `dir`: returns what rolldown made. `more` are further entries. */
export async function bundleFor(engine, dir, { more = {}, define = {}, version } = {}) {
  const surgery = surgeryFor(engine);
  const review = new Review();
  const members = new Map();
  const bundle = await rolldown({
    input: { main: `${root}src/main.ts`, ...more },
    cwd: root,
    preserveEntrySignatures: 'allow-extension',
    platform: 'node',
    // jsonc-parser's `main` is a wrapper that no bundler can follow.
    resolve: { mainFields: ['module', 'main'] },
    external: (source, importer) => /^node:/u.test(source) && surgeryIndex(source, importer) < 0,
    plugins: [
      leaveOut(surgery, review),
      engineFile(engine),
      plainTags(root),
      version === undefined ? null : ownVersion(version),
    ],
    transform: { define },
    // The layers hold apart what `wire` also imports at once: a chunk of its own is loaded when it is asked for.
    checks: { ineffectiveDynamicImport: false },
  });
  const { output } = await bundle.write({
    dir,
    // Node loads CommonJS 15 ms faster than modules: the module loader itself is code to compile.
    format: 'cjs',
    exports: 'named',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    codeSplitting: {
      groups: [
        {
          name: (id, graph) => layerOf(members, id, graph),
          debugName: 'layers',
          includeDependenciesRecursively: false,
        },
      ],
    },
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true, asciiOnly: true } },
  });
  await bundle.close();
  assertReviewed(review, members);
  assertAscii(output);
  return output;
}
