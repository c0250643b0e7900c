import { Failure } from '../errors.ts';
import { openToRead } from '../input/openToRead.ts';
import { unlessInterrupted } from '../input/unlessInterrupted.ts';
import { diskTrouble } from '../words/disk.ts';
import {
  emptyTokenInput,
  interruptedBeforeToken,
  manyTokenLines,
  tokenStdinIsTerminal,
  unreadableTokenFile,
} from '../words/tokenInput.ts';
import { theFile } from '../words/tokenOrigin.ts';
import { Token } from './token.ts';

const mostBytes = 65_536;

type Interruptible = { readonly interrupted: AbortSignal };

/** One line, with or without its line break. More than one is a wrong file, and its first line no token. */
function onlyLine(bytes: Buffer, origin: string): Token {
  if (bytes.length > mostBytes) throw manyTokenLines(origin);
  const text = withoutLineBreaks(bytes.toString('latin1'));
  if (text.includes('\n')) throw manyTokenLines(origin);
  if (text === '') throw emptyTokenInput(origin);
  return Token.from(text, origin);
}

/** Without those at its end. A pattern for them would look at each of many line breaks again and again. */
function withoutLineBreaks(text: string): string {
  let end = text.length;
  while (text[end - 1] === '\n') end -= text[end - 2] === '\r' ? 2 : 1;
  return text.slice(0, end);
}

export async function readTokenFile(path: string, { interrupted }: Interruptible): Promise<Token> {
  const origin = theFile(path);
  try {
    return onlyLine(await firstBytes(path, interrupted), origin);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw unreadableTokenFile(path, diskTrouble(error));
  }
}

async function firstBytes(path: string, interrupted: AbortSignal): Promise<Buffer> {
  const stream = openToRead(path);
  try {
    return await unlessInterrupted(bytesOf(stream), interrupted, interruptedBeforeToken);
  } finally {
    stream.destroy();
  }
}

export async function readTokenStdin(
  stdin: NodeJS.ReadableStream & { isTTY?: boolean },
  { interrupted }: Interruptible,
): Promise<Token> {
  if (stdin.isTTY === true) throw tokenStdinIsTerminal();
  return onlyLine(await unlessInterrupted(bytesOf(stdin), interrupted, interruptedBeforeToken), 'stdin');
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
