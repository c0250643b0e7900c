// node scripts/tools.mjs [TOOL [ARGUMENT]…]: installs what only checks, tests and benches need (test/package.json),
// unless it is there, and then runs the tool. `npm ci` in the root stays small: it brings what builds and runs botctl.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../test', import.meta.url));
const lock = readFileSync(join(folder, 'package-lock.json'), 'utf8');
// A copy of the lock is written last, so an installation that was cut off is made again.
const installed = join(folder, 'node_modules', '.installed-lock.json');

function run(command, words, options) {
  const { status, error } = spawnSync(command, words, { stdio: 'inherit', ...options });
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

if (!existsSync(installed) || readFileSync(installed, 'utf8') !== lock) {
  // In the folder, not with --prefix: that would also change which of npm's settings are read.
  run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder });
  writeFileSync(installed, lock);
}
const [tool, ...words] = process.argv.slice(2);
if (tool !== undefined) {
  const path = [join(folder, 'node_modules', '.bin'), process.env.PATH].join(delimiter);
  run(tool, words, { env: { ...process.env, PATH: path } });
}
