import { open } from 'node:fs/promises';
import { Failure } from '../errors.ts';
import { unlessInterrupted } from '../input/unlessInterrupted.ts';
import { Token } from './token.ts';

const mostBytes = 65_536;

type Reading = { readonly interrupted: AbortSignal };

export function interruptedFailure(): Failure {
  return new Failure('interrupted', 'Interrupted before a token was read; nothing was sent.', {
    hint: 'Run the same command again when you are ready.',
  });
}

/** One line, with or without its line break. More than one is a wrong file, and its first line no token. */
function onlyLine(bytes: Buffer, origin: string): Token {
  if (bytes.length > mostBytes) throw manyLines(origin);
  const text = bytes.toString('latin1').replace(/(\r?\n)+$/u, '');
  if (text.includes('\n')) throw manyLines(origin);
  if (text === '') {
    throw new Failure('no-token', `There is no token in ${origin}: it is empty; nothing was sent.`, {
      hint: 'Put the token there, alone on one line, and run the same command again.',
    });
  }
  return Token.from(text, origin);
}

function manyLines(origin: string): Failure {
  return new Failure('bad-token', `There is more than one line in ${origin}; nothing was sent.`, {
    hint: 'It must hold the token alone, on one line. Is it another file?',
  });
}

export async function readTokenFile(path: string, { interrupted }: Reading): Promise<Token> {
  const origin = `the file ${path}`;
  const bytes = await unlessInterrupted(firstBytes(path), interrupted, interruptedFailure).catch(
    (error: unknown) => {
      if (error instanceof Failure) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw new Failure('no-token', `The token could not be read: ${reason}; nothing was sent.`, {
        hint: 'Check the path and its permissions and run the same command again.',
      });
    },
  );
  return onlyLine(bytes, origin);
}

async function firstBytes(path: string): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    return await bytesOf(file.createReadStream({ autoClose: false, highWaterMark: mostBytes + 1 }));
  } finally {
    await file.close();
  }
}

export async function readTokenStdin(
  stdin: NodeJS.ReadableStream & { isTTY?: boolean },
  { interrupted }: Reading,
): Promise<Token> {
  if (stdin.isTTY === true) {
    throw new Failure('no-token', 'The token is to come from stdin, which is a terminal; nothing was sent.', {
      hint: 'Pipe it in, as in: op read op://vault/bot/token | botctl …',
    });
  }
  return onlyLine(await unlessInterrupted(bytesOf(stdin), interrupted, interruptedFailure), 'stdin');
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
