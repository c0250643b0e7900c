import { noTerminal } from '../words/asking.ts';
import { type Occurrence, type Suggested, type Suggestion, suggested } from '../words/suggestion.ts';
import type { Problem } from '../words/told.ts';
import { foldAtBlanks } from '../wrap.ts';
import type { Question } from './ask.ts';
import { besideLines } from './beside.ts';
import { type ColourLevel, colourLevel } from './colour.ts';
import { columnsOf } from './columns.ts';
import type { Display, View } from './display.ts';
import { LongWaits } from './longWaits.ts';
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
  /** What this command was given: a command that is suggested repeats what matters of it. */
  kept: readonly Occurrence[];
};

export type FaceStreams = {
  stdout: Output;
  stderr: Output;
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stderrStream: NodeJS.WritableStream;
  env: Readonly<Record<string, string | undefined>>;
  interrupted: AbortSignal;
};

type Suggestive = { readonly next?: readonly Suggestion[]; readonly [field: string]: unknown };

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
  const suggest = (next: readonly Suggestion[]): Suggested =>
    suggested(next, { occurrences: choice.kept, interactive });
  let meter: Meter | undefined;
  const longWaits = new LongWaits((why) => sayUnder(errPaint.cyan('note:'), 'note: '.length, `${why}…`));
  const say = (line: string): void => {
    if (meter === undefined) void stderr.say(`${line}\n`);
    else meter.say(line);
  };

  const textOf = (view: View): string => {
    if (choice.json) return `${safeJson(pasteable(view.json))}\n`;
    if (choice.quiet) return view.quiet === undefined ? '' : `${safeLine(view.quiet)}\n`;
    return view.human({ paint: outPaint, columns: columnsOf(stdout, env), suggest });
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

    write: async (text) => (text === '' ? 'written' : stdout.write(text)),

    fail: async (problem, whole) => {
      if (choice.json) {
        try {
          await stdout.write(`${safeJson(pasteable(whole))}\n`);
          return;
        } catch {
          // stdout is what failed: a person still has stderr.
        }
      }
      sayProblem(problem);
    },

    notice: (text, next = []) => {
      saySuggesting(errPaint.cyan('note:'), 'note: '.length, text, next);
    },
    warn: (text, next = []) => {
      saySuggesting(errPaint.yellow('warning:'), 'warning: '.length, text, next);
    },
    step: (text) => {
      if (choice.verbose) say(errPaint.dim(`· ${safeLine(text)}`));
    },

    waiting: (why, work) =>
      spins
        ? withSpinner(safeLine(why), work, {
            stream: streams.stderrStream as NodeJS.WriteStream,
            color: levelOf(stderr) > 0,
          })
        : choice.quiet
          ? work
          : longWaits.during(why, work),

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

  function sayProblem({ message, hint, next = [], beside }: Problem): void {
    sayUnder(errPaint.red('botctl:'), hintIndent, message);
    if (beside !== undefined)
      for (const line of besideLines(beside, errPaint)) say(`${' '.repeat(hintIndent + 2)}${line}`);
    if (hint !== undefined) saySuggesting(' '.repeat(hintIndent - 1), hintIndent, hint, next);
  }

  /** A sentence, and each command on a line of its own and never broken, so that it can be pasted. */
  function saySuggesting(mark: string, indent: number, text: string, next: readonly Suggestion[]): void {
    const { lines, lacking } = suggest(next);
    sayUnder(mark, indent, lacking === undefined ? text : `${text} ${lacking}`);
    for (const line of lines) say(`${' '.repeat(hintIndent + 2)}${safeLine(line)}`);
  }

  /** The same for programs: lines, where a problem or a finding has commands. */
  function pasteable(whole: Record<string, unknown>): Record<string, unknown> {
    const { error, explained, checks } = whole as {
      error?: Suggestive;
      explained?: Suggestive;
      checks?: readonly Suggestive[];
    };
    if (error !== undefined) return { ...whole, error: withLines(error, 'hint') };
    if (explained !== undefined) return { ...whole, explained: withLines(explained, 'hint') };
    return Array.isArray(checks) ? { ...whole, checks: checks.map((one) => withLines(one, 'todo')) } : whole;
  }

  function withLines({ next, ...one }: Suggestive, sentence: 'hint' | 'todo'): Record<string, unknown> {
    if (next === undefined) return one;
    const { lines, lacking } = suggest(next);
    const said = lacking === undefined ? one : { ...one, [sentence]: `${one[sentence]} ${lacking}` };
    return lines.length === 0 ? said : { ...said, next: lines };
  }

  /** On a terminal broken at blanks; elsewhere one line, for those who search. */
  function sayUnder(mark: string, indent: number, text: string): void {
    const width = stderr.isTerminal ? Math.max(leastTextWidth, stderr.columns - indent) : Infinity;
    say(`${mark} ${foldAtBlanks(safeLine(text), width).join(`\n${' '.repeat(indent)}`)}`);
  }
}

function refuseWithoutTerminal(interactive: boolean): void {
  if (!interactive) throw noTerminal();
}
