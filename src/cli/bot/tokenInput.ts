import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { errorCodeOf } from '../../machine/disk.ts';
import { readSmall } from '../../machine/smallFile.ts';
import { Failure, failureWith, interrupted } from '../../once/failures.ts';
import { unlessInterrupted } from '../../once/input.ts';
import { diskTrouble, formatDuration } from '../../once/phrases.ts';
import { theFile } from '../wording/open.ts';
import { type BotInputs, noSecret, type Secret, Token } from './token.ts';

const mostBytes = 65_536;

/** One line, with or without a line break. More lines mean a wrong file, so none is used as a token. */
function onlyLine(bytes: Buffer, origin: string, secret: Secret): Token {
  const text = bytes.toString('latin1').trimEnd();
  if (text.includes('\n'))
    throw failureWith(`bad-${secret}`)`There is more than one line in ${origin}
      It must contain only the ${secret}, on one line. Is it the right file?`;
  if (text === '')
    throw failureWith(noSecret[secret])`There is no ${secret} in ${origin}: it is empty
      Put the ${secret} there, alone on one line, and run the same command again.`;
  return Token.from(text, origin, secret);
}

export function readTokenFile(path: string, secret: Secret, { display }: Pick<BotInputs, 'display'>): Token {
  try {
    const { bytes, stats } = readSmall(path);
    if ((stats.mode & 0o066) !== 0 && !isReadOnlyMount(path))
      display.warn(
        `The ${secret} file ${path} is open to other users (mode ${(stats.mode & 0o777).toString(8)}).`,
        [{ shell: [['chmod', '600', path]] }],
      );
    return onlyLine(bytes, theFile(path), secret);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw failureWith(noSecret[secret])`The ${secret} file ${path} cannot be read: ${diskTrouble(error)}
      Check the path and its permissions, then run the same command again.`;
  }
}

/** A container's secrets are mounted read-only like this, and every user in it can read them. */
function isReadOnlyMount(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return false;
  } catch (error) {
    return errorCodeOf(error) === 'EROFS';
  }
}

export async function readTokenStdin(
  stdin: NodeJS.ReadableStream & { isTTY?: boolean },
  stop: AbortSignal,
  secret: Secret,
): Promise<Token> {
  if (stdin.isTTY === true)
    throw failureWith(noSecret[secret])`The ${secret} must come from stdin, but stdin is a terminal
      Pipe it in, as in: op read op://vault/bot/token | botctl …`;
  return onlyLine(await unlessInterrupted(bytesOf(stdin), stop, interruptedBeforeToken), 'stdin', secret);
}

/** Reads more than the longest token, but not all of an endless stream. */
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

/** Long enough for a person to unlock a vault. */
const defaultLimitMs = 30_000;
const lastOutputMs = 500;

type TokenCommandInputs = Pick<BotInputs, 'env' | 'interrupts'> & {
  readonly stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  /** Tests set it. */
  readonly limitMs?: number;
};

/** Runs a token command and returns the first line of its output. No shell runs; the output is never echoed. */
export async function runTokenCommand(
  command: string,
  secret: Secret,
  { stdin, interrupts: { first: stop }, limitMs = defaultLimitMs, ...inputs }: TokenCommandInputs,
): Promise<string> {
  // The command may need to ask a person, but it must get neither botctl's piped input nor another bot's token.
  const { BOTCTL_TOKEN: _withheld, ...env } = inputs.env;
  const tooLate = AbortSignal.timeout(limitMs);
  const [program, ...words] = commandWords(command, secret);
  const child = spawn(program, words, {
    env,
    stdio: [stdin.isTTY === true ? 'inherit' : 'ignore', 'pipe', 'inherit'],
    signal: AbortSignal.any([stop, tooLate]),
  });
  const { stdout } = child;
  let output = '';
  stdout?.setEncoding('latin1').on('data', (chunk: string) => {
    output += chunk;
    if (output.length > mostBytes) stdout.destroy();
  });
  const problem = await new Promise<string | undefined>((ended) => {
    child.once('error', (error) => ended(`could not be started: ${diskTrouble(error)}`));
    child.once('close', (code, signal) =>
      ended(code === 0 ? undefined : signal === null ? `exited with code ${code}` : `was ended by ${signal}`),
    );
    // An agent that the command left running may keep the pipe open forever.
    child.once('exit', () => setTimeout(() => stdout?.destroy(), lastOutputMs).unref());
  });
  stdout?.destroy();
  if (stop.aborted) throw interruptedBeforeToken();
  const [line = ''] = output.split(/\r?\n/u);
  const ended = tooLate.aborted ? `was stopped after ${formatDuration(limitMs)}` : problem;
  if (ended === undefined && line !== '') return line;
  throw failureWith(noSecret[secret])`The ${secret} command ${ended ?? 'printed nothing'}
    Run it by hand until its first line is the ${secret}. botctl runs it without a shell: if it needs one, use sh -c '…'.`;
}

/** Splits a token command into words. botctl defines the rules itself because no shell is involved. */
export function commandWords(text: string, secret: Secret = 'token'): readonly [string, ...string[]] {
  const token = /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\]+)|(\s+)/gsuy;
  const words: string[] = [];
  let word: string | undefined;
  let end = 0;
  for (const match of text.matchAll(token)) {
    end = match.index + match[0].length;
    const [, single, double, escaped, plain, blank] = match;
    if (blank !== undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    }
    word = (word ?? '') + (single ?? double?.replace(/\\(["\\])/gu, '$1') ?? escaped ?? plain ?? '');
  }
  if (word !== undefined) words.push(word);
  const [program = '', ...rest] = words;
  if (program !== '' && end === text.length) return [program, ...rest];
  throw failureWith('bad-input')`
    The ${secret} command ${end < text.length ? 'has an unclosed quote or ends in a backslash' : 'is empty'}
    Spaces separate words; '…' keeps everything as it is; "…" keeps spaces, with \\" and \\\\ inside; \\ outside quotes keeps the next character. No shell runs: no variables, pipes or ~.`;
}

function interruptedBeforeToken(): Failure {
  return interrupted('before a token was read');
}
