import { lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { foldersAbove, isFolderOpen, isOwnedSafely } from '../machine/foldersAbove.ts';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The folder that keeps compiled code; undefined where none is to be kept, or nobody can say that only its owner
 * writes to it: what lies there is run. Node's own choice is in /tmp.
 */
export function privateCacheFolder(env: Env): string | undefined {
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
