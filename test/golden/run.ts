import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { main } from '../../src/main.ts';
import { ended } from '../support/botctl.ts';
import { nobody } from '../support/nobody.ts';
import { foreignBin, loadingFirst, program, programWords } from '../support/program.ts';
import { root } from '../support/root.ts';
import { onTerminal } from '../support/terminal.ts';
import type { Result } from './script.ts';
import { installTracing, note } from './trace.ts';

export type Run = {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly stdin: string;
  /** How much later than now it is for botctl. */
  readonly laterMs: number;
  /** The first signal has come before anything was begun. */
  readonly isInterrupted: boolean;
};

/** What a person answers, and what is done by others while the question stands. */
export type Answer = { readonly typed: string; readonly meanwhile?: string };

type Built = { readonly main: typeof main };
let built: Built | undefined;

function loadBuilt(): Built {
  installTracing();
  return createRequire(import.meta.url)(join(root, 'dist/main.js')) as Built;
}

/** The built program in this process. This is all that golden files know of src. */
async function inThisProcess(argv: readonly string[], run: Run): Promise<Result> {
  const { env, cwd, stdin, laterMs, isInterrupted } = run;
  built ??= loadBuilt();
  const [stdout, stderr] = [new Sink('stdout'), new Sink('stderr')];
  const never = new AbortController().signal;
  let skippedMs = laterMs;
  const before = process.cwd();
  process.chdir(cwd);
  try {
    const exit = await built.main({
      argv,
      env,
      stdin: Readable.from(stdin === '' ? [] : [Buffer.from(stdin)]),
      stdout: stdout as unknown as NodeJS.WriteStream,
      stderr: stderr as unknown as NodeJS.WriteStream,
      interrupts: { first: isInterrupted ? AbortSignal.abort() : never, second: never },
      clock: {
        now: () => Date.now() + skippedMs,
        sleep: async (waitMs) => {
          skippedMs += Math.ceil(waitMs);
          await nextTurn();
        },
      },
      chance: { fraction: () => 0.5, uuid: () => randomUUID() },
      terminal: nobody,
      machinePolicy: join(env.HOME ?? '', 'machine-policy.json'),
    });
    return { exit, stdout: stdout.text, stderr: stderr.text };
  } finally {
    process.chdir(before);
  }
}

class Sink extends Writable {
  text = '';
  readonly #name: string;

  constructor(name: string) {
    super();
    this.#name = name;
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    note(`${this.#name}`);
    done();
  }
}

/** For a botctl in a process of its own: it skips what it would sleep, and its clock is that much later. */
export function skipping(laterMs: number): Record<string, string> {
  return { ...loadingFirst(`${root}/test/support/skipSleeps.cjs`), BOTCTL_SKIPPED_MS: String(laterMs) };
}

async function inItsOwn(argv: readonly string[], run: Run): Promise<Result> {
  const { env, cwd, stdin, laterMs, isInterrupted } = run;
  const signalled: Record<string, string> = isInterrupted ? { BOTCTL_SIGNALLED: 'SIGINT' } : {};
  const start = { env: { ...env, ...skipping(laterMs), ...signalled }, cwd, stdin };
  const { code, signal, stdout, stderr } = await ended(program, [...programWords, ...argv], start);
  return { exit: code ?? signal ?? 'none', stdout, stderr };
}

// Where a line is folded would depend on how long this machine's temporary paths are.
const wide = 400;

/** At a terminal where a person gives these answers; the streams are pipes all the same. */
export async function runAtTerminal(
  argv: readonly string[],
  run: Run,
  answers: readonly Answer[],
): Promise<Result> {
  const { env, cwd, stdin, laterMs } = run;
  const asked = /\[y\/N\] |\[N\]o: stop |shown\): /u;
  const steps = answers.map(({ typed, meanwhile = '' }) => {
    const whole = typed === '^C' ? '\x03' : `${typed}\r`;
    return meanwhile === '' ? ([asked, whole] as const) : ([asked, whole, meanwhile] as const);
  });
  const whole = { ...env, ...skipping(laterMs), BOTCTL_SLEEPS: 'kept' };
  const { code, stdout, stderr } = await onTerminal(argv, steps, whole, { cwd, stdin, columns: wide });
  return { exit: code, stdout, stderr };
}

export function runBotctl(argv: readonly string[], run: Run, isApart: boolean): Promise<Result> {
  return isApart || foreignBin !== undefined ? inItsOwn(argv, run) : inThisProcess(argv, run);
}
