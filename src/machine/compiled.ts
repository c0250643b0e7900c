import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire, wrap } from 'node:module';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { foldersAbove, isFolderOpen, isOwnedSafely } from './foldersAbove.ts';

type LoaderEnv = Readonly<Record<string, string | undefined>>;
type Loaded = { readonly script: Script; readonly path: string; readonly kept: Kept | undefined };
type Require = (id: string) => unknown;

type Main = {
  /** What main.js exports. */
  readonly main: unknown;
  /** Call this at the end, after all output: it keeps the compiled code. */
  readonly keep: () => void;
};

/** After this many different commands almost every function of a file is compiled. */
const mostRuns = 64;

/**
 * Loads the program from the compile cache if possible. Code that one command made V8 compile is ready for the next
 * command, which saves 15 ms of a send. `code` is the folder of the program's files.
 */
export function loadMain(code: string, env: LoaderEnv): Main {
  const required: Require = createRequire(join(code, 'main.js'));
  const folder = privateCacheFolder(env);
  if (folder === undefined) return { main: required('./main.js'), keep: () => {} };
  const loaded: Loaded[] = [];
  const main = loaderOf(code, folder, env, required, loaded)('./main.js');
  return {
    main,
    keep: () => {
      try {
        keep(loaded, folder);
      } catch {
        // The disk is full or read-only. The next command compiles again.
      }
    },
  };
}

/** Loads the program's own files, which are in one folder. Node loads everything else. */
function loaderOf(
  code: string,
  folder: string,
  env: LoaderEnv,
  required: Require,
  loaded: Loaded[],
): Require {
  // The parts of v8.cachedDataVersionTag(), without loading node:v8, which costs every command 1.4 ms.
  const { version, arch, execArgv } = process;
  const engine = [version, arch, ...execArgv, env.NODE_OPTIONS].join(' ');
  const modules = new Map<string, { exports: unknown }>();
  const load: Require = (id) => {
    if (!/^\.\/[^/]+\.js$/u.test(id)) return required(id);
    const begun = modules.get(id);
    if (begun !== undefined) return begun.exports;
    const module = { exports: {} };
    modules.set(id, module);
    const file = join(code, id);
    const source = readFileSync(file);
    const path = keptAs(folder, source, engine);
    const kept = readKept(path);
    const script = new Script(wrap(source.toString()), { filename: file, cachedData: kept?.code });
    loaded.push({ script, path, kept });
    const run = script.runInThisContext() as ModuleBody;
    run.call(module.exports, module.exports, load, module, file, code);
    return module.exports;
  };
  return load;
}

/** Adds newly compiled code only if no earlier command loaded the same set of files. */
function keep(loaded: readonly Loaded[], folder: string): void {
  const run = loaded.map(({ path }) => path.slice(-12, -4)).join(' ');
  const gaining = loaded.filter(({ kept }) => isNew(run, kept));
  if (gaining.length === 0) return;
  for (const { script, path, kept } of gaining) {
    const code = script.createCachedData();
    // V8 discards compiled functions that a long command no longer calls, so the larger code is the better one.
    const best = kept !== undefined && kept.code.length > code.length ? kept.code : code;
    writeKept(path, { runs: [...(kept?.runs ?? []), run], code: best });
  }
  removeOld(folder);
}

function isNew(run: string, kept: Kept | undefined): boolean {
  return kept === undefined || (!kept.runs.includes(run) && kept.runs.length < mostRuns);
}

type ModuleBody = (
  exports: unknown,
  require: Require,
  module: { exports: unknown },
  file: string,
  folder: string,
) => void;

/**
 * The folder for compiled code, which we later run. Undefined if the cache is off, or if other users may be able to
 * write to the folder. Node's own default is in /tmp.
 */
function privateCacheFolder(env: LoaderEnv): string | undefined {
  const base = env.XDG_CACHE_HOME || (env.HOME && `${env.HOME}/.cache`);
  if (env.NODE_DISABLE_COMPILE_CACHE || !base?.startsWith('/')) return undefined;
  try {
    // Do not create a missing home folder just for speed.
    if (isNone(dirname(base)) || (isNone(base) && !made(base))) return undefined;
    const folder = `${realpathSync(base)}/botctl`;
    // A container often runs one command only, so the first command creates the folder and caches nothing.
    if (isNone(folder)) return void made(folder);
    return isPrivate(folder) ? folder : undefined;
  } catch {
    return undefined;
  }
}

function isNone(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) === undefined;
}

// Not recursive: Node's recursive mkdir never returns under /proc.
function made(path: string): boolean {
  mkdirSync(path, { mode: 0o700 });
  return true;
}

/** Whether no other user can write to it or replace it. */
function isPrivate(folder: string): boolean {
  const own = lstatSync(folder);
  if (!own.isDirectory() || own.uid !== process.getuid?.() || (own.mode & 0o077) !== 0) return false;
  // Under sudo with the caller's HOME this fails: the caller could put code there that root would run.
  return [...foldersAbove(folder)].every((above) => {
    const stats = lstatSync(above);
    return isOwnedSafely(stats) && !isFolderOpen(stats);
  });
}

/** The cached code of one program file. */
type Kept = {
  /** The sets of files loaded by the commands that it was compiled for. */
  readonly runs: readonly string[];
  readonly code: Buffer;
};

const ending = '.jsc';
const digestLength = 32;
const mostBytes = 16 * 1024 * 1024;
const longestDays = 60;

/** The name is a hash of the source and the V8 version, so another release never reads it. */
export function keptAs(folder: string, source: Uint8Array, engine: string): string {
  const sum = createHash('sha256').update(source).update(engine).digest('hex');
  return join(folder, `${sum.slice(0, 32)}${ending}`);
}

/**
 * Undefined if the file is missing or damaged. The checksum is necessary because V8 checks almost nothing: of thirty
 * flipped bits it accepted twenty-five, and five of these killed the process.
 */
export function readKept(path: string): Kept | undefined {
  try {
    const whole = readOwn(path);
    const content = whole?.subarray(digestLength);
    if (whole === undefined || content === undefined) return undefined;
    if (!sha256(content).equals(whole.subarray(0, digestLength))) return undefined;
    const lineEnd = content.indexOf('\n');
    const runs = JSON.parse(content.toString('latin1', 0, lineEnd)) as string[];
    return { runs, code: content.subarray(lineEnd + 1) };
  } catch {
    return undefined;
  }
}

/** The bytes of a file that only this user can read and write. Undefined if it is missing or anything else. */
function readOwn(path: string): Buffer | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = fstatSync(file);
    if (!stats.isFile() || stats.uid !== process.getuid?.() || (stats.mode & 0o077) !== 0) return undefined;
    return readFileSync(file);
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

export function writeKept(path: string, { runs, code }: Kept): void {
  const content = Buffer.concat([Buffer.from(`${JSON.stringify(runs)}\n`), code]);
  writeWhole(path, Buffer.concat([sha256(content), content]));
}

/** Renames a finished file into place, so that nobody reads half of it. */
function writeWhole(path: string, content: Uint8Array): void {
  const half = `${path}.${process.pid}`;
  try {
    writeFileSync(half, content, { mode: 0o600, flag: 'wx' });
    renameSync(half, path);
  } catch (error) {
    rmSync(half, { force: true });
    throw error;
  }
}

function sha256(content: Uint8Array): Buffer {
  return createHash('sha256').update(content).digest();
}

/**
 * Removes files not written for 60 days, then the oldest if the rest is too large. The folder contains only cached
 * code.
 */
export function removeOld(folder: string): void {
  const files = readdirSync(folder)
    .map((name) => ({
      path: join(folder, name),
      stats: statSync(join(folder, name), { throwIfNoEntry: false }),
    }))
    .flatMap(({ path, stats }) =>
      stats?.isFile() ? [{ path, size: stats.size, writtenMs: stats.mtimeMs }] : [],
    )
    .sort((one, other) => other.writtenMs - one.writtenMs);
  const tooOldMs = Date.now() - longestDays * 86_400_000;
  let bytes = 0;
  for (const { path, size, writtenMs } of files) {
    bytes += size;
    if (bytes > mostBytes || writtenMs < tooOldMs) rmSync(path, { force: true });
  }
}
