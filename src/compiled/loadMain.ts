import { readFileSync } from 'node:fs';
import { createRequire, wrap } from 'node:module';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { type Kept, keptAs, readKept, removeOld, writeKept } from './keptFiles.ts';
import { privateCacheFolder } from './privateFolder.ts';

type Env = Readonly<Record<string, string | undefined>>;
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
export function loadMain(code: string, env: Env): Main {
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
function loaderOf(code: string, folder: string, env: Env, required: Require, loaded: Loaded[]): Require {
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
