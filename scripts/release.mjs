// node scripts/release.mjs: makes out/release, which a release publishes as it is: the single file of each platform that
// was run here, the npm package, install.sh, notices, SHA256SUMS and a manifest.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'out', 'release');
const file = 'botctl-linux-x64';

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
run(process.execPath, ['build/file.mjs', 'linux-x64']);
// What it builds first speaks before it.
const package_ = run('npm', ['pack', '--silent', '--pack-destination', folder]).split('\n').at(-1);
for (const name of [file, `${file}.notices.txt`]) copyFileSync(join(root, 'out', name), join(folder, name));
copyFileSync(join(root, 'install.sh'), join(folder, 'install.sh'));
// What does not run here is not published.
const says = run(join(folder, file), ['--version']);

const files = [file, `${file}.notices.txt`, 'install.sh', package_].map((name) => ({
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
