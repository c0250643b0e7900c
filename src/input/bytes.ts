import type { Readable } from 'node:stream';
import { Failure } from '../errors.ts';
import { diskTroubleOf } from '../machine/disk.ts';
import { inputFailure } from './facts.ts';
import { openToRead } from './openToRead.ts';
import { unlessInterrupted } from './unlessInterrupted.ts';

export type Source = {
  /** A file's path, or `-` for stdin. */
  readonly path: string;
  /** As people call it. */
  readonly name: string;
  readonly stdin: Readable | NodeJS.ReadableStream;
  readonly interrupted: AbortSignal;
};

/** What a file or stdin holds, piece by piece, until its end or the first interrupt. */
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
