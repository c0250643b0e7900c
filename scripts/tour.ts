// npm run picture: runs the README's commands for real, and draws what the terminal showed, light and dark.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { tourSteps } from './pages.ts';
import { terminalPicture, themes } from './terminalPicture.ts';

const columns = 124;
// The clone is set up where the picture is drawn, and nobody looks at a picture of every test.
const steps = tourSteps(readFileSync('README.md', 'utf8')).filter(({ command }) =>
  command.includes('botctl'),
);
const home = mkdtempSync(join(tmpdir(), 'botctl-tour-'));
const program = join(home, 'npx');
const own = `exec '${process.execPath}' '${resolve('bin/botctl.js')}' "$@"`;
writeFileSync(program, `#!/bin/sh\nshift\n${own}\n`);
chmodSync(program, 0o755);
const script = steps.map(({ command }) => `echo '@@@'\n${command.replace('npm ci && ', '')}`).join('\n');
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
const shown = steps.map(
  ({ command }, index) => `\u001b[2m$\u001b[22m \u001b[1m${command}\u001b[22m\n${outputs[index] ?? ''}`,
);
for (const [name, theme] of Object.entries(themes)) {
  writeFileSync(`docs/tour-${name}.svg`, terminalPicture(shown.join('\n'), columns, theme));
}
console.log('drew docs/tour-light.svg and docs/tour-dark.svg');
