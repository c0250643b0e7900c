import { existsSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { JournalFacts } from '../facts.ts';

// As many as Linux follows: links that lead round end here.
const mostLinks = 40;

/**
 * A file's own name, by whatever link it is called, also where it is yet to be made: what stands beside it is named
 * after it, as SQLite does.
 */
export function resolveLinks(path: string, links = mostLinks): string {
  if (existsSync(path)) return realpathSync(path);
  const target = links === 0 ? undefined : targetOf(path);
  return target === undefined ? path : resolveLinks(resolve(dirname(path), target), links - 1);
}

function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

type Seen = { readonly path: string; readonly dev: number; readonly ino: number };

/** Nobody can tell apart what happened within so little; a process that was frozen meanwhile looks anew. */
const sameMomentMs = 5;

type Found = JournalFacts['taken-away'];

type Look = { readonly commits: number; readonly atMs: number; readonly found: Found | undefined };

/** The files of an open journal, as they were when it was opened. */
export class OwnFiles {
  readonly #seen: readonly Seen[];
  #last: Look | undefined;

  constructor(paths: readonly string[]) {
    this.#seen = paths.map((path) => {
      const { dev, ino } = statSync(path);
      return { path, dev, ino };
    });
  }

  /**
   * What is gone or was replaced meanwhile. After each commit it is looked anew; one look serves the rows of a batch
   * that share a commit, where nine calls to the system were a tenth of a row.
   */
  trouble(commits: number, nowMs: number): Found | undefined {
    const last = this.#last;
    if (last?.commits === commits && nowMs >= last.atMs && nowMs - last.atMs < sameMomentMs)
      return last.found;
    const found = this.#look();
    this.#last = { commits, atMs: nowMs, found };
    return found;
  }

  #look(): Found | undefined {
    for (const { path, dev, ino } of this.#seen) {
      const now = statSync(path, { throwIfNoEntry: false });
      if (now === undefined) return { path, how: 'gone' };
      if (now.dev !== dev || now.ino !== ino) return { path, how: 'replaced' };
    }
    return undefined;
  }
}
