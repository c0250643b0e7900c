import { closeSync, constants, createReadStream, fstatSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { isatty, ReadStream as Terminal } from 'node:tty';

/**
 * A file, a named pipe or a terminal as a stream. Whoever opens a pipe in the usual way waits for its writer in a
 * thread that no interrupt ends, and that holds the process at its exit: here the waiting is the event loop's.
 */
export function openToRead(path: string): Readable {
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    if (fstatSync(descriptor).isFIFO())
      return new Socket({ fd: descriptor, readable: true, writable: false });
    if (isatty(descriptor)) return new Terminal(descriptor);
    return createReadStream('', { fd: descriptor });
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}
