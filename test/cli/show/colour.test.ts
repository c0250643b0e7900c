import { expect, test } from 'vitest';
import { runMain } from '../../support/inProcess.ts';
import { sampleTree } from '../../support/sampleTree.ts';

type Row = [string, { flag?: boolean; env?: Record<string, string>; terminal?: boolean }, boolean];

const rows: Row[] = [
  ['a pipe', { terminal: false }, false],
  ['a terminal', { env: { TERM: 'xterm' } }, true],
  ['a terminal of 256 colours', { env: { TERM: 'xterm-256color' } }, true],
  ['a terminal of all colours', { env: { TERM: 'xterm-256color', COLORTERM: 'truecolor' } }, true],
  ['a terminal without TERM', {}, true],
  ['TERM=dumb', { env: { TERM: 'dumb' } }, false],
  ['NO_COLOR', { env: { NO_COLOR: '1' } }, false],
  ['NO_COLOR, whatever its value', { env: { NO_COLOR: '0' } }, false],
  ['an empty NO_COLOR, which says nothing', { env: { NO_COLOR: '' } }, true],
  ['--no-color', { flag: true }, false],
  ['--no-color against FORCE_COLOR', { flag: true, env: { FORCE_COLOR: '3' } }, false],
  ['NO_COLOR against FORCE_COLOR', { env: { NO_COLOR: '1', FORCE_COLOR: '1' } }, false],
  ['FORCE_COLOR on a pipe', { env: { FORCE_COLOR: '1' }, terminal: false }, true],
  ['FORCE_COLOR=2 on a pipe', { env: { FORCE_COLOR: '2' }, terminal: false }, true],
  ['FORCE_COLOR=3 on a pipe', { env: { FORCE_COLOR: '3' }, terminal: false }, true],
  ['an empty FORCE_COLOR', { env: { FORCE_COLOR: '' }, terminal: false }, true],
  ['FORCE_COLOR=true', { env: { FORCE_COLOR: 'true' }, terminal: false }, true],
  ['FORCE_COLOR=0 on a terminal', { env: { FORCE_COLOR: '0' } }, false],
  ['FORCE_COLOR=false on a terminal', { env: { FORCE_COLOR: 'false' } }, false],
  ['FORCE_COLOR against TERM=dumb', { env: { FORCE_COLOR: '1', TERM: 'dumb' } }, true],
];

const tree = sampleTree([]);
const failing = ['send', '--verbose', '--nope'];

test.each(rows)('what is shown has colours or has none: %s', async (_name, setting, isPainted) => {
  const { flag = false, env = {}, terminal = true } = setting;
  const words = flag ? [...failing, '--no-color'] : failing;
  const { stderr } = await runMain(words, { tree, env, stderrTerminal: terminal });
  expect(stderr.includes('\u001b')).toBe(isPainted);
});

test('stdout and stderr are asked separately', async () => {
  const env = { TERM: 'xterm' };
  const toPipe = await runMain(failing, { tree, env, stdoutTerminal: true });
  expect(toPipe.stderr).not.toContain('\u001b');
  const toTerminal = await runMain(failing, { tree, env, stderrTerminal: true });
  expect(toTerminal.stderr).toContain('\u001b');
});
