// Bundles src/ into dist/: one small entry, and a chunk for whatever a command loads when it runs.
// What is native stays outside: it is found in node_modules when first used.
import { execFileSync } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { noticesFor } from './scripts/notices.mjs';

const root = fileURLToPath(new URL('.', import.meta.url));
const dist = `${root}dist`;

// What libraries load at start-up and botctl never uses, left out. What each buys a send was measured on Node 20.
const { ERROR, TYPE } = createRequire(`${root}node_modules/undici/`)('./lib/llhttp/constants.js');
const lean = [
  // HTTP/2, and with it tls where the service is plain: 6 ms.
  [/undici\/lib\/dispatcher\/client\.js$/, './client-h2.js', throwing('HTTP/1.1 only')],
  // All of fetch, for bodies that are no bytes; the parser a second time, for processors of before 2008; its
  // tables, of which two are looked at; and a search tree of header names, in place of toLowerCase: 2.5 ms.
  [/client-h1\.js$/, '../web/fetch/body.js', throwing('a body is bytes')],
  [
    /client-h1\.js$/,
    '../llhttp/llhttp-wasm.js',
    `module.exports = require('undici/lib/llhttp/llhttp_simd-wasm.js');`,
  ],
  [/client-h1\.js$/, '../llhttp/constants.js', `module.exports = ${JSON.stringify({ ERROR, TYPE })};`],
  [/core\/util\.js$/, './tree', 'module.exports = { tree: { lookup: () => null } };'],
  // Node's own HTTP, for one number and for bodies that are its messages; and its assertions with all their
  // messages: 2.5 ms.
  [/undici\/lib\//, 'node:http', 'module.exports = { maxHeaderSize: 16384, IncomingMessage: class {} };'],
  [
    /undici\/lib\//,
    'node:assert',
    `module.exports = (holds, message) => {
      if (!holds) throw message instanceof Error ? message : new Error(message ?? 'undici: an assertion failed');
    };`,
  ],
  // Programs of their own as commands, which botctl has none of; without them Node loads no sockets where it
  // needs none: 3 ms of a history into a file.
  [/commander\/lib\/command\.js$/, 'node:child_process', throwing('no command is a program of its own')],
  // The width of letters beyond ASCII: its patterns and tables of emoji take a list 19 ms to read.
  [
    /src\/display\//,
    'string-width',
    // Named by a variable, so that the bundler leaves the call to Node.
    `const plain = /^[ -~]*$/;
    const beside = './stringWidth.js';
    module.exports = (text) => (plain.test(text) ? text.length : require(beside).default(text));`,
  ],
  // Where the native part lies is looked up in folders, through Node's resolver of packages: 3 ms. It is asked
  // for by name first, and looked up where it does not lie there, was compiled, or the C library is musl.
  [/src\//, '@photostructure/sqlite', sqliteByName()],
];

function throwing(why) {
  return `module.exports = () => { throw new Error(${JSON.stringify(why)}); };`;
}

function sqliteByName() {
  return `
    const { existsSync } = require('node:fs');
    const flavour = \`prebuilds/\${process.platform}-\${process.arch}/@photostructure+sqlite.glibc.node\`;
    const home = require.resolve.paths('x').map((folder) => folder + '/@photostructure/sqlite/').find(existsSync);
    const known = home !== undefined && existsSync(home + flavour) && !existsSync(home + 'build') &&
      !existsSync('/etc/alpine-release');
    module.exports = require(known ? home + flavour : '@photostructure/sqlite');`;
}

const leanIndex = (source, importer = '') =>
  lean.findIndex(([who, what]) => what === source && who.test(importer));

const leaveOutUnused = {
  name: 'leave-out-unused',
  resolveId(source, importer) {
    const index = leanIndex(source, importer);
    return index < 0 ? null : `\0lean:${index}`;
  },
  load(id) {
    return id.startsWith('\0lean:') ? lean[Number(id.slice('\0lean:'.length))][2] : null;
  },
};

// The engine compiles a function in parentheses at once, an arrow only when it is called, having parsed it in
// vain before: 3 ms over undici's modules.
const compileOnce = {
  name: 'compile-once',
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk') continue;
      chunk.code = chunk.code
        .replaceAll('(((exports,module)=>{', '((function(exports,module){')
        .replaceAll('((exports=>{', '((function(exports){');
    }
  },
};

// What is loaded together lies together, or a send would look up and read twenty more files: 4 ms. A module
// belongs to the first of these whose entries import it statically.
const layers = [
  ['start', ['src/main.ts']],
  ['line', ['src/commandLine.ts']],
  ['record', ['src/commands/history.ts', 'src/journal/sqliteJournal.ts']],
  ['doing', ['src/commands/send.ts', 'src/profile/profileSpeaker.ts']],
  ['wire', ['src/wire/undiciLine.ts']],
];

const members = new Map();

function layerOf(id, graph) {
  if (members.size === 0) {
    for (const [layer, entries] of layers) for (const entry of entries) enlist(root + entry, layer, graph);
  }
  return members.get(id) ?? null;
}

function enlist(id, layer, graph) {
  if (members.has(id)) return;
  members.set(id, layer);
  for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) enlist(imported, layer, graph);
}

await rm(dist, { recursive: true, force: true });
const bundle = await rolldown({
  input: { main: `${root}src/main.ts`, stringWidth: 'string-width' },
  cwd: root,
  preserveEntrySignatures: 'allow-extension',
  platform: 'node',
  // jsonc-parser's `main` is a wrapper that no bundler can follow.
  resolve: { mainFields: ['module', 'main'] },
  external: (source, importer) =>
    /^(node:|@photostructure\/sqlite$)/u.test(source) && leanIndex(source, importer) < 0,
  plugins: [leaveOutUnused, compileOnce],
});
const { output } = await bundle.write({
  dir: dist,
  // Node loads CommonJS 15 ms faster than modules: the module loader itself is code to compile.
  format: 'cjs',
  exports: 'named',
  // For what bin/botctl.js tells the engine before a file is compiled.
  intro: 'module.runs?.();',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
  codeSplitting: { groups: [{ name: layerOf, debugName: 'layers', includeDependenciesRecursively: false }] },
  minify: { compress: true, mangle: false, codegen: { removeWhitespace: true, asciiOnly: true } },
});
await bundle.close();
const moduleIds = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
await writeFile(`${dist}/THIRD-PARTY-NOTICES.txt`, noticesFor(moduleIds));
execFileSync(process.execPath, ['scripts/run.mjs', 'manual'], { cwd: root, stdio: 'inherit' });
await writeFile(`${dist}/package.json`, '{ "type": "commonjs" }\n');
process.stdout.write(`built ${output.length} files into dist/\n`);
