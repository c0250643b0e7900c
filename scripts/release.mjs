// node scripts/release.mjs: makes out/release, which a release publishes as it is: the single files, the npm package,
// install.sh, notices, SHA256SUMS and a manifest.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'out', 'release');
const singleFiles = ['botctl-linux-x64', 'botctl-linux-arm64'];
const published = singleFiles.flatMap((name) => [name, `${name}.notices.txt`]);

function run(program, words) {
  return execFileSync(program, words, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();
}

/** Git's name for what is released. What is not committed is not released. */
function commit() {
  if (run('git', ['status', '--porcelain']) !== '')
    throw new Error('there are changes that are not committed');
  return run('git', ['rev-parse', 'HEAD']);
}

const released = commit();
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
run('npm', ['run', 'binary']);
// What it builds first speaks before it.
const package_ = run('npm', ['pack', '--silent', '--pack-destination', folder]).split('\n').at(-1);
for (const name of published) copyFileSync(join(root, 'out', name), join(folder, name));
copyFileSync(join(root, 'install.sh'), join(folder, 'install.sh'));
const says = run(join(folder, `botctl-linux-${process.arch}`), ['--version']);

const files = [...published, 'install.sh', package_].map((name) => ({
  name,
  bytes: statSync(join(folder, name)).size,
  sha256: createHash('sha256')
    .update(readFileSync(join(folder, name)))
    .digest('hex'),
}));
writeFileSync(join(folder, 'SHA256SUMS'), files.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join(''));
writeFileSync(
  join(folder, 'manifest.json'),
  `${JSON.stringify({ version: says, commit: released, files }, null, 2)}\n`,
);
console.log(`made out/release: ${files.map(({ name }) => name).join(', ')}`);
