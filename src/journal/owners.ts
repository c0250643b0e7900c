import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type HeldLock, isHeld, removeFile, takeLock } from '../lock/fileLock.ts';

/** Who owns what: each process that claims holds one lock, and lives as long as it is held. */
export class Owners {
  readonly #folder: string;
  #own: { name: string; lock: HeldLock } | undefined;

  constructor(journalPath: string) {
    this.#folder = `${journalPath}.owners`;
  }

  self(): string {
    if (this.#own === undefined) {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      const name = randomUUID({ disableEntropyCache: true });
      const lock = takeLock(join(this.#folder, name), 0);
      if (lock === undefined) throw new Error('a new lock is held by somebody else');
      this.#own = { name, lock };
    }
    return this.#own.name;
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
