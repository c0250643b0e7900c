import { clearLine, cursorTo, moveCursor } from 'node:readline';
import { Readable, Writable } from 'node:stream';
import type { Clock, Interrupts, Terminal } from '../../src/machine/process.ts';
import { shell } from './botctl.ts';
import { type AtScreen, botctlHere, skippingLike } from './builtHere.ts';
import { foreignBin } from './program.ts';
import { type OnTerminal, onTerminal, type Steps, type TerminalMore } from './terminal.ts';

/**
 * Runs the built program to its end in this process, at a terminal that is as good as one for what it is shown and what
 * is typed at its questions, in a tenth of the time. What the system makes of a terminal (signals to a group of
 * processes, jobs in the background, editing of a line) is shown by `onTerminal`.
 */
export async function onTerminalHere(
  argv: readonly string[],
  steps: Steps,
  env: Readonly<Record<string, string>>,
  { clock, ...more }: TerminalMore & { readonly clock?: Clock } = {},
): Promise<OnTerminal> {
  if (foreignBin !== undefined)
    return onTerminal(argv, steps, { ...env, ...(clock === undefined ? {} : skippingLike(clock)) }, more);
  const screen = new Screen(steps, env, more.columns ?? 80);
  const { code, stdout, stderr } = await botctlHere(argv, {
    env: { TERM: 'xterm', ...env },
    ...(more.stdin === undefined ? {} : { stdin: more.stdin }),
    ...(more.cwd === undefined ? {} : { cwd: more.cwd }),
    ...(clock === undefined ? {} : { clock }),
    screen: more.stdin === undefined ? screen : screen.besidePipes(),
  });
  return { code: code ?? -1, shown: screen.shown, stdout, stderr };
}

class Screen implements AtScreen {
  shown = '';
  readonly streams: NodeJS.WriteStream;
  readonly terminal: Terminal;
  readonly interrupts: Interrupts;
  readonly #ends = [new AbortController(), new AbortController()] as const;
  readonly #steps: Steps[number][];
  readonly #env: Readonly<Record<string, string>>;
  #readTo = 0;
  #input: Readable | undefined;
  #isRaw = false;

  constructor(steps: Steps, env: Readonly<Record<string, string>>, columns: number) {
    this.#steps = [...steps];
    this.#env = env;
    this.streams = this.#stream(columns);
    const [first, second] = this.#ends;
    this.interrupts = { first: first.signal, second: second.signal };
    this.terminal = {
      look: () => ({ is: 'foreground', terminal: `of-test-${process.pid}` }),
      open: () => this.#open(columns),
    };
  }

  besidePipes(): AtScreen {
    const { terminal, interrupts } = this;
    return { terminal, interrupts };
  }

  #stream(columns: number): NodeJS.WriteStream {
    const stream = new Writable({
      write: (chunk, _encoding, done) => {
        this.#show(String(chunk).replaceAll('\n', '\r\n'));
        done();
      },
    });
    return Object.assign(stream, {
      isTTY: true,
      columns,
      rows: 24,
      cursorTo: (x: number) => cursorTo(stream, x),
      moveCursor: (x: number, y: number) => moveCursor(stream, x, y),
      clearLine: (way: -1 | 0 | 1) => clearLine(stream, way),
    }) as unknown as NodeJS.WriteStream;
  }

  #open(columns: number): ReturnType<Terminal['open']> {
    const input = new Readable({ read: () => {} });
    this.#input = input;
    const setRawMode = (isRaw: boolean): void => {
      this.#isRaw = isRaw;
    };
    const close = (): void => {
      this.#input = undefined;
      input.destroy();
    };
    return { input: Object.assign(input, { isTTY: true, setRawMode }), output: this.streams, columns, close };
  }

  #show(text: string): void {
    this.shown += text;
    const [step] = this.#steps;
    if (step === undefined) return;
    const [awaited, typed, meanwhile] = step;
    const rest = this.shown.slice(this.#readTo);
    const found = typeof awaited === 'string' ? awaited : awaited.exec(rest)?.[0];
    if (found === undefined || !rest.includes(found)) return;
    this.#readTo += rest.indexOf(found) + found.length;
    this.#steps.shift();
    // A question is written before its answer is listened for.
    if (meanwhile === undefined) setImmediate(() => this.#type(typed));
    else void shell(meanwhile, { env: this.#env }).then(() => this.#type(typed));
  }

  #type(typed: string): void {
    if (this.#isRaw) return void this.#input?.push(typed);
    for (const character of typed) {
      if (character === '\u0003') this.#interrupt();
      else this.#input?.push(character.replace('\r', '\n'));
    }
    this.#show(typed.replaceAll('\u0003', '^C').replaceAll('\r', '\r\n'));
  }

  #interrupt(): void {
    this.#ends.find(({ signal }) => !signal.aborted)?.abort();
  }
}
