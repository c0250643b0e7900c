import { randomUUID } from 'node:crypto';
import { lstatSync, type Stats } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** What is at a path where a file will be written. A link counts as itself, not as what it leads to. */
export function occupantOf(path: string): 'nothing' | 'file' | 'link' | 'other' {
  return kindOf(lstatSync(path, { throwIfNoEntry: false }));
}

function kindOf(stats: Stats | undefined): ReturnType<typeof occupantOf> {
  if (stats === undefined) return 'nothing';
  if (stats.isSymbolicLink()) return 'link';
  return stats.isFile() ? 'file' : 'other';
}

/** Something else is at the path and stays: with a link, another user could choose which file is overwritten. */
export class Occupied extends Error {
  readonly by: 'link' | 'other';

  constructor(by: Occupied['by']) {
    super(by);
    this.by = by;
  }
}

/** A file that a user names. It is written beside its place and moved there whole; an earlier one keeps its mode. */
export class WholeFile {
  readonly path: string;
  readonly #draft: string;
  readonly #file: FileHandle;

  private constructor(path: string, draft: string, file: FileHandle) {
    this.path = path;
    this.#draft = draft;
    this.#file = file;
  }

  static async begin(path: string, mode: number): Promise<WholeFile> {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    const occupant = kindOf(stats);
    if (occupant === 'link' || occupant === 'other') throw new Occupied(occupant);
    const draft = join(dirname(path), `.${basename(path)}.${randomUUID().slice(0, 8)}`);
    const file = await open(draft, 'wx', 0o600);
    await file.chmod(stats === undefined ? mode : stats.mode & 0o777);
    return new WholeFile(path, draft, file);
  }

  append(text: string): Promise<void> {
    return this.#file.appendFile(text);
  }

  async place(): Promise<void> {
    await this.#file.sync();
    await rename(this.#draft, this.path);
  }

  /** Removes the draft. May also be called after `place`. */
  async close(): Promise<void> {
    await this.#file.close();
    await rm(this.#draft, { force: true });
  }
}
