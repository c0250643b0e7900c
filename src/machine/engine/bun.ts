import {
  constants,
  createReadStream,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { namedAuthorities } from '../authorities.ts';
import { isPrivate, readOwn, sha256, writeWhole } from '../compiled.ts';
import { makeFolder } from '../disk.ts';
import { homeFolder, UnusableParts } from '../folders.ts';

// What differs between the engines that run botctl: node.ts is for Node, this file is for the single file, which runs on
// Bun and brings its native parts inside.

/** A named pipe is opened and read in a thread: exiting does not wait for it, and Bun's sockets do not read pipes. */
export function openToRead(path: string): Readable {
  // Not opened to look: a writer that waits for a reader would write to one that leaves again.
  if (statSync(path).isFIFO()) return createReadStream(path);
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const { isatty } = process.getBuiltinModule('node:tty');
  return isatty(descriptor) ? terminalInput(descriptor) : createReadStream('', { fd: descriptor });
}

const lookAgainMs = 20;

/**
 * What is typed at the terminal that is open as `descriptor`, without waiting. Bun's own stream would end where nothing
 * is typed yet. A thread that waits would take the answer to a later question.
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
  // With it readline turns off that the terminal shows what is typed.
  const setRawMode = (isRaw: boolean): Readable => {
    modes.setRawMode(isRaw);
    return typed;
  };
  return Object.assign(typed, { isTTY: true, setRawMode });
}

type Tls = typeof import('node:tls') & { getCACertificates(which: 'bundled' | 'extra'): string[] };

/** For a TLS connection that names no authority of its own. Bun alone would trust the system’s, too. */
export function trusted(): { ca?: string[] } {
  const { getCACertificates } = process.getBuiltinModule('node:tls') as Tls;
  const known = [...getCACertificates('bundled'), ...getCACertificates('extra')];
  return { ca: [...known, ...namedAuthorities(process.env)] };
}

/** What `doctor` says of the engine. */
export function engineVersion(): { node: string } | { bun: string } {
  return { bun: process.versions.bun ?? '' };
}

/** The account's name, whatever the environment says: Bun would take it from USER, which anybody can set. */
export function loginName(): string {
  const uid = String(process.getuid?.());
  const inFile = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((line) => isOf(line, uid));
  return (inFile ?? knownElsewhere(uid)).split(':')[0] ?? '';
}

const isOf = (line: string, uid: string): boolean => line.split(':')[2] === uid;

/** In a directory on the network, such as LDAP. Throws if the account has no name. */
function knownElsewhere(uid: string): string {
  const { execFileSync } = process.getBuiltinModule('node:child_process');
  return execFileSync('/usr/bin/getent', ['passwd', uid], {
    encoding: 'utf8',
    env: {},
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

type Part = { readonly file: string; readonly digest: string };

/** The native parts, compressed, by the names of their packages. The build fills this in. */
declare const nativeParts: Readonly<Record<string, Part>>;

const loaded = new Map<string, unknown>();

function hasNative(name: string): boolean {
  return Object.hasOwn(nativeParts, name);
}

export function requireNative(name: string): unknown {
  const part = hasNative(name) ? nativeParts[name] : undefined;
  if (part === undefined) throw Object.assign(new Error(name), { code: 'MODULE_NOT_FOUND' });
  if (!loaded.has(name)) loaded.set(name, load(name, part));
  return loaded.get(name);
}

/** The system loads a native part from a file only, so it is laid into the folder that also holds compiled code. */
function load(name: string, part: Part): unknown {
  const base = process.env.XDG_CACHE_HOME?.startsWith('/')
    ? process.env.XDG_CACHE_HOME
    : join(homeFolder(process.env), '.cache');
  const folder = join(base, 'botctl', 'native');
  try {
    makeFolder(folder);
    const module = { exports: {} };
    process.dlopen(module, laid(name, part, realpathSync(folder)));
    return module.exports;
  } catch (cause) {
    throw cause instanceof UnusableParts ? cause : new UnusableParts(folder, cause);
  }
}

function laid(name: string, { file, digest }: Part, folder: string): string {
  const uid = process.getuid?.();
  if (uid === undefined || !isPrivate(folder, uid)) throw new UnusableParts(folder);
  const path = join(folder, `${name}-${digest.slice(0, 32)}.node`);
  const kept = readOwn(path);
  if (kept !== undefined && sha256(kept).toString('hex') === digest) return path;
  removeOld(folder);
  const { gunzipSync } = process.getBuiltinModule('node:zlib');
  // A process that was killed here may have left its half, and the next one in a container has its id.
  writeWhole(path, gunzipSync(readFileSync(inside(file))), `${path}.${process.pid}.${Date.now()}`);
  return path;
}

/** Bun shows what is inside the file as a folder, in which the program itself lies. */
function inside(file: string): string {
  return join(process.argv[1] ?? '', '..', file);
}

const longestMs = 60 * 86_400_000;

/** Of other releases, and of processes that were killed while they wrote. */
function removeOld(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const writtenMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (writtenMs < Date.now() - longestMs) rmSync(path, { force: true });
  }
}
