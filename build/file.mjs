// node build/file.mjs [PLATFORM [FOLDER]]: makes out/botctl-PLATFORM, the whole program in one file that runs without Node. The
// engine inside is Bun, which build/package.json names and this installs. Native parts are inside too; src/machine/engine/bun.ts
// lays them where the system can load them.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { noticesFor } from '../scripts/notices.mjs';
import { bundleFor } from './bundle.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

const platforms = {
  'linux-x64': {
    bun: '@oven/bun-linux-x64-baseline',
    target: 'bun-linux-x64-baseline',
    sqlite: 'linux-x64/@photostructure+sqlite.glibc.node',
    litesvm: 'litesvm-linux-x64-gnu',
  },
};

const name = process.argv[2] ?? 'linux-x64';
const platform = platforms[name];
if (platform === undefined) {
  throw new Error(`no file is made for ${name}, only for ${Object.keys(platforms).join(', ')}`);
}
const made = join(process.argv[3] ?? join(root, 'out'), name);
const file = join(process.argv[3] ?? join(root, 'out'), `botctl-${name}`);

/** Packs a native part, and returns what src/machine/engine/bun.ts must know of it. */
async function pack(part, path) {
  const bytes = await readFile(path);
  await writeFile(join(made, 'native', `${part}.gz`), gzipSync(bytes, { level: 9 }));
  return { file: `native/${part}.gz`, digest: createHash('sha256').update(bytes).digest('hex') };
}

// What these variables name changes Bun before our first line runs: it becomes `bun` itself, loads other code, or opens
// a debugger's port. A name that begins with a null byte is the name of no variable.
const deafTo = ['BUN_BE_BUN', 'BUN_OPTIONS', 'BUN_INSPECT', 'BUN_INSPECT_CONNECT_TO', 'BUN_INSPECT_PRELOAD'];

function deafen(bytes) {
  for (const variable of deafTo) {
    const at = bytes.indexOf(`\0${variable}\0`, 0, 'latin1');
    if (at < 0 || bytes.indexOf(`\0${variable}\0`, at + 1, 'latin1') >= 0) {
      throw new Error(`this Bun does not have ${variable} in it exactly once`);
    }
    bytes[at + 1] = 0;
  }
}

const bun = `${root}build/node_modules/${platform.bun}/bin/bun`;
if (!existsSync(bun)) {
  const words = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  execFileSync('npm', words, { cwd: `${root}build`, stdio: ['ignore', 'ignore', 'inherit'] });
}

await rm(made, { recursive: true, force: true });
await mkdir(join(made, 'native'), { recursive: true });
const sqlite = `${root}node_modules/@photostructure/sqlite/`;
const litesvm = createRequire(`${root}package.json`).resolve(platform.litesvm);
const require = createRequire(`${await realpath(sqlite)}/`);
const native = {
  sqlite: await pack('sqlite', `${sqlite}prebuilds/${platform.sqlite}`),
  [platform.litesvm]: await pack('litesvm', litesvm),
};
const versionOf = async (path) => JSON.parse(await readFile(path, 'utf8')).version;
const bunVersion = await versionOf(`${root}build/node_modules/${platform.bun}/package.json`);
const output = await bundleFor('bun', made, {
  define: { nativeParts: JSON.stringify(native) },
  version: `${await versionOf(`${root}package.json`)}, preview: a single file on Bun ${bunVersion}`,
});
await copyFile(`${root}build/file.js`, join(made, 'botctl.js'));
await writeFile(join(made, 'package.json'), '{ "type": "commonjs" }\n');

await chmod(bun, 0o755);
const words = [
  ...['build', '--compile', '--bytecode', '--format=cjs', '--target', platform.target],
  ...['--compile-executable-path', bun, '--asset=native'],
  // Nothing of the folder in which it is run may change it.
  ...['dotenv', 'bunfig', 'tsconfig', 'package-json'].map((what) => `--no-compile-autoload-${what}`),
  ...['botctl.js', '--outfile', 'botctl'],
];
execFileSync(bun, words, { cwd: made, stdio: ['ignore', 'ignore', 'inherit'], env: { HOME: made } });
const bytes = await readFile(join(made, 'botctl'));
deafen(bytes);
await writeFile(`${file}.half`, bytes, { mode: 0o755 });
await rename(`${file}.half`, file);
const modules = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
const parts = [`${sqlite}prebuilds`, litesvm, require.resolve('node-addon-api/package.json')];
const libraries = noticesFor([...modules, ...parts]);
const engine = await readFile(`${root}build/engineNotice.txt`, 'utf8');
await writeFile(`${file}.notices.txt`, `${engine}\n${'-'.repeat(80)}\n\n${libraries}`);
process.stdout.write(`made out/botctl-${name}, ${(bytes.length / 1e6).toFixed(1)} MB\n`);
