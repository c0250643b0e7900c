import { closeSync, constants, createReadStream, fstatSync, openSync } from 'node:fs';
import type { Readable } from 'node:stream';

// The differences between the engines that run botctl: this file is for Node, bun.ts is for the single file.

/**
 * Opens a file, a named pipe or a terminal as a stream. Opening a pipe in the usual way waits for its writer in a
 * thread that no interrupt ends and that keeps the process from exiting. Here the event loop waits.
 */
export function openToRead(path: string): Readable {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (fstatSync(descriptor).isFIFO())
      return new (process.getBuiltinModule('node:net').Socket)({
        fd: descriptor,
        readable: true,
        writable: false,
      });
    if (process.getBuiltinModule('node:tty').isatty(descriptor)) return terminalInput(descriptor);
    return createReadStream('', { fd: descriptor });
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/** Reads what is typed at the terminal that is open as `descriptor`, without waiting. */
export function terminalInput(descriptor: number): Readable & { setRawMode(isRaw: boolean): unknown } {
  return new (process.getBuiltinModule('node:tty').ReadStream)(descriptor);
}

const requireHere = (): NodeJS.Require =>
  process.getBuiltinModule('node:module').createRequire(import.meta.url);

/** Loads a package with native code. The error's code is MODULE_NOT_FOUND if it is not installed. */
export function requireNative(name: string): unknown {
  return requireHere()(name);
}

/** The command that starts this program again, before its arguments. */
export function thisProgram(): string[] {
  return [process.execPath, ...process.execArgv, process.argv[1] ?? ''];
}
