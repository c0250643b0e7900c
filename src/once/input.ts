import type { Readable } from 'node:stream';
import { type DiskTrouble, diskTroubleOf } from '../machine/disk.ts';
import { openToRead } from '../machine/engine/node.ts';
import { Failure, failing, failureWith, interrupted } from './failures.ts';
import { troubleInWords } from './phrases.ts';
import { isItTheRightFile } from './sentence.ts';

/** `name` is what people call the file, or stdin. */
const inputFailure = failing('input', {
  unreadable: ({ name, trouble }: { name: string; trouble: DiskTrouble }) => failureWith('bad-file')`
    ${name} cannot be read: ${troubleInWords(trouble)}
    Check the path and its permissions, then run the same command again.`,
  'too-long': ({ name, mostBytes }: { name: string; mostBytes: number }) => failureWith('bad-file')`
    ${name} is longer than ${mostBytes} bytes
    ${isItTheRightFile}`,
  interrupted: ({ name }: { name: string }) => interrupted(`while ${name} was being read`),
});

export type Source = {
  /** A file's path, or `-` for stdin. */
  readonly path: string;
  /** What people call it. */
  readonly name: string;
  readonly stdin: Readable | NodeJS.ReadableStream;
  readonly interrupted: AbortSignal;
};

/** Yields the content of a file or stdin, up to its end or the first interrupt. */
export async function* bytesOf(source: Source): AsyncGenerator<Buffer> {
  const { path, name, interrupted } = source;
  const stream = path === '-' ? source.stdin : opened(path, name);
  const pieces = stream[Symbol.asyncIterator]();
  let isWhole = false;
  try {
    for (;;) {
      const next = await unlessInterrupted(pieces.next(), interrupted, () =>
        inputFailure('interrupted', { name }),
      );
      isWhole = next.done === true;
      if (next.done === true) return;
      yield Buffer.from(next.value);
    }
  } catch (error) {
    throw error instanceof Failure ? error : unreadable(name, error);
  } finally {
    if (!isWhole) (stream as Readable).destroy();
  }
}

/** The same in one piece. Fails if it is longer than `mostBytes`. */
export async function wholeOf(source: Source, mostBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of bytesOf(source)) {
    length += piece.length;
    if (length > mostBytes) throw inputFailure('too-long', { name: source.name, mostBytes });
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function opened(path: string, name: string): Readable {
  try {
    return openToRead(path);
  } catch (error) {
    throw unreadable(name, error);
  }
}

function unreadable(name: string, error: unknown): Failure {
  return inputFailure('unreadable', { name, trouble: diskTroubleOf(error) }, error);
}

/**
 * Resolves with the work, or fails when the signal aborts, because input may never come. The listener is removed after
 * each piece: racing every piece against one shared promise would keep every piece in memory.
 */
export async function unlessInterrupted<Result>(
  work: Promise<Result>,
  signal: AbortSignal,
  failure: () => Error,
): Promise<Result> {
  let stop = (): void => {};
  const stopped = new Promise<never>((_resolve, reject) => {
    stop = () => reject(failure());
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, stopped]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
