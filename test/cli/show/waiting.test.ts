import { Writable } from 'node:stream';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { Output } from '../../../src/cli/show/display.ts';
import { makeDisplay } from '../../../src/cli/show/faces.ts';
import { systemClock } from '../../../src/machine/process.ts';
import { nobody } from '../../support/nobody.ts';

type Setting = { isTTY?: boolean; env?: Record<string, string>; quiet?: boolean };

/** What a person sees on stderr while something is waited for that takes as long as `meanwhile`. */
async function seenWhile(
  meanwhile: (seen: () => string) => Promise<void>,
  { isTTY = true, env = {}, quiet = false }: Setting,
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
      stderrStream: stderr,
      env,
      interrupted: new AbortController().signal,
      terminal: nobody,
      clock: systemClock,
    },
  );
  let end = (_outcome: string): void => {};
  const work = new Promise<string>((resolve) => {
    end = resolve;
  });
  const waited = display.waiting('waiting for the service', work);
  await meanwhile(() => seen);
  end('done');
  expect(await waited).toBe('done');
  return seen;
}

describe('a wait', () => {
  afterEach(() => void vi.useRealTimers());

  test('that is noticeable says why on a terminal, and never hides the cursor: killed meanwhile, nobody would show it again', async () => {
    const untilSaid = (seen: () => string): Promise<void> =>
      expect.poll(seen).toContain('waiting for the service');
    expect(await seenWhile(untilSaid, {})).not.toContain('\u001b[?25l');
  });

  test.each<[string, number, Setting]>([
    ['is short', 100, {}],
    ['is seen by no terminal', 600, { isTTY: false }],
    ['happens in CI', 600, { env: { CI: 'true' } }],
    ['happens on a dumb terminal', 600, { env: { TERM: 'dumb' } }],
    ['happens with --quiet', 600, { quiet: true }],
    ['is long with --quiet', 6000, { isTTY: false, quiet: true }],
  ])('that %s says nothing', async (_name, ms, setting) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const passing = async (): Promise<void> => void vi.advanceTimersByTime(ms);
    expect(await seenWhile(passing, setting)).toBe('');
  });

  test('of more than five seconds is said once in a pipe', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const passing = async (): Promise<void> => void vi.advanceTimersByTime(5100);
    expect(await seenWhile(passing, { isTTY: false })).toBe('note: waiting for the service\n');
  });
});
