import { createHash, randomInt } from 'node:crypto';
import { closeSync, constants, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { diskTroubleOf } from '../../machine/disk.ts';
import { sharedFailure } from './facts.ts';
import type { Note } from './note.ts';

const slots = 64;
const slotBytes = 96;

/**
 * What a shared journal has acknowledged to this machine, on its own disk: a journal that does not know it any more
 * has lost something. Each process writes one slot of the file; one that is torn says nothing.
 */
export class Notes {
  readonly #path: string;
  readonly #slot = randomInt(slots);
  #file: number | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  read(): readonly Note[] {
    return this.#slots().flatMap((note) => note ?? []);
  }

  #slots(): (Note | undefined)[] {
    let text: string;
    try {
      text = readFileSync(this.#path, 'latin1');
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      // A machine that has no disk for its notes has none.
      if (code === 'ENOENT' || code === 'ENOTDIR') return [];
      throw sharedFailure('notes-unreadable', { path: this.#path, trouble: diskTroubleOf(error) }, error);
    }
    return Array.from({ length: slots }, (_none, slot) => {
      const [what = '', id = '', number = '', sum] = text
        .slice(slot * slotBytes, (slot + 1) * slotBytes)
        .trim()
        .split(' ');
      if (sum !== sumOf(`${what} ${id} ${number}`)) return undefined;
      return { what: what as Note['what'], id, number: Number(number) };
    });
  }

  /** False where this machine has no disk for it: then it cannot tell later that something is missing. */
  write(note: Note): boolean {
    try {
      this.#write(note);
      return true;
    } catch {
      return false;
    }
  }

  #write(note: Note): void {
    if (this.#file === undefined) {
      mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
      this.#file = openSync(this.#path, openFlags, 0o600);
    }
    const text = textOf(note);
    writeSync(
      this.#file,
      `${`${text} ${sumOf(text)}`.padEnd(slotBytes - 1)}\n`,
      this.#slot * slotBytes,
      'latin1',
    );
  }

  /** What was lost is accepted as lost. */
  forget(lost: readonly Note[]): void {
    if (lost.length === 0) return;
    const file = openSync(this.#path, 'r+');
    try {
      for (const [slot, note] of this.#slots().entries()) {
        if (note !== undefined && lost.some((one) => textOf(one) === textOf(note)))
          writeSync(file, `${' '.repeat(slotBytes - 1)}\n`, slot * slotBytes, 'latin1');
      }
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

// Made if it is not there, and never cut.
const openFlags = constants.O_RDWR | constants.O_CREAT;

function textOf({ what, id, number }: Note): string {
  return `${what} ${id} ${number}`;
}

function sumOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
