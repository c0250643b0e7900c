import { randomUUID } from 'node:crypto';
import { statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../machine/disk.ts';
import { type HeldLock, isHeld, removeFile, takeLock } from '../../machine/fileLock.ts';
import { journalFailure } from '../facts.ts';
import { giveToOwner } from './giveToOwner.ts';

type Own = { readonly name: string; readonly lock: HeldLock; readonly touchedAtMs: number | undefined };

/** Who owns what: each process that claims holds one lock, and lives as long as it is held. */
export class Owners {
  readonly #journalPath: string;
  readonly #folder: string;
  #own: Own | undefined;

  constructor(journalPath: string) {
    this.#journalPath = journalPath;
    this.#folder = `${journalPath}.owners`;
  }

  self(): string {
    this.#own ??= this.#register();
    return this.#own.name;
  }

  #register(): Own {
    if (makeFolder(this.#folder)) giveToOwner(this.#folder, this.#journalPath);
    // Nobody else knows the name: a lock that is not given was interrupted, or its disk gives none.
    for (let tries = 0; tries < 3; tries += 1) {
      const name = randomUUID({ disableEntropyCache: true });
      const lock = takeLock(join(this.#folder, name), 0);
      if (lock !== undefined) {
        giveToOwner(join(this.#folder, name), this.#journalPath);
        return { name, lock, touchedAtMs: this.#touchedAtMs(name) };
      }
      removeFile(join(this.#folder, name));
    }
    throw journalFailure('no-locks', { folder: this.#folder });
  }

  isAlive(owner: string): boolean {
    return owner === this.#own?.name || isHeld(join(this.#folder, owner));
  }

  /** By touching its file: only its time is written, so that nobody's lock on it is dropped. */
  ask(owner: string): void {
    const now = new Date();
    try {
      utimesSync(join(this.#folder, owner), now, now);
    } catch {
      // It has ended, or is another user's: who asks looks again anyway.
    }
  }

  isAsked(): boolean {
    return this.#own !== undefined && this.#touchedAtMs(this.#own.name) !== this.#own.touchedAtMs;
  }

  #touchedAtMs(owner: string): number | undefined {
    return statSync(join(this.#folder, owner), { throwIfNoEntry: false })?.mtimeMs;
  }

  /** Only of a dead one: a name that has no file is dead for whatever else it owned, and is never used again. */
  forget(owner: string): void {
    removeFile(join(this.#folder, owner));
  }

  close(): void {
    this.#own?.lock.releaseAndRemove();
    this.#own = undefined;
  }
}
