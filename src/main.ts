import { writeSync } from 'node:fs';
import { type App, openApp } from './cli/app.ts';
import type { GlobalName } from './cli/parse/args.ts';
import type { CommandSpec } from './cli/parse/command.ts';
import { parseCommandLine } from './cli/parse/commandLine.ts';
import { columnsIn, type Display, Output, withoutNodeDebug } from './cli/show/display.ts';
import { type FaceChoice, type FaceStreams, makeDisplay } from './cli/show/faces.ts';
import type { StepSummary } from './cli/show/stepSummary.ts';
import { endedEarly, type Interruption, problemOf } from './cli/wording/problem.ts';
import type { Occurrence } from './cli/wording/suggest.ts';
import { commandTree } from './commands.ts';
import type { Env } from './machine/folders.ts';
import {
  type Chance,
  type Clock,
  type Interrupts,
  interruptsOfProcess,
  systemChance,
  systemClock,
  type Terminal,
  terminalOfProcess,
} from './machine/process.ts';
import { asFailure, claimedBy, type Exit, exitOf, type Failure, isOutage } from './once/failures.ts';

export type ProcessContext = {
  argv: readonly string[];
  env: Env;
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
  interrupts: Interrupts;
  clock: Clock;
  chance: Chance;
  terminal: Terminal;
  /** Not from the environment, which the restricted user controls. */
  machinePolicy?: string;
};

const machinePolicy = '/etc/botctl/policy.json';

/** Runs one command line and resolves to its exit code, after all output is written. */
export async function main(outer: ProcessContext, tree: readonly CommandSpec[] = commandTree): Promise<Exit> {
  const stderr = new Output(outer.stderr);
  const summary = await stepSummaryOf(outer.env);
  const telling = { summary, command: '' };
  const streams: FaceStreams = {
    stdout: new Output(outer.stdout),
    stderr,
    stderrStream: outer.stderr,
    env: outer.env,
    interrupted: outer.interrupts.first,
    terminal: outer.terminal,
    clock: outer.clock,
  };
  const exit = await dispatch(outer, tree, streams, telling);
  if (summary !== undefined) {
    await stderr.say(summary.annotation(telling.command, exit));
    summary.appendTo(outer.env.GITHUB_STEP_SUMMARY ?? '', telling.command, exit);
  }
  // After an interrupt, do not wait for a reader of stderr that may never read.
  if (!outer.interrupts.first.aborted) await stderr.drained();
  return exit;
}

/** Undefined unless a GitHub Actions job asks for a summary. */
async function stepSummaryOf({ GITHUB_STEP_SUMMARY: path = '' }: Env): Promise<StepSummary | undefined> {
  if (path === '') return undefined;
  const { StepSummary } = await import('./cli/show/stepSummary.ts');
  return new StepSummary();
}

type Telling = { readonly summary: StepSummary | undefined; command: string };

/** Runs the command. Everything that was thrown and not yet reported ends here. */
async function dispatch(
  outer: ProcessContext,
  tree: readonly CommandSpec[],
  streams: FaceStreams,
  telling: Telling,
): Promise<Exit> {
  const displayFor = async (has: (name: GlobalName) => boolean, kept: readonly Occurrence[]) => {
    const display = await makeDisplay(faceOf(has, kept), streams);
    return telling.summary?.watching(display) ?? display;
  };
  const words = optionWords(outer.argv);
  let display = await displayFor((name) => words.has(`--${name}`), []);
  let command: string | undefined;
  let doing: App['doing'] | undefined;
  try {
    const chosen = parseCommandLine(outer.argv, tree, columnsIn(outer.env) ?? streams.stdout.columns);
    if (typeof chosen === 'string') {
      await streams.stdout.write(chosen);
      return 0;
    }
    const { args, does } = chosen;
    doing = {
      does,
      hasChanged: false,
      get begun() {
        return this.hasChanged || claimedBy(outer.interrupts) !== undefined;
      },
    };
    command = args.command;
    telling.command = command;
    display = await displayFor((name) => args.flag(name), args.occurrences);
    const run = await chosen.load();
    const app = openApp({
      args,
      env: outer.env,
      get stdin() {
        return outer.stdin;
      },
      display,
      clock: outer.clock,
      chance: outer.chance,
      interrupts: outer.interrupts,
      machinePolicy: outer.machinePolicy ?? machinePolicy,
      doing,
    });
    try {
      return await run(app);
    } finally {
      await app.close();
    }
  } catch (thrown) {
    const failure = asFailure(thrown);
    const claimed = claimedBy(outer.interrupts);
    const isInDoubt = claimed !== undefined && isOutage(failure.code);
    const reported = isInDoubt ? endedEarly(claimed, failure.message) : failure;
    return report(reported, doing ?? { does: undefined, begun: false }, command, display);
  }
}

function faceOf(has: (name: GlobalName) => boolean, kept: readonly Occurrence[]): FaceChoice {
  return {
    json: has('json'),
    quiet: has('quiet'),
    verbose: has('verbose'),
    noColorFlag: has('no-color'),
    kept,
  };
}

/** The arguments before `--`. `--json` applies even if the rest of the command line is wrong. */
function optionWords(argv: readonly string[]): ReadonlySet<string> {
  const end = argv.indexOf('--');
  return new Set(end < 0 ? argv : argv.slice(0, end));
}

async function report(
  failure: Failure,
  doing: Interruption,
  command: string | undefined,
  display: Display,
): Promise<Exit> {
  const problem = problemOf(failure, doing);
  await display.fail(problem, {
    schema: 'botctl/1',
    ...(command === undefined ? {} : { command }),
    error: problem,
  });
  for (const line of stackOf(failure)) display.step(line);
  return exitOf(failure.code);
}

function stackOf(failure: Failure): string[] {
  const origin = failure.cause instanceof Error ? failure.cause : failure;
  return (origin.stack ?? '').split('\n').slice(1, 8);
}

/**
 * If nothing is left to wait for, Node exits with 0 even if `main` has not resolved. This reports such an early end as
 * a failure. Call the returned function when `main` has ended.
 */
export function guardExit({ argv, interrupts }: Pick<ProcessContext, 'argv' | 'interrupts'>): () => void {
  let isOver = false;
  process.once('exit', () => {
    if (isOver) return;
    const claimed = claimedBy(interrupts);
    const problem = problemOf(endedEarly(claimed), { does: 'sends', begun: claimed !== undefined });
    process.exitCode = exitOf(problem.code);
    const { message, hint } = problem;
    const [descriptor, text] = optionWords(argv).has('--json')
      ? [1, JSON.stringify({ schema: 'botctl/1', error: problem })]
      : [2, `botctl: ${message}\n        ${hint}`];
    try {
      writeSync(descriptor, `${text}\n`);
    } catch {
      // The output is closed, but the exit code still tells the caller.
    }
  });
  return () => {
    isOver = true;
  };
}

/** The real process: its streams and its signals. */
export function thisProcess(): ProcessContext {
  if (process.env.NODE_DEBUG) withoutNodeDebug(process.stderr);
  return {
    argv: process.argv.slice(2),
    env: process.env,
    // A getter, because reading process.stdin makes Node load its file streams (3 ms).
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    interrupts: interruptsOfProcess(),
    clock: systemClock,
    chance: systemChance,
    terminal: terminalOfProcess,
  };
}
