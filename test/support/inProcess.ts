import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CommandSpec } from '../../src/cli/parse/command.ts';
import { main } from '../../src/main.ts';
import { nobody } from './nobody.ts';
import { sink } from './sink.ts';

export type Ran = { code: number; stdout: string; stderr: string };

export type Setting = {
  env?: Record<string, string | undefined>;
  stdin?: string | Buffer | undefined;
  stdoutTerminal?: boolean;
  stderrTerminal?: boolean;
  tree?: readonly CommandSpec[];
  interrupted?: AbortSignal;
};

/** Runs the program in this process, as `bin` does, with surroundings made for one test. */
export async function runMain(argv: readonly string[], setting: Setting = {}): Promise<Ran> {
  const [stdout, stderr] = [sink(), sink()];
  Object.assign(stdout.stream, { isTTY: setting.stdoutTerminal === true, columns: 80 });
  Object.assign(stderr.stream, { isTTY: setting.stderrTerminal === true, columns: 80 });
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
