import { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { makeDisplay } from '../../src/display/faces.ts';
import { Output } from '../../src/display/output.ts';

/** What a person sees on stderr while something takes `ms`. */
async function seenWhile(
  ms: number,
  {
    isTTY = true,
    env = {},
    quiet = false,
  }: { isTTY?: boolean; env?: Record<string, string>; quiet?: boolean },
): Promise<string> {
  let seen = '';
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      seen += String(chunk);
      done();
    },
  });
  const terminal = {
    isTTY,
    columns: 80,
    clearLine: () => true,
    cursorTo: () => true,
    moveCursor: () => true,
  };
  const stderr = Object.assign(stream, terminal) as unknown as NodeJS.WriteStream;
  const display = await makeDisplay(
    { json: false, quiet, verbose: false, noColorFlag: true, kept: [] },
    {
      stdout: new Output(stderr),
      stderr: new Output(stderr),
      stdin: Readable.from([]),
      stderrStream: stderr,
      env,
      interrupted: new AbortController().signal,
    },
  );
  expect(await display.waiting('waiting for the service', sleep(ms, 'done'))).toBe('done');
  return seen;
}

describe.concurrent('a wait', () => {
  test('that is noticeable says why on a terminal', async ({ expect }) => {
    expect(await seenWhile(700, {})).toContain('waiting for the service');
  });

  test('never hides the cursor: killed meanwhile, nobody would show it again', async ({ expect }) => {
    expect(await seenWhile(700, {})).not.toContain('\u001b[?25l');
  });

  test.each([
    ['is short', 100, {}],
    ['is seen by no terminal', 600, { isTTY: false }],
    ['happens in CI', 600, { env: { CI: 'true' } }],
    ['happens on a dumb terminal', 600, { env: { TERM: 'dumb' } }],
    ['happens with --quiet', 600, { quiet: true }],
  ])('that %s says nothing', async (_name, ms, setting) => {
    expect(await seenWhile(ms, setting)).toBe('');
  });
});
