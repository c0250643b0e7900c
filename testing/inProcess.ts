import { randomUUID } from 'node:crypto';
import { Readable, Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CommandSpec } from '../src/cli/parse/command.ts';
import { main } from '../src/main.ts';
import { nobody } from './nobody.ts';

export type Ran = { code: number; stdout: string; stderr: string };

export type Setting = {
  env?: Record<string, string | undefined>;
  stdin?: string | Buffer | undefined;
  stdoutTerminal?: boolean;
  stderrTerminal?: boolean;
  columns?: number;
  tree?: readonly CommandSpec[];
  interrupted?: AbortSignal;
};

/** A stream that records what is written to it, and that may claim to be a terminal. */
function sink(isTTY: boolean, columns = 80): { stream: NodeJS.WriteStream; text: () => string } {
  let text = '';
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      text += String(chunk);
      done();
    },
  });
  return {
    stream: Object.assign(stream, { isTTY, columns }) as unknown as NodeJS.WriteStream,
    text: () => text,
  };
}

/** Runs the program in this process, as `bin` does, with surroundings made for one test. */
export async function runMain(argv: readonly string[], setting: Setting = {}): Promise<Ran> {
  const stdout = sink(setting.stdoutTerminal === true, setting.columns);
  const stderr = sink(setting.stderrTerminal === true);
  const never = new AbortController().signal;
  const code = await main(
    {
      argv,
      env: { LANG: 'C.UTF-8', ...setting.env },
      stdin: Readable.from(setting.stdin === undefined ? [] : [Buffer.from(setting.stdin)]),
      stdout: stdout.stream,
      stderr: stderr.stream,
      interrupts: { first: setting.interrupted ?? never, second: never },
      clock: { now: Date.now, sleep: () => nextTurn() },
      chance: { fraction: Math.random, uuid: () => randomUUID() },
      terminal: nobody,
    },
    setting.tree,
  );
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}
