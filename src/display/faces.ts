import { Failure, type Problem } from '../errors.ts';
import { foldAtBlanks } from '../wrap.ts';
import type { Question } from './ask.ts';
import { type ColourLevel, colourLevel } from './colour.ts';
import type { Display, View } from './display.ts';
import { Meter } from './meter.ts';
import type { Output } from './output.ts';
import { paintOf } from './paint.ts';
import { safeJson, safeLine } from './safeText.ts';
import { withSpinner } from './waiting.ts';

export type FaceChoice = {
  json: boolean;
  quiet: boolean;
  verbose: boolean;
  noColorFlag: boolean;
};

export type FaceStreams = {
  stdout: Output;
  stderr: Output;
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stderrStream: NodeJS.WritableStream;
  env: Readonly<Record<string, string | undefined>>;
  interrupted: AbortSignal;
};

const hintIndent = 'botctl: '.length;
const leastTextWidth = 24;

/** The two faces share everything that goes to stderr; they differ in what stdout gets. */
export async function makeDisplay(choice: FaceChoice, streams: FaceStreams): Promise<Display> {
  const { stdout, stderr, env } = streams;
  const levelOf = (output: Output): ColourLevel =>
    colourLevel({ noColorFlag: choice.noColorFlag, env, isTerminal: output.isTerminal });
  const outPaint = await paintOf(levelOf(stdout));
  const errPaint = await paintOf(levelOf(stderr));
  const interactive = stderr.isTerminal && streams.stdin.isTTY === true;
  const spins = stderr.isTerminal && !choice.quiet && !env.CI && env.TERM !== 'dumb';
  const question: Question = {
    get input() {
      return streams.stdin;
    },
    output: streams.stderrStream,
    interrupted: streams.interrupted,
  };
  let meter: Meter | undefined;
  const say = (line: string): void => {
    if (meter === undefined) void stderr.say(`${line}\n`);
    else meter.say(line);
  };

  const textOf = (view: View): string => {
    if (choice.json) return `${safeJson(view.json)}\n`;
    if (choice.quiet) return view.quiet === undefined ? '' : `${safeLine(view.quiet)}\n`;
    return view.human({ paint: outPaint, columns: stdout.columns });
  };

  return {
    face: choice.json ? 'json' : 'human',
    quiet: choice.quiet,
    interactive,
    columns: stderr.columns,

    show: async (view) => {
      const text = textOf(view);
      return text === '' ? 'written' : stdout.write(text);
    },

    fail: async (problem, whole) => {
      if (choice.json) {
        try {
          await stdout.write(`${safeJson(whole)}\n`);
          return;
        } catch {
          // stdout is what failed: a person still has stderr.
        }
      }
      sayProblem(problem);
    },

    notice: (text) => sayUnder(errPaint.cyan('note:'), 'note: '.length, text),
    warn: (text) => sayUnder(errPaint.yellow('warning:'), 'warning: '.length, text),
    step: (text) => {
      if (choice.verbose) say(errPaint.dim(`· ${safeLine(text)}`));
    },

    waiting: (why, work) =>
      spins
        ? withSpinner(safeLine(why), work, {
            stream: streams.stderrStream as NodeJS.WriteStream,
            color: levelOf(stderr) > 0,
          })
        : work,

    meter: (gauge) => {
      if (choice.quiet) return () => {};
      const started = new Meter(gauge, {
        // Rows of JSON on the same terminal would tear the bar.
        draws: spins && !(choice.json && stdout.isTerminal),
        write: (text) => void stderr.say(text),
        columns: stderr.columns,
        paint: errPaint,
      });
      meter = started;
      return () => {
        started.stop();
        meter = undefined;
      };
    },

    confirm: async (text) => {
      refuseWithoutTerminal(interactive);
      const { confirm } = await import('./ask.ts');
      return confirm(text, stderr.columns, question);
    },
    askHidden: async (label) => {
      refuseWithoutTerminal(interactive);
      const { askHidden } = await import('./ask.ts');
      return askHidden(label, question);
    },
  };

  function sayProblem(problem: Problem): void {
    sayUnder(errPaint.red('botctl:'), hintIndent, problem.message);
    if (problem.hint !== undefined) sayUnder(' '.repeat(hintIndent - 1), hintIndent, problem.hint);
  }

  /** On a terminal broken at blanks; elsewhere one line, for those who search. */
  function sayUnder(mark: string, indent: number, text: string): void {
    const width = stderr.isTerminal ? Math.max(leastTextWidth, stderr.columns - indent) : Infinity;
    say(`${mark} ${foldAtBlanks(safeLine(text), width).join(`\n${' '.repeat(indent)}`)}`);
  }
}

function refuseWithoutTerminal(interactive: boolean): void {
  if (interactive) return;
  throw new Failure('usage', 'There is no terminal to ask on.', {
    hint: 'Pass --yes, or give what is asked for as an option.',
  });
}
