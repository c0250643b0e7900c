// Bundles src/ into dist/: one small entry, and a chunk for whatever a command loads when it runs.
// What is native stays outside: it is found in node_modules when first used.
import { rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('.', import.meta.url));
const dist = `${root}dist`;

// What libraries load at start-up and botctl never uses, left out. What each buys a send was measured on Node 20.
const { ERROR, TYPE } = createRequire(`${root}node_modules/undici/`)('./lib/llhttp/constants.js');
const lean = [
  // HTTP/2, and with it tls where the service is plain: 8 ms.
  [/undici\/lib\/dispatcher\/client\.js$/, './client-h2.js', throwing('HTTP/1.1 only')],
  // The whole of node:http for one class and one number: 6 ms.
  [/undici\/lib\//, 'node:http', 'module.exports = { maxHeaderSize: 16384, IncomingMessage: class {} };'],
  // node:assert for undici's own checks: 2 ms.
  [
    /undici\/lib\//,
    'node:assert',
    'module.exports = (holds, why) => { if (!holds) throw why instanceof Error ? why : new Error(why ?? "undici: assertion failed"); };' +
      'module.exports.strictEqual = (a, b, why) => module.exports(Object.is(a, b), why);',
  ],
  // All of fetch, for bodies that are no bytes; the parser a second time, for processors of before 2008; and its
  // tables, of which two are looked at: together 2 ms.
  [/client-h1\.js$/, '../web/fetch/body.js', throwing('a body is bytes')],
  [
    /client-h1\.js$/,
    '../llhttp/llhttp-wasm.js',
    `module.exports = require('undici/lib/llhttp/llhttp_simd-wasm.js');`,
  ],
  [/client-h1\.js$/, '../llhttp/constants.js', `module.exports = ${JSON.stringify({ ERROR, TYPE })};`],
  // commander's way of starting other executables: 3 ms.
  [/commander\/lib\/command\.js$/, 'node:child_process', 'module.exports = {};'],
  // Where the native part lies is looked up in folders, through Node's resolver of packages: 4 ms. It is asked
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

await rm(dist, { recursive: true, force: true });
const bundle = await rolldown({
  input: { main: `${root}src/main.ts` },
  cwd: root,
  platform: 'node',
  // jsonc-parser's `main` is a wrapper that no bundler can follow.
  resolve: { mainFields: ['module', 'main'] },
  external: (source, importer) =>
    /^(node:|@photostructure\/sqlite$)/u.test(source) && leanIndex(source, importer) < 0,
  plugins: [leaveOutUnused],
});
const { output } = await bundle.write({
  dir: dist,
  // Node loads CommonJS 15 ms faster than modules: the module loader itself is code to compile.
  format: 'cjs',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
  minify: { compress: true, mangle: false, codegen: { removeWhitespace: true, asciiOnly: true } },
});
await bundle.close();
await writeFile(`${dist}/package.json`, '{ "type": "commonjs" }\n');
process.stdout.write(`built ${output.length} files into dist/\n`);
