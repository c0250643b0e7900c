import { readFileSync } from 'node:fs';
import Module from 'node:module';
import { dirname } from 'node:path';
import { Script } from 'node:vm';
import { type Kept, keptAs, readKept, removeOld, writeKept } from './keptFiles.ts';
import { privateCacheFolder } from './privateFolder.ts';

type Env = Readonly<Record<string, string | undefined>>;
type Loaded = { readonly script: Script; readonly path: string; readonly kept: Kept | undefined };

/** After so many different commands next to nothing of a file is left that is not compiled. */
const mostRuns = 64;

/**
 * From here on the program's own files are taken from `code` compiled: what one command made the engine compile is
 * there for the next, 15 ms of a send. The result is to be called at the end, when all is told.
 */
export function keepCompiled(code: string, env: Env): () => void {
  const folder = privateCacheFolder(env);
  if (folder === undefined) return () => {};
  // What v8.cachedDataVersionTag() is made of, without loading node:v8: 1.4 ms of every command.
  const { version, arch, execArgv } = process;
  const engine = [version, arch, ...execArgv, env.NODE_OPTIONS].join(' ');
  const loaded: Loaded[] = [];
  const extensions = (Module as unknown as { readonly _extensions: Loaders })._extensions;
  const usual = extensions['.js'];
  extensions['.js'] = (module, file) => {
    if (dirname(file) !== code) return usual(module, file);
    const source = readFileSync(file);
    const path = keptAs(folder, source, engine);
    const kept = readKept(path);
    // As Node wraps it, all on the first line, so that the others keep their numbers.
    const wrapped = Module.wrap(source.toString('latin1'));
    const script = new Script(wrapped, { filename: file, cachedData: kept?.code });
    loaded.push({ script, path, kept });
    const run = script.runInThisContext() as ModuleBody;
    run.call(module.exports, module.exports, (id) => module.require(id), module, file, code);
  };
  return () => {
    try {
      keep(loaded, folder);
    } catch {
      // A disk that is full or takes nothing: it is compiled again.
    }
  };
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
  require: (id: string) => unknown,
  module: NodeModule,
  file: string,
  folder: string,
) => void;
type Loaders = Record<'.js', (module: NodeModule, file: string) => void>;
