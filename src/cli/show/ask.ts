import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Clock, OpenTerminal, Terminal } from '../../machine/process.ts';
import { interrupted } from '../../once/failures.ts';
import { diskTrouble } from '../../once/phrases.ts';
import { needsPerson, noTerminalFor } from '../wording/problem.ts';
import { type PossibleAnswers, plain, type Question } from './display.ts';
import { foldAtBlanks, safeLine } from './text.ts';

/** The terminal on which a person is asked, the clock and the signal that end the question. */
type Asking = {
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly interrupted: AbortSignal;
};

/** A container and a CI job can have a terminal that nobody reads. */
const patienceMs = 5 * 60_000;

/** Asks the question in the last line of the text. Any answer that is not in `words` is No. */
export async function askAtTerminal<Answer extends string>(
  draw: Question,
  { choices, words }: PossibleAnswers<Answer>,
  asking: Asking,
): Promise<Answer | 'no'> {
  const prompt = (columns: number): string => {
    const canvas = { paint: plain, columns };
    const lines = draw(canvas).split('\n').map(safeLine);
    const question = `${lines.at(-1)} ${choices} `;
    return [...lines.slice(0, -1), ...foldAtBlanks(question, columns)].join('\n');
  };
  const typed = await typedLine(prompt, asking, readLine);
  const word = typed.trim().toLowerCase();
  return Object.hasOwn(words, word) ? (words[word] ?? 'no') : 'no';
}

/** Asks for a secret: what is typed is not shown. */
export function askHidden(label: string, asking: Asking): Promise<string> {
  return typedLine(() => `${safeLine(label)}: `, asking, readHidden);
}

type Read = (prompt: string, terminal: OpenTerminal, over: AbortSignal) => Promise<string | undefined>;

async function typedLine(prompt: (columns: number) => string, asking: Asking, read: Read): Promise<string> {
  const { terminal, clock, interrupted: stopped } = asking;
  const over = new AbortController();
  const end = (): void => over.abort();
  let isLate = false;
  stopped.addEventListener('abort', end, { once: true });
  if (stopped.aborted) end();
  void clock.sleep(patienceMs, over.signal).then(() => {
    isLate = !over.signal.aborted;
    end();
  });
  try {
    const typed = over.signal.aborted ? undefined : await readAt(terminal, prompt, read, over.signal);
    if (typed !== undefined) return typed;
    throw isLate
      ? needsPerson('no-answer', 'Nobody answered within 5 minutes')
      : interrupted('at the question');
  } finally {
    stopped.removeEventListener('abort', end);
    end();
  }
}

/** A background process that reads the terminal is stopped by SIGTTIN, and some writes stop it too. */
function refuseElsewhere(terminal: Terminal): void {
  const { is } = terminal.look();
  if (is === 'none') throw noTerminalFor('usage', 'A question must be answered');
  if (is === 'background')
    throw needsPerson(
      'no-answer',
      'This command is running in the background, where it cannot ask you (under timeout: timeout --foreground)',
    );
}

async function readAt(
  terminal: Terminal,
  prompt: (columns: number) => string,
  read: Read,
  over: AbortSignal,
): Promise<string | undefined> {
  refuseElsewhere(terminal);
  const opened = openOf(terminal);
  try {
    const typed = await read(prompt(opened.columns), opened, over);
    if (typed === undefined) opened.output.write('\n');
    return typed;
  } finally {
    opened.close();
  }
}

function openOf(terminal: Terminal): OpenTerminal {
  try {
    return terminal.open();
  } catch (error) {
    throw needsPerson('no-answer', `The terminal cannot be opened to ask you: ${diskTrouble(error)}`);
  }
}

const ctrlC = '\u0003';
const ctrlD = '\u0004';

/**
 * The terminal stays in line mode: it edits the line itself, and Ctrl-C and Ctrl-Z reach the whole pipeline or script.
 * If another program has made it raw, these keys arrive as characters.
 */
function readLine(
  prompt: string,
  { input, output }: OpenTerminal,
  over: AbortSignal,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    // It keeps an incomplete character until its other bytes arrive.
    const decoder = new TextDecoder();
    let typed = '';
    const end = (line?: string): void => {
      over.removeEventListener('abort', onOver);
      input.removeAllListeners('data');
      resolve(line);
    };
    const onOver = (): void => end();
    over.addEventListener('abort', onOver, { once: true });
    // The terminal hung up.
    input.once('end', onOver);
    input.once('error', onOver);
    output.write(prompt);
    input.on('data', (bytes: Buffer) => {
      typed += decoder.decode(bytes, { stream: true });
      const [line, ...more] = typed.split(/[\r\n]/u);
      if (typed.includes(ctrlC) || typed.includes(ctrlD)) end();
      else if (more.length > 0) end(line);
    });
  });
}

function readHidden(
  prompt: string,
  { input, output }: OpenTerminal,
  over: AbortSignal,
): Promise<string | undefined> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  return new Promise((resolve) => {
    // The terminal must stop showing what is typed before the prompt appears.
    const lines = createInterface({ input, output: silent, terminal: true, historySize: 0 });
    const close = (): void => lines.close();
    over.addEventListener('abort', close, { once: true });
    lines.once('SIGINT', close);
    // The terminal hung up.
    lines.once('error', close);
    lines.once('line', (line) => {
      output.write('\n');
      resolve(line);
      lines.close();
    });
    lines.once('close', () => {
      over.removeEventListener('abort', close);
      resolve(undefined);
    });
    output.write(prompt);
  });
}
