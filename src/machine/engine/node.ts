import { closeSync, constants, createReadStream, fstatSync, openSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { certificatesIn, namedAuthorities } from '../authorities.ts';

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

/** What is typed at the terminal that is open as `descriptor`, without waiting. */
export function terminalInput(descriptor: number): Readable & { setRawMode(isRaw: boolean): unknown } {
  return new (process.getBuiltinModule('node:tty').ReadStream)(descriptor);
}

/** For a TLS connection that names no authority of its own. A list replaces what Node trusts, so it has that, too. */
export function trusted(): { ca?: string[] } {
  const named = namedAuthorities(process.env);
  if (named.length === 0) return {};
  const { rootCertificates } = process.getBuiltinModule('node:tls');
  return { ca: [...rootCertificates, ...certificatesIn(process.env.NODE_EXTRA_CA_CERTS), ...named] };
}

/** What `doctor` says of the engine. */
export function engineVersion(): { node: string } | { bun: string } {
  return { node: process.version };
}

/** The account's name, whatever the environment says. */
export function loginName(): string {
  return process.getBuiltinModule('node:os').userInfo().username;
}

const requireHere = (): NodeJS.Require =>
  process.getBuiltinModule('node:module').createRequire(import.meta.url);

/** Loads a package that is a native part. Its code is MODULE_NOT_FOUND if it is not installed. */
export function requireNative(name: string): unknown {
  return requireHere()(name);
}
