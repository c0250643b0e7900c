import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { Failure } from '../errors.ts';

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
  const stream = path === '-' ? source.stdin : createReadStream(path);
  const pieces = stream[Symbol.asyncIterator]();
  const interruption = interruptionOf(interrupted, name);
  let isWhole = false;
  try {
    for (;;) {
      // Whoever writes it may never come to its end; and only its end would end the reading.
      const next = await Promise.race([pieces.next(), interruption.came]);
      isWhole = next.done === true;
      if (next.done === true) return;
      yield Buffer.from(next.value);
    }
  } catch (error) {
    if (error instanceof Failure) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new Failure('bad-file', `${name} cannot be read: ${why}. Nothing was sent.`, {
      hint: 'Check the path and its permissions.',
      cause: error,
    });
  } finally {
    interruption.forget();
    if (!isWhole) (stream as Readable).destroy();
  }
}

export function interruptedReading(name: string): Failure {
  return new Failure('interrupted', `Interrupted while ${name} was read; nothing was sent.`, {
    hint: 'Run the same command again when you are ready.',
  });
}

function interruptionOf(
  interrupted: AbortSignal,
  name: string,
): { came: Promise<never>; forget: () => void } {
  let fail = (): void => {};
  const came = new Promise<never>((_resolve, reject) => {
    fail = (): void => reject(interruptedReading(name));
  });
  // After the reading nobody waits for it any more.
  came.catch(() => {});
  if (interrupted.aborted) fail();
  interrupted.addEventListener('abort', fail, { once: true });
  return { came, forget: () => interrupted.removeEventListener('abort', fail) };
}
