import { describe, expect, test } from 'vitest';
import { type ColourLevel, colourLevel } from '../../../src/cli/show/faces.ts';
import { runMain } from '../../../testing/inProcess.ts';
import { sampleTree } from '../../../testing/sampleTree.ts';

type Row = [string, { flag?: boolean; env?: Record<string, string>; terminal?: boolean }, ColourLevel];

const rows: Row[] = [
  ['a pipe', { terminal: false }, 0],
  ['a terminal', { env: { TERM: 'xterm' } }, 1],
  ['a terminal of 256 colours', { env: { TERM: 'xterm-256color' } }, 2],
  ['a terminal of all colours', { env: { TERM: 'xterm-256color', COLORTERM: 'truecolor' } }, 3],
  ['a terminal without TERM', {}, 1],
  ['TERM=dumb', { env: { TERM: 'dumb' } }, 0],
  ['NO_COLOR', { env: { NO_COLOR: '1' } }, 0],
  ['NO_COLOR, whatever its value', { env: { NO_COLOR: '0' } }, 0],
  ['an empty NO_COLOR, which says nothing', { env: { NO_COLOR: '' } }, 1],
  ['--no-color', { flag: true }, 0],
  ['--no-color against FORCE_COLOR', { flag: true, env: { FORCE_COLOR: '3' } }, 0],
  ['NO_COLOR against FORCE_COLOR', { env: { NO_COLOR: '1', FORCE_COLOR: '1' } }, 0],
  ['FORCE_COLOR on a pipe', { env: { FORCE_COLOR: '1' }, terminal: false }, 1],
  ['FORCE_COLOR=2 on a pipe', { env: { FORCE_COLOR: '2' }, terminal: false }, 2],
  ['FORCE_COLOR=3 on a pipe', { env: { FORCE_COLOR: '3' }, terminal: false }, 3],
  ['an empty FORCE_COLOR', { env: { FORCE_COLOR: '' }, terminal: false }, 1],
  ['FORCE_COLOR=true', { env: { FORCE_COLOR: 'true' }, terminal: false }, 1],
  ['FORCE_COLOR=0 on a terminal', { env: { FORCE_COLOR: '0' } }, 0],
  ['FORCE_COLOR=false on a terminal', { env: { FORCE_COLOR: 'false' } }, 0],
  ['FORCE_COLOR against TERM=dumb', { env: { FORCE_COLOR: '1', TERM: 'dumb' } }, 1],
  ['FORCE_COLOR=0 against CLICOLOR_FORCE', { env: { FORCE_COLOR: '0', CLICOLOR_FORCE: '1' } }, 0],
  ['CLICOLOR_FORCE on a pipe', { env: { CLICOLOR_FORCE: '1' }, terminal: false }, 1],
  ['CLICOLOR_FORCE=0 on a pipe', { env: { CLICOLOR_FORCE: '0' }, terminal: false }, 0],
  ['an empty CLICOLOR_FORCE on a pipe', { env: { CLICOLOR_FORCE: '' }, terminal: false }, 0],
  ['NO_COLOR against CLICOLOR_FORCE', { env: { NO_COLOR: '1', CLICOLOR_FORCE: '1' } }, 0],
];

describe('how many colours a stream gets', () => {
  test.each(rows)('%s', (_name, { flag = false, env = {}, terminal = true }, level) => {
    expect(colourLevel({ noColorFlag: flag, env, isTerminal: terminal })).toBe(level);
  });

  test('stdout and stderr are asked separately', async () => {
    const tree = sampleTree([]);
    const env = { TERM: 'xterm' };
    const failing = ['send', '--verbose', '--nope'];
    const toPipe = await runMain(failing, { tree, env, stdoutTerminal: true });
    expect(toPipe.stderr).not.toContain('\u001b');
    const toTerminal = await runMain(failing, { tree, env, stderrTerminal: true });
    expect(toTerminal.stderr).toContain('\u001b');
  });
});
