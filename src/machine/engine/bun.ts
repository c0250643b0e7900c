import { constants, createReadStream, openSync, readSync, statSync } from 'node:fs';
import type { Readable } from 'node:stream';

// The differences between the engines that run botctl: node.ts is for Node, and this file is for the single file, which
// runs on Bun.

/** A named pipe is opened and read in a thread: exiting does not wait for it, and Bun's sockets do not read pipes. */
export function openToRead(path: string): Readable {
  // The pipe is not opened to check it: a waiting writer would write to a reader that leaves again.
  if (statSync(path).isFIFO()) return createReadStream(path);
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const { isatty } = process.getBuiltinModule('node:tty');
  return isatty(descriptor) ? terminalInput(descriptor) : createReadStream('', { fd: descriptor });
}

const lookAgainMs = 20;

/**
 * Reads what is typed at the terminal that is open as `descriptor`, without waiting. Bun's own stream would end if
 * nothing is typed yet. A thread that waits would take the answer to a later question.
 */
export function terminalInput(descriptor: number): Readable & { setRawMode(isRaw: boolean): unknown } {
  const { ReadStream } = process.getBuiltinModule('node:tty');
  const { Readable } = process.getBuiltinModule('node:stream');
  const modes = new ReadStream(descriptor);
  const bytes = Buffer.alloc(4096);
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    try {
      const length = readSync(descriptor, bytes);
      typed.push(length === 0 ? null : Buffer.from(bytes.subarray(0, length)));
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EAGAIN')
        timer = setTimeout(look, lookAgainMs);
      else typed.destroy(error as Error);
    }
  };
  const typed = new Readable({
    read: look,
    destroy: (error, done) => {
      clearTimeout(timer);
      modes.destroy();
      done(error);
    },
  });
  // With this, readline stops the terminal from showing what is typed.
  const setRawMode = (isRaw: boolean): Readable => {
    modes.setRawMode(isRaw);
    return typed;
  };
  return Object.assign(typed, { isTTY: true, setRawMode });
}

/** Bun's compiler includes this package because its name stands here. scripts/build/file.mjs says which it is. */
export function requireNative(): unknown {
  return require('litesvm-inside');
}

/** The command that starts this program again, before its arguments: the single file itself. */
export function thisProgram(): string[] {
  return [process.execPath];
}
