import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants, type Stats } from 'node:fs';
import type { Env } from '../../machine/folders.ts';
import { readSmall } from '../../machine/smallFile.ts';
import { Failure } from '../../once/failures.ts';
import { unlessInterrupted } from '../../once/input.ts';
import {
  interruptedBeforeToken,
  tokenCommandFailed,
  tokenCommandNotStarted,
  tokenCommandPrintedNothing,
  tokenCommandTooMuch,
  tokenCommandTooSlow,
} from '../say/config.ts';
import { noSecret, theFile } from '../say/open.ts';
import { diskTrouble, type Suggestion } from '../say/phrases.ts';
import { type Told, told } from '../say/told.ts';
import { Token } from './token.ts';
import type { BotInputs, Secret } from './tokenSource.ts';

const mostBytes = 65_536;

/** `secret` is a token unless it says otherwise. */
type Wanted = Pick<BotInputs, 'interrupted'> & { readonly secret?: Secret };
type WantedOfFile = Wanted & Pick<BotInputs, 'warn'>;

/** One line, with or without its line break. More lines mean a wrong file, so its first line is not used as a token. */
function onlyLine(bytes: Buffer, origin: string, secret: Secret): Token {
  if (bytes.length > mostBytes) throw manyTokenLines(origin, secret);
  const text = withoutLineBreaks(bytes.toString('latin1'));
  if (text.includes('\n')) throw manyTokenLines(origin, secret);
  if (text === '')
    throw told(noSecret[secret])`There is no ${secret} in ${origin}: it is empty
      Put the ${secret} there, alone on one line, and run the same command again.`;
  return Token.from(text, origin, secret);
}

/**
 * Trims line breaks at the end. A loop, because a regular expression would rescan a long run of them again and again.
 */
function withoutLineBreaks(text: string): string {
  let end = text.length;
  while (text[end - 1] === '\n') end -= text[end - 2] === '\r' ? 2 : 1;
  return text.slice(0, end);
}

export async function readTokenFile(path: string, wanted: WantedOfFile): Promise<Token> {
  const { secret = 'token' } = wanted;
  const origin = theFile(path);
  try {
    const { bytes, stats } = readSmall(path);
    checkMode(path, stats, wanted);
    return onlyLine(bytes, origin, secret);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw told(noSecret[secret])`The ${secret} file ${path} cannot be read: ${diskTrouble(error)}
      Check the path and its permissions, then run the same command again.`;
  }
}

/** A user who can write the file can make another bot of this one. */
function checkMode(path: string, { mode }: Stats, { secret = 'token', warn }: WantedOfFile): void {
  if (isReadOnlyMount(path)) return;
  if ((mode & 0o022) !== 0) throw tokenFileOpen(path, mode & 0o777, secret);
  if ((mode & 0o044) !== 0) warn(...tokenFileReadable(path, mode & 0o777, secret));
}

/** As secrets are mounted into a container, readable by all that run there. */
function isReadOnlyMount(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EROFS';
  }
}

export async function readTokenStdin(
  stdin: NodeJS.ReadableStream & { isTTY?: boolean },
  { interrupted, secret = 'token' }: Wanted,
): Promise<Token> {
  if (stdin.isTTY === true)
    throw told(noSecret[secret])`The ${secret} must come from stdin, but stdin is a terminal
      Pipe it in, as in: op read op://vault/bot/token | botctl …`;
  const bytes = await unlessInterrupted(bytesOf(stdin), interrupted, interruptedBeforeToken);
  return onlyLine(bytes, 'stdin', secret);
}

async function bytesOf(stream: NodeJS.ReadableStream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk);
    chunks.push(bytes);
    size += bytes.length;
    if (size > mostBytes) break;
  }
  return Buffer.concat(chunks);
}

const limitMs = 30_000;
const graceMs = 1000;
const lastOutputMs = 500;

type TokenCommandInputs = {
  readonly env: Env;
  readonly interrupted: AbortSignal;
  readonly stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  readonly secret?: Secret;
  /** Tests set it. By default a person has half a minute to unlock a vault. */
  readonly limitMs?: number;
};

type Ending =
  | {
      readonly kind: 'ended';
      readonly code: number | null;
      readonly signal: string | null;
      readonly output: Buffer;
    }
  | { readonly kind: 'not-started'; readonly reason: string }
  | { readonly kind: 'too-slow' }
  | { readonly kind: 'too-much' }
  | { readonly kind: 'interrupted' };

/** Runs a token command and returns the first line of its output. No shell runs; the output is never echoed. */
export async function runTokenCommand(command: string, inputs: TokenCommandInputs): Promise<string> {
  const { secret = 'token' } = inputs;
  const [program] = commandWords(command, secret);
  const ending = await run(command, inputs);
  switch (ending.kind) {
    case 'interrupted':
      throw interruptedBeforeToken();
    case 'not-started':
      throw tokenCommandNotStarted({ program, secret }, ending.reason);
    case 'too-slow':
      throw tokenCommandTooSlow({ program, secret }, inputs.limitMs ?? limitMs);
    case 'too-much':
      throw tokenCommandTooMuch({ program, secret });
    case 'ended': {
      const { code, signal, output } = ending;
      const wantsShell = /[|<>$`~&;]/u.test(command);
      if (code !== 0) throw tokenCommandFailed({ program, secret }, { code, signal, wantsShell });
      const [line = ''] = output.toString('latin1').split(/\r?\n/u);
      if (line === '') throw tokenCommandPrintedNothing({ program, secret });
      return line;
    }
  }
}

function start(command: string, inputs: TokenCommandInputs): ChildProcess {
  const [program, ...words] = commandWords(command);
  // The command may need to ask a person, but it must get neither botctl's piped input nor another bot's token.
  const { BOTCTL_TOKEN: _withheld, ...env } = inputs.env;
  return spawn(program, words, {
    env,
    shell: false,
    stdio: [inputs.stdin.isTTY === true ? 'inherit' : 'ignore', 'pipe', 'inherit'],
  });
}

function run(command: string, inputs: TokenCommandInputs): Promise<Ending> {
  return new Promise((resolve) => {
    if (inputs.interrupted.aborted) {
      resolve({ kind: 'interrupted' });
      return;
    }
    const child = start(command, inputs);
    const chunks: Buffer[] = [];
    let size = 0;
    let draining: NodeJS.Timeout | undefined;
    const finish = (ending: Ending): void => {
      clearTimeout(timer);
      clearTimeout(draining);
      inputs.interrupted.removeEventListener('abort', onInterrupt);
      resolve(ending);
    };
    const stop = (ending: Ending): void => {
      clearTimeout(timer);
      child.removeAllListeners('exit');
      stopChild(child, () => finish(ending));
    };
    const onInterrupt = (): void => stop({ kind: 'interrupted' });
    const timer = setTimeout(() => stop({ kind: 'too-slow' }), inputs.limitMs ?? limitMs);
    inputs.interrupted.addEventListener('abort', onInterrupt, { once: true });
    child.stdout?.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > mostBytes) stop({ kind: 'too-much' });
    });
    child.once('error', (error) =>
      finish({
        kind: 'not-started',
        reason: 'code' in error && error.code === 'ENOENT' ? 'there is no such command' : diskTrouble(error),
      }),
    );
    child.once('exit', (code, signal) => {
      const end = (): void => {
        child.stdout?.destroy();
        finish({ kind: 'ended', code, signal, output: Buffer.concat(chunks) });
      };
      // An agent that the command left running may keep the pipe open forever.
      draining = setTimeout(end, lastOutputMs);
      child.once('close', end);
    });
  });
}

/** Asks the command to stop, then kills it. Its own children may keep the pipe open, so nothing waits for the pipe. */
function stopChild(child: ChildProcess, stopped: () => void): void {
  child.stdout?.destroy();
  const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
  child.once('exit', () => {
    clearTimeout(timer);
    stopped();
  });
  child.kill('SIGTERM');
}

/** Splits a token command into words. botctl defines the rules itself because no shell is involved. */
export function commandWords(text: string, secret: Secret = 'token'): readonly [string, ...string[]] {
  const token = /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\]+)|(\s+)/gsuy;
  const words: string[] = [];
  let word: string | undefined;
  let end = 0;
  for (const found of text.matchAll(token)) {
    end = found.index + found[0].length;
    const [, single, double, escaped, plain, blank] = found;
    if (blank !== undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    }
    word = (word ?? '') + (single ?? double?.replace(/\\(["\\])/gu, '$1') ?? escaped ?? plain ?? '');
  }
  if (end < text.length) throw badTokenCommand(text[end] === '\\' ? 'backslash' : 'open-quote', secret);
  if (word !== undefined) words.push(word);
  const [program, ...rest] = words;
  if (program === undefined || program === '') throw badTokenCommand('empty', secret);
  if (text.includes('\0')) throw badTokenCommand('zero-byte', secret);
  return [program, ...rest];
}

const rule =
  'Spaces separate words; \'…\' keeps everything as it is; "…" keeps spaces, with \\" and \\\\ inside; \\ outside quotes keeps the next character. No shell runs: no variables, pipes or ~.';

const commandProblems = {
  backslash: 'ends in a backslash',
  'open-quote': 'has an unclosed quote',
  empty: 'is empty',
  'zero-byte': 'contains a zero byte',
} as const;

function badTokenCommand(problem: keyof typeof commandProblems, secret: Secret): Told {
  return told('bad-input')`The ${secret} command ${commandProblems[problem]}
    ${rule}`;
}

function manyTokenLines(origin: string, secret: Secret): Told {
  return told(`bad-${secret}`)`There is more than one line in ${origin}
    It must contain only the ${secret}, on one line. Is it the right file?`;
}

/** The mode of a file that holds a secret, and what makes it private. */
const modeOf = (mode: number): string => `(mode ${mode.toString(8)})`;

const privately = (path: string): readonly Suggestion[] => [{ shell: [['chmod', '600', path]] }];

function tokenFileOpen(path: string, mode: number, secret: Secret): Told {
  return told(noSecret[secret], { next: privately(path) })`
    The ${secret} file ${path} can be changed by other users ${modeOf(mode)}
    Check what is in it. Then make it yours alone:`;
}

function tokenFileReadable(
  path: string,
  mode: number,
  secret: Secret,
): [says: string, next: readonly Suggestion[]] {
  return [`The ${secret} file ${path} can be read by other users ${modeOf(mode)}.`, privately(path)];
}
