import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Clock, Interrupts, Terminal } from '../../src/machine/process.ts';
import type { main } from '../../src/main.ts';
import { botctl, type Ran, type Start } from './botctl.ts';
import { refuseUndocumented } from './jsonOutput.ts';
import { nobody } from './nobody.ts';
import { foreignBin, loadingFirst } from './program.ts';
import { root } from './root.ts';
import { sink } from './sink.ts';

type StartHere = Omit<Start, 'interruptAtOutput'> & {
  clock?: Clock;
  machinePolicy?: string;
  /** Where it runs. By default its streams are pipes, and nobody can be asked. */
  screen?: AtScreen;
};

/** What a process has of the terminal that it runs on. Without streams, its streams are pipes. */
export type AtScreen = {
  readonly streams?: NodeJS.WriteStream;
  readonly terminal: Terminal;
  readonly interrupts: Interrupts;
};

type Program = { readonly main: typeof main };

const load = createRequire(import.meta.url);
let program: Program | undefined;

const never = (): AbortSignal => new AbortController().signal;
const chance = { fraction: Math.random, uuid: () => randomUUID() };

/** Real time, except that a sleep ends at once and moves the clock ahead. */
export class SkippingClock implements Clock {
  skippedMs = 0;

  now(): number {
    return Date.now() + this.skippedMs;
  }

  async sleep(waitMs: number): Promise<void> {
    this.skippedMs += Math.ceil(waitMs);
    await nextTurn();
  }
}

const realClock: Clock = {
  now: Date.now,
  sleep: async (waitMs, signal) => {
    await sleep(waitMs, undefined, signal === undefined ? {} : { signal }).catch(() => {});
  },
};

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs the built program to its end in this process, as bin/botctl.js does in its own, in a tenth of the time. Only one
 * run at a time: a process has one working folder, and its locks do not exclude itself. Tests of processes (signals,
 * pipes, terminals, two at once, inherited streams) use `botctl`. So do tests that change a journal's files, because
 * SQLite keeps a journal open here until its last statement is collected. A program named by BOTCTL_BIN always runs in
 * its own process, and takes neither a clock nor a machine policy from here.
 */
export function botctlHere(argv: readonly string[], start: StartHere): Promise<Ran> {
  if (foreignBin !== undefined) return apart(argv, start);
  const run = last.then(() => runOnce(argv, start));
  last = run.catch(() => {});
  return run;
}

function apart(argv: readonly string[], { clock, machinePolicy, ...start }: StartHere): Promise<Ran> {
  if (machinePolicy !== undefined && existsSync(machinePolicy))
    throw new Error("BOTCTL_BIN: a machine's policy is for the program in this process");
  if (clock === undefined) return botctl(argv, start);
  return botctl(argv, { ...start, env: { ...start.env, ...skippingLike(clock) } });
}

/** The environment in which a process of its own goes by this clock, from where it stands now. */
export function skippingLike(clock: Clock): Record<string, string> {
  if (!(clock instanceof SkippingClock)) throw new Error('BOTCTL_BIN: this clock is for this process');
  return {
    BOTCTL_SKIPPED_MS: String(clock.now() - Date.now()),
    ...loadingFirst(`${root}/test/support/skipSleeps.cjs`),
  };
}

async function runOnce(argv: readonly string[], start: StartHere): Promise<Ran> {
  const { env, stdin = '', cwd, clock = realClock, machinePolicy = '/none/policy.json', screen } = start;
  program ??= load('../../dist/main.js') as Program;
  const { main } = program;
  const [stdout, stderr] = [sink(), sink()];
  const before = process.cwd();
  const { HOME, PGPASSFILE } = process.env;
  // PostgreSQL's driver looks for its password file by itself.
  setOwnEnv(env);
  if (cwd !== undefined) process.chdir(cwd);
  try {
    const code = await main({
      argv,
      env,
      stdin: Object.assign(Readable.from(stdin === '' ? [] : [Buffer.from(stdin)]), {
        isTTY: screen?.streams !== undefined,
      }),
      stdout: screen?.streams ?? stdout.stream,
      stderr: screen?.streams ?? stderr.stream,
      interrupts: screen?.interrupts ?? { first: never(), second: never() },
      clock,
      chance,
      terminal: screen?.terminal ?? nobody,
      machinePolicy,
    });
    refuseUndocumented(argv, stdout.text());
    return { code, signal: null, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    process.chdir(before);
    setOwnEnv({ HOME, PGPASSFILE });
  }
}

function setOwnEnv({ HOME, PGPASSFILE }: NodeJS.ProcessEnv): void {
  for (const [name, value] of Object.entries({ HOME, PGPASSFILE })) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}
