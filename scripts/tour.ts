// npm run picture: runs the README's tour for real, and draws what the terminal showed, light and dark.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { tourSteps } from './pages.ts';
import { terminalPicture, themes } from './terminalPicture.ts';

const columns = 112;
const steps = tourSteps(readFileSync('README.md', 'utf8'));
const home = mkdtempSync(join(tmpdir(), 'botctl-tour-'));
const program = join(home, 'botctl');
writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${resolve('bin/botctl.js')}' "$@"\n`);
chmodSync(program, 0o755);
const script = steps.map(({ command }) => `echo '@@@'\n${command}`).join('\n');
const { stdout } = spawnSync('bash', ['-c', `exec 2>&1\n${script}`], {
  cwd: home,
  encoding: 'utf8',
  env: {
    HOME: home,
    PATH: `${home}:${process.env.PATH}`,
    LC_ALL: 'C.UTF-8',
    FORCE_COLOR: '1',
    COLUMNS: String(columns),
  },
});
rmSync(home, { recursive: true, force: true });

const outputs = stdout.split('@@@\n').slice(1);
// A script's shell reports a killed job one line later, and in more words, than an interactive shell.
const killed = /^.*line \d+: +\d+ Killed .*\n(.*--yes\n)?/gmu;
const shown = steps.flatMap(({ command, pictured }, index) => {
  if (!pictured) return [];
  const output = (outputs[index] ?? '').replace(killed, '');
  const typed = command.replaceAll('\n', '\u001b[22m\n\u001b[1m');
  const ended = command.includes('kill -9') ? '[2]+  Killed\n' : '';
  return [`\u001b[2m$\u001b[22m \u001b[1m${typed}\u001b[22m\n${output}${ended}`];
});
for (const [name, theme] of Object.entries(themes)) {
  writeFileSync(`docs/tour-${name}.svg`, terminalPicture(shown.join('\n'), columns, theme));
}
console.log('drew docs/tour-light.svg and docs/tour-dark.svg');
