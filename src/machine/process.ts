import { closeSync, constants, openSync, readFileSync, readSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { terminalInput } from './engine/node.ts';

/** Time, as an interface that tests replace. */
export interface Clock {
  now(): number;
  /** Resolves after `waitMs`, or at once when `signal` aborts. */
  sleep(waitMs: number, signal?: AbortSignal): Promise<void>;
}

// Node fires a longer timer at once. Callers that wait longer check the clock again.
const longestTimerMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: Date.now,
  sleep: async (waitMs, signal) => {
    const timer = sleep(Math.min(waitMs, longestTimerMs), undefined, signal === undefined ? {} : { signal });
    await timer.catch(() => {});
  },
};

/** Random numbers for backoff, and random ids for keys. */
export interface Chance {
  /** In [0, 1). */
  fraction(): number;
  uuid(): string;
}

const fewUuids = 4;
let uuidsMade = 0;

// Node creates 128 UUIDs in advance. That is slower for a command that needs one or two.
function uuid(): string {
  uuidsMade += 1;
  return process.getBuiltinModule('node:crypto').randomUUID({ disableEntropyCache: uuidsMade <= fewUuids });
}

export const systemChance: Chance = { fraction: Math.random, uuid };

/** The first signal means: start nothing new, let requests in flight finish. The second: leave now. */
export interface Interrupts {
  readonly first: AbortSignal;
  readonly second: AbortSignal;
}

export function interruptsOfProcess(): Interrupts {
  const first = new AbortController();
  const second = new AbortController();
  const onSignal = (): void => {
    if (first.signal.aborted) second.abort();
    first.abort();
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, onSignal);
  return { first: first.signal, second: second.signal };
}

/** Lets the event loop do pending reads and writes. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/**
 * Bytes that arrive on an idle connection must not be read as the next reply. Node reads sockets once between two
 * rounds of immediates, so after two turns they have been read.
 */
export function readLeftovers(): Promise<void> {
  underway ??= twoTurns();
  return underway;
}

/** Shared by all callers of one turn; a batch has many. */
let underway: Promise<void> | undefined;

async function twoTurns(): Promise<void> {
  await nextTurn();
  // A caller from here on has not waited for both turns, so it starts its own.
  underway = undefined;
  await nextTurn();
}

/** Whether this process is in the foreground of its controlling terminal. Only then can a person be asked there. */
export type AtTerminal = { readonly is: 'foreground' | 'background' | 'none' };

/** The controlling terminal, whatever stdin, stdout and stderr are. */
export interface Terminal {
  /** Looked up each time: a shell moves its jobs to the background and back. */
  look(): AtTerminal;
  /** Throws if it cannot be opened. Drops what was typed before: an answer comes after its question. */
  open(): OpenTerminal;
}

export type OpenTerminal = {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly columns: number;
  close(): void;
};

export const terminalOfProcess: Terminal = { look: lookAtControlling, open: openControlling };

const controlling = '/dev/tty';

function lookAtControlling(): AtTerminal {
  let stat: string;
  try {
    stat = readFileSync('/proc/self/stat', 'latin1');
  } catch {
    return lookByPs();
  }
  // A program's name may contain blanks and parentheses.
  const [, , group, , terminal = '0', foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (terminal === '0') return { is: 'none' };
  return { is: group === foreground ? 'foreground' : 'background' };
}

/** Used if there is no /proc, as on macOS. */
function lookByPs(): AtTerminal {
  try {
    closeSync(openSync(controlling, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY));
  } catch {
    return { is: 'none' };
  }
  try {
    const { execFileSync } = process.getBuiltinModule('node:child_process');
    const words = ['-o', 'pgid=,tpgid=', '-p', String(process.pid)];
    const line = execFileSync('/bin/ps', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    const [group, foreground] = line.trim().split(/\s+/u);
    return { is: group === foreground ? 'foreground' : 'background' };
  } catch {
    // An unnecessary question is answered or times out; without a necessary one, money may be paid.
    return { is: 'foreground' };
  }
}

function openControlling(): OpenTerminal {
  const { WriteStream } = process.getBuiltinModule('node:tty');
  const { O_RDONLY, O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
  const descriptor = openSync(controlling, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  const input = terminalInput(descriptor);
  dropTyped(descriptor, input);
  const output = new WriteStream(openSync(controlling, O_WRONLY | O_NOCTTY));
  // If the terminal hangs up, the input ends. A failed write to it changes nothing more.
  output.on('error', () => {});
  return {
    input,
    output,
    columns: output.columns || 80,
    close: () => {
      input.destroy();
      output.destroy();
    },
  };
}

// The system keeps 64 KiB at most. Only a program that never stops typing reaches this limit.
const mostReads = 4096;

/** In line mode a half-typed line cannot be read; in raw mode it can. Node has no call for TCIFLUSH. */
function dropTyped(descriptor: number, input: ReturnType<typeof terminalInput>): void {
  const typed = Buffer.alloc(4096);
  input.setRawMode(true);
  try {
    for (let reads = 0; reads < mostReads; reads += 1) readSync(descriptor, typed);
  } catch {
    // EAGAIN: there is no more.
  } finally {
    input.setRawMode(false);
  }
}
