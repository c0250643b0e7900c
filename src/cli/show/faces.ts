import type { AtTerminal, Clock, Terminal } from '../../machine/process.ts';
import type { Suggestion } from '../../once/sentence.ts';
import type { Problem } from '../wording/problem.ts';
import { adviceOf, type Occurrence, type Suggested, suggested, withLacking } from '../wording/suggest.ts';
import { type Display, type Output, type Paint, plain, type View, widthOf } from './display.ts';
import { foldAtBlanks, safeJson, safeLine } from './text.ts';

export type FaceChoice = {
  json: boolean;
  quiet: boolean;
  verbose: boolean;
  noColorFlag: boolean;
  /** The options of this command. Suggested commands repeat those that matter. */
  kept: readonly Occurrence[];
};

export type FaceStreams = {
  stdout: Output;
  stderr: Output;
  stderrStream: NodeJS.WritableStream;
  env: Readonly<Record<string, string | undefined>>;
  interrupted: AbortSignal;
  terminal: Terminal;
  clock: Clock;
};

type Suggestive = { readonly next?: readonly Suggestion[]; readonly [field: string]: unknown };

const yesOrNo = { choices: '[y/N]', words: { y: 'yes', yes: 'yes' } } as const;

const hintIndent = 'botctl: '.length;
const leastTextWidth = 24;

/** Both faces write the same notes and warnings to stderr. Results go to stdout, with JSON also failures. */
export async function makeDisplay(choice: FaceChoice, streams: FaceStreams): Promise<Display> {
  const { stdout, stderr, env } = streams;
  const coloursOn = (output: Output): boolean =>
    hasColours({ noColorFlag: choice.noColorFlag, env, isTerminal: output.isTerminal });
  const outPaint = await paintOf(coloursOn(stdout));
  const errPaint = await paintOf(coloursOn(stderr));
  const spins = stderr.isTerminal && !choice.quiet && env.TERM !== 'dumb';
  const terminal = (): AtTerminal['is'] => streams.terminal.look().is;
  const notice: Display['notice'] = (text, next = []) =>
    saySuggesting(errPaint.cyan('note:'), 'note: '.length, text, next);
  const ask: Display['ask'] = async (question, answers) => {
    const { askAtTerminal } = await import('./ask.ts');
    return askAtTerminal(question, answers, streams);
  };
  const by = {
    occurrences: choice.kept,
    get asks() {
      return terminal() === 'foreground';
    },
  };
  const suggest = (next: readonly Suggestion[]): Suggested => suggested(next, by);
  let meter: Meter | undefined;
  let hasSaidWhy = false;
  /** Without a spinner, says once why it waits: a pipe and a log keep each line. */
  const sayIfLong = async <Result>(why: string, work: Promise<Result>): Promise<Result> => {
    if (choice.quiet || hasSaidWhy) return work;
    const timer = setTimeout(() => {
      if (!hasSaidWhy) notice(why);
      hasSaidWhy = true;
    }, longMs);
    try {
      return await work;
    } finally {
      clearTimeout(timer);
    }
  };
  const say = (line: string): void => {
    if (meter === undefined) void stderr.say(`${line}\n`);
    else meter.say(line);
  };

  const textOf = (view: View): string => {
    if (choice.json) return `${safeJson(pasteable(view.json))}\n`;
    if (choice.quiet) return view.quiet === undefined ? '' : `${safeLine(view.quiet)}\n`;
    return view.human({
      paint: outPaint,
      columns: widthOf(stdout, env),
      isPipe: stdout.isPipe,
      suggest,
    });
  };

  return {
    face: choice.json ? 'json' : 'human',
    quiet: choice.quiet,
    watched: stderr.isTerminal,

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
          // stdout failed; stderr still reaches a person.
        }
      }
      sayProblem(problem);
    },

    notice,
    warn: (text, next = []) => {
      saySuggesting(errPaint.yellow('warning:'), 'warning: '.length, text, next);
    },
    step: (text) => {
      if (choice.verbose) say(errPaint.dim(`· ${safeLine(text)}`));
    },

    // In a terminal that reports no width, ora would never stop clearing lines.
    waiting: (why, work) =>
      spins && stderr.hasWidth
        ? withSpinner(safeLine(why), work, {
            stream: streams.stderrStream as NodeJS.WriteStream,
            color: coloursOn(stderr),
          })
        : sayIfLong(why, work),

    meter: (line) => {
      // JSON rows on the same terminal would break up the line.
      if (!spins || (choice.json && stdout.isTerminal)) return () => {};
      const started = new Meter(line, stderr);
      meter = started;
      return () => {
        started.stop();
        meter = undefined;
      };
    },

    terminal,
    ask,
    confirm: async (question) => (await ask(question, yesOrNo)) === 'yes',
    askHidden: async (label) => {
      const { askHidden } = await import('./ask.ts');
      return askHidden(label, streams);
    },
  };

  function sayProblem({ message, hint, next = [] }: Problem): void {
    sayUnder(errPaint.red('botctl:'), hintIndent, message);
    if (hint !== undefined) saySuggesting(' '.repeat(hintIndent - 1), hintIndent, adviceOf(hint, by), next);
  }

  /** A sentence, then each command on a separate line, never wrapped, to be pasted. */
  function saySuggesting(mark: string, indent: number, text: string, next: readonly Suggestion[]): void {
    const suggested = suggest(next);
    sayUnder(mark, indent, withLacking(text, suggested));
    for (const line of suggested.lines) say(`${' '.repeat(hintIndent + 2)}${safeLine(line)}`);
  }

  /** For programs: makes the commands of a problem or a finding into lines. */
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

  function withLines({ next = [], ...one }: Suggestive, sentence: 'hint' | 'todo'): Record<string, unknown> {
    const suggested = suggest(next);
    const text = one[sentence];
    const said =
      typeof text === 'string' ? { ...one, [sentence]: withLacking(adviceOf(text, by), suggested) } : one;
    return suggested.lines.length === 0 ? said : { ...said, next: suggested.lines };
  }

  /** Wrapped at blanks on a terminal; elsewhere one line, which can be searched. */
  function sayUnder(mark: string, indent: number, text: string): void {
    const width = stderr.isTerminal ? Math.max(leastTextWidth, stderr.columns - indent) : Infinity;
    say(`${mark} ${foldAtBlanks(safeLine(text), width).join(`\n${' '.repeat(indent)}`)}`);
  }
}

const redrawMs = 100;
/** Free cells at the end of a line. They leave room for the terminal's echo of Ctrl-C. */
const roomForEcho = 3;
const clearLine = '\r\x1b[2K';

/** A progress line on a terminal, which makes room for other output on the same stream. */
class Meter {
  readonly #line: () => string;
  readonly #stderr: Output;
  readonly #timer: NodeJS.Timeout;

  constructor(line: () => string, stderr: Output) {
    this.#line = line;
    this.#stderr = stderr;
    this.#timer = setInterval(() => this.#draw(), redrawMs);
    this.#draw();
  }

  /** Prints a line above it. */
  say(line: string): void {
    void this.#stderr.say(`${clearLine}${line}\n`);
    this.#draw();
  }

  stop(): void {
    clearInterval(this.#timer);
    void this.#stderr.say(clearLine);
  }

  #draw(): void {
    const room = Math.max(0, this.#stderr.columns - roomForEcho);
    void this.#stderr.say(`${clearLine}${this.#line().slice(0, room)}`);
  }
}

const noticeableMs = 300;
const longMs = 5000;

type WaitingLine = {
  stream: NodeJS.WriteStream;
  color: boolean;
};

/** A spinner that appears only when a wait becomes noticeable. ora loads only then: most runs are over sooner. */
async function withSpinner<Result>(why: string, work: Promise<Result>, line: WaitingLine): Promise<Result> {
  let stop = (): void => {};
  let over = false;
  const timer = setTimeout(() => {
    void import('ora').then(({ default: ora }) => {
      if (over) return;
      const spinner = ora({
        text: why,
        stream: line.stream,
        discardStdin: false,
        // If the process were killed, the cursor would stay hidden.
        hideCursor: false,
        // The display has decided whether to spin; ora would check the environment again.
        isEnabled: true,
        ...(line.color ? {} : { color: false }),
      }).start();
      stop = () => spinner.stop();
    });
  }, noticeableMs);
  try {
    return await work;
  } finally {
    over = true;
    clearTimeout(timer);
    stop();
  }
}

type ColourQuestion = {
  noColorFlag: boolean;
  env: Readonly<Record<string, string | undefined>>;
  /** Whether this stream is a terminal: stdout and stderr are checked separately. */
  isTerminal: boolean;
};

/** The first match decides; an explicit no beats every yes. */
function hasColours({ noColorFlag, env, isTerminal }: ColourQuestion): boolean {
  if (noColorFlag || env.NO_COLOR) return false;
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return isTerminal && env.TERM !== 'dumb';
}

/** Loads chalk only for a stream with colours. Pipes and files, and so most scripts, have none. */
export async function paintOf(colours: boolean): Promise<Paint> {
  if (!colours) return plain;
  const { Chalk } = await import('chalk');
  return new Chalk({ level: 1 });
}
