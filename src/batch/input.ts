import { createReadStream } from 'node:fs';
import { Failure } from '../errors.ts';
import type { Kind } from '../intent/wanted.ts';
import { csvRows } from './csvRows.ts';
import { jsonLines } from './jsonLines.ts';
import type { RawRow } from './rawRow.ts';
import { wholeText } from './wholeText.ts';

export type Input = {
  /** A file's path, or `-`. */
  readonly path: string;
  readonly stdin: AsyncIterable<Uint8Array | string>;
  readonly interrupted?: AbortSignal;
};

export function sourceOf({ path }: Input): string {
  return path === '-' ? 'stdin' : path;
}

/** The rows of a file or of stdin, read once, a piece at a time. What begins with `{` is JSON Lines, else CSV. */
export async function* readRows(input: Input, kind: Kind): AsyncGenerator<RawRow> {
  const source = sourceOf(input);
  const pieces = wholeText(bytesOf(input), source);
  const first = await firstPiece(pieces);
  const all = again(first, pieces);
  yield* /^\s*\{/u.test(first) ? jsonLines(all, source) : csvRows(all, kind, source);
}

async function* bytesOf(input: Input): AsyncGenerator<Buffer> {
  const chunks = (input.path === '-' ? input.stdin : createReadStream(input.path))[Symbol.asyncIterator]();
  const interruption = failOnAbort(input);
  try {
    for (;;) {
      // Whoever writes it may never come to its end; and only its end would end the reading.
      const next = await Promise.race([chunks.next(), interruption]);
      if (next.done === true) return;
      yield Buffer.from(next.value);
    }
  } catch (error) {
    if (error instanceof Failure) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new Failure('bad-file', `${sourceOf(input)} cannot be read: ${why}. Nothing was sent.`, {
      hint: 'Check the path and its permissions.',
      cause: error,
    });
  }
}

function failOnAbort(input: Input): Promise<never> {
  const { interrupted } = input;
  const interruption = new Promise<never>((_resolve, reject) => {
    const fail = (): void =>
      reject(
        new Failure('interrupted', `Interrupted while ${sourceOf(input)} was read; nothing was sent.`, {
          hint: 'Run the same command again when you are ready.',
        }),
      );
    if (interrupted?.aborted === true) fail();
    interrupted?.addEventListener('abort', fail, { once: true });
  });
  // Later, the batch itself answers an interrupt.
  interruption.catch(() => {});
  return interruption;
}

/** Enough of the beginning to tell what it is. */
async function firstPiece(pieces: AsyncGenerator<string>): Promise<string> {
  let first = '';
  while (first.trim() === '') {
    const next = await pieces.next();
    if (next.done === true) return first;
    first += next.value;
  }
  return first;
}

async function* again(first: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield first;
  yield* rest;
}
