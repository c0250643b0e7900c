// Bundles src/ into dist/, for Node.
// SQLite goes along for every platform: as a package of its own it would ask to run an install script, which pnpm
// refuses and npm warns of. Only the sandbox's litesvm is found in node_modules when first used.
import { execFileSync } from 'node:child_process';
import { copyFile, mkdir, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { bundleFor } from './build/bundle.mjs';
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

await rm(dist, { recursive: true, force: true });
const output = await bundleFor('node', dist, {
  more: { compiled: `${root}src/machine/compiled.ts`, stringWidth: 'string-width' },
});
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
