// Bundles src/ into dist/: one small entry, and a chunk for whatever a command loads when it runs.
// What is native stays outside: it is found in node_modules when first used.
import { execFileSync } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { noticesFor } from './scripts/notices.mjs';

const root = fileURLToPath(new URL('.', import.meta.url));
const dist = `${root}dist`;

// What libraries load at start-up and botctl never uses. Measured on Node 20, each saves 2 to 8 ms a run:
// HTTP/2 (and with it tls, where the service is plain), the whole of node:http for one class and one number,
// node:assert for undici's own checks, and commander's way of starting other executables.
const lean = [
  [
    /undici\/lib\/dispatcher\/client\.js$/,
    './client-h2.js',
    'module.exports = () => { throw new Error("HTTP/1.1 only"); };',
  ],
  [/undici\/lib\//, 'node:http', 'module.exports = { maxHeaderSize: 16384, IncomingMessage: class {} };'],
  [
    /undici\/lib\//,
    'node:assert',
    'module.exports = (holds, why) => { if (!holds) throw why instanceof Error ? why : new Error(why ?? "undici: assertion failed"); };' +
      'module.exports.strictEqual = (a, b, why) => module.exports(Object.is(a, b), why);',
  ],
  [/commander\/lib\/command\.js$/, 'node:child_process', 'module.exports = {};'],
];

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
  minify: { compress: true, mangle: false, codegen: false },
  comments: { legal: false },
});
await bundle.close();
const moduleIds = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
await writeFile(`${dist}/THIRD-PARTY-NOTICES.txt`, noticesFor(moduleIds));
execFileSync(process.execPath, ['scripts/run.mjs', 'manual'], { cwd: root, stdio: 'inherit' });
await writeFile(`${dist}/package.json`, '{ "type": "commonjs" }\n');
process.stdout.write(`built ${output.length} files into dist/\n`);
