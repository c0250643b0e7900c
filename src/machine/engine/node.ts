import { closeSync, constants, createReadStream, fstatSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { isatty, ReadStream as Terminal } from 'node:tty';

// What differs between the engines that run botctl: this file is for Node, bun.ts is for the single file. Nothing else
// in the program may know which engine it runs on.

/**
 * Opens a file, a named pipe or a terminal as a stream. Opening a pipe in the usual way waits for its writer in a
 * thread that no interrupt ends and that keeps the process from exiting. Here the event loop waits.
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

/** Loads a package that is a native part. Its code is MODULE_NOT_FOUND if it is not installed. */
export function requireNative(name: string): unknown {
  return createRequire(import.meta.url)(name);
}

/** Whether the package is there, without loading it. */
export function hasNative(name: string): boolean {
  try {
    return createRequire(import.meta.url).resolve(name) !== '';
  } catch {
    return false;
  }
}
