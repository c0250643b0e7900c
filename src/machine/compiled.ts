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
  /** To be called at the end, when all is told: keeps what was compiled. */
  readonly keep: () => void;
};

/** After so many different commands next to nothing of a file is left that is not compiled. */
const mostRuns = 64;

/**
 * The program, taken compiled where that is possible: what one command made the engine compile is there for the next,
 * 15 ms of a send. `code` is the folder of all its files.
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
        // A disk that is full or takes nothing: it is compiled again.
      }
    },
  };
}

/** Loads the program's own files, which lie side by side, and leaves all else to Node. */
function loaderOf(
  code: string,
  folder: string,
  env: LoaderEnv,
  required: Require,
  loaded: Loaded[],
): Require {
  // What v8.cachedDataVersionTag() is made of, without loading node:v8: 1.4 ms of every command.
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
    // The build writes nothing beyond ASCII: as such it is read without a second look, 0.5 ms of a send.
    const script = new Script(wrap(source.toString('latin1')), { filename: file, cachedData: kept?.code });
    loaded.push({ script, path, kept });
    const run = script.runInThisContext() as ModuleBody;
    run.call(module.exports, module.exports, load, module, file, code);
    return module.exports;
  };
  return load;
}

/** A command that loads what none before it loaded together adds what it compiled; any other has nothing new. */
function keep(loaded: readonly Loaded[], folder: string): void {
  const run = loaded.map(({ path }) => path.slice(-12, -4)).join(' ');
  const gaining = loaded.filter(({ kept }) => isNew(run, kept));
  if (gaining.length === 0) return;
  takeBackFlags();
  for (const { script, path, kept } of gaining) {
    const code = script.createCachedData();
    // What a long command no longer calls, the engine gives up.
    const best = kept !== undefined && kept.code.length > code.length ? kept.code : code;
    writeKept(path, { runs: [...(kept?.runs ?? []), run], code: best });
  }
  removeOld(folder);
}

function isNew(run: string, kept: Kept | undefined): boolean {
  return kept === undefined || (!kept.runs.includes(run) && kept.runs.length < mostRuns);
}

// What wire/connecting.ts says to Node 20, with all that it implies: the next command begins without it.
const flagsBefore = ['--no-liftoff-only', '--wasm-tier-up', '--wasm-dynamic-tiering'];

function takeBackFlags(): void {
  if (!process.versions.node.startsWith('20.')) return;
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  for (const flag of flagsBefore) setFlagsFromString(flag);
}

type ModuleBody = (
  exports: unknown,
  require: Require,
  module: { exports: unknown },
  file: string,
  folder: string,
) => void;

/**
 * The folder that keeps compiled code; undefined where none is to be kept, or nobody can say that only its owner
 * writes to it: what lies there is run. Node's own choice is in /tmp.
 */
function privateCacheFolder(env: LoaderEnv): string | undefined {
  const base = env.XDG_CACHE_HOME || (env.HOME && `${env.HOME}/.cache`);
  if (env.NODE_DISABLE_COMPILE_CACHE || !base?.startsWith('/') || process.getuid === undefined)
    return undefined;
  try {
    // A home that is not there is not made for the sake of speed.
    if (isNone(dirname(base)) || (isNone(base) && !made(base))) return undefined;
    const folder = `${realpathSync(base)}/botctl`;
    // What runs once, in a container, is not worth keeping: the first command makes no more than the folder.
    if (isNone(folder)) return void made(folder);
    return isPrivate(folder, process.getuid()) ? folder : undefined;
  } catch {
    return undefined;
  }
}

function isNone(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) === undefined;
}

// One by one: Node's own way of making several never ends under /proc.
function made(path: string): boolean {
  mkdirSync(path, { mode: 0o700 });
  return true;
}

/** Nobody else may write to it, nor put another one in its place. */
function isPrivate(folder: string, uid: number): boolean {
  const own = lstatSync(folder);
  if (!own.isDirectory() || own.uid !== uid || (own.mode & 0o077) !== 0) return false;
  // With another's home, as under sudo, it is not: the other one could put there what root would run.
  return [...foldersAbove(folder)].every((above) => {
    const stats = lstatSync(above);
    return isOwnedSafely(stats, uid) && !isFolderOpen(stats);
  });
}

/** What is kept of one file of the program. */
type Kept = {
  /** Which commands it was compiled for: what each of them loaded. */
  readonly runs: readonly string[];
  readonly code: Buffer;
};

const ending = '.jsc';
const digestLength = 32;
const mostBytes = 16 * 1024 * 1024;
const longestDays = 60;

/** Its name says what it was compiled from, and for which engine: another release looks for another one. */
export function keptAs(folder: string, source: Uint8Array, engine: string): string {
  const sum = createHash('sha256').update(source).update(engine).digest('hex');
  return join(folder, `${sum.slice(0, 32)}${ending}`);
}

/**
 * Undefined where it is not there, or is not whole. The engine itself checks next to nothing: of thirty flipped bits
 * it took twenty-five, and five ended the process.
 */
export function readKept(path: string): Kept | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = fstatSync(file);
    if (!stats.isFile() || stats.uid !== process.getuid?.() || (stats.mode & 0o077) !== 0) return undefined;
    const whole = readFileSync(file);
    const content = whole.subarray(digestLength);
    if (!digestOf(content).equals(whole.subarray(0, digestLength))) return undefined;
    const lineEnd = content.indexOf('\n');
    const runs = JSON.parse(content.toString('latin1', 0, lineEnd)) as string[];
    return { runs, code: content.subarray(lineEnd + 1) };
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Put in place whole, so that nobody reads the half of it. */
export function writeKept(path: string, { runs, code }: Kept): void {
  const content = Buffer.concat([Buffer.from(`${JSON.stringify(runs)}\n`), code]);
  const half = `${path}.${process.pid}`;
  try {
    writeFileSync(half, Buffer.concat([digestOf(content), content]), { mode: 0o600, flag: 'wx' });
    renameSync(half, path);
  } catch (error) {
    rmSync(half, { force: true });
    throw error;
  }
}

function digestOf(content: Uint8Array): Buffer {
  return createHash('sha256').update(content).digest();
}

/** What has not been written for long, and the oldest where all of it is too much. Nothing else lies in the folder. */
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
