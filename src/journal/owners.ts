import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../errors.ts';
import { type HeldLock, isHeld, removeFile, takeLock } from '../lock/fileLock.ts';

/** Who owns what: each process that claims holds one lock, and lives as long as it is held. */
export class Owners {
  readonly #folder: string;
  #own: { name: string; lock: HeldLock } | undefined;

  constructor(journalPath: string) {
    this.#folder = `${journalPath}.owners`;
  }

  self(): string {
    this.#own ??= this.#register();
    return this.#own.name;
  }

  #register(): { name: string; lock: HeldLock } {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    // Nobody else knows the name: a lock that is not given was interrupted, or its disk gives none.
    for (let tries = 0; tries < 3; tries += 1) {
      const name = randomUUID({ disableEntropyCache: true });
      const lock = takeLock(join(this.#folder, name), 0);
      if (lock !== undefined) return { name, lock };
      removeFile(join(this.#folder, name));
    }
    throw new Failure('journal-not-writable', `No lock can be taken in ${this.#folder}.`, {
      hint: 'Nothing was sent. Keep the journal on a disk that knows locks: name its file with --journal.',
    });
  }

  isAlive(owner: string): boolean {
    return owner === this.#own?.name || isHeld(join(this.#folder, owner));
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
