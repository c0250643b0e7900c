import { hash, randomInt } from 'node:crypto';
import { closeSync, constants, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCodeOf, makeFolder } from '../../machine/disk.ts';

/** An attempt by its number, or a decision (number 0), and its time: another machine may reuse a lost number. */
export type Known = { readonly entry: string; readonly number: number; readonly atMs: number };

const places = 16;
const placeBytes = 96;

const { O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR } = constants;

/**
 * The latest attempts and decisions that a journal acknowledged to this machine, on this machine's disk. A journal that
 * lacks one of them has lost something. A journal loses its end first, so the latest of each process are enough. The
 * note is not synced: after a power failure it may say less than the journal has, never more.
 */
export class Note {
  readonly path: string;
  readonly #onMade: (path: string) => void;
  #file: number | undefined;
  /** An empty place if there is one, so that no process overwrites what another noted while there is room. */
  #place: number | undefined;

  constructor(path: string, onMade: (path: string) => void = () => {}) {
    this.path = path;
    this.#onMade = onMade;
  }

  /** Read it before the journal: what is committed in between is then missing in the note, which does no harm. */
  noted(): readonly Known[] {
    return this.#read().flatMap((known) => known ?? []);
  }

  /** Call this after the commit and before anything is sent. */
  note({ entry, number, atMs }: Known): void {
    const text = `${entry} ${number} ${atMs}`;
    const line = `${`${text} ${sumOf(text)}`.padEnd(placeBytes - 1)}\n`;
    const file = this.#file ?? this.#open();
    this.#place ??= this.#placeToWrite();
    if (writeSync(file, line, this.#place * placeBytes, 'latin1') !== placeBytes)
      throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
  }

  /** Forgets all of it, once a loss is accepted. */
  forget(): void {
    this.close();
    rmSync(this.path, { force: true });
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #open(): number {
    makeFolder(dirname(this.path));
    // No link is followed: it would lead to another file. The file is never truncated.
    this.#file = openSync(this.path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600);
    this.#onMade(this.path);
    return this.#file;
  }

  #placeToWrite(): number {
    const noted = this.#read();
    const empty = Array.from({ length: places }, (_none, nth) => nth).filter((nth) => !noted[nth]);
    return empty[randomInt(empty.length || places)] ?? randomInt(places);
  }

  /** A place that is torn or has a flipped bit counts as empty. */
  #read(): (Known | undefined)[] {
    let text = '';
    try {
      const file = openSync(this.path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      try {
        text = readFileSync(file, 'latin1');
      } finally {
        closeSync(file);
      }
    } catch (error) {
      if (errorCodeOf(error) !== 'ENOENT' && errorCodeOf(error) !== 'ENOTDIR') throw error;
    }
    return Array.from({ length: places }, (_none, nth) => {
      const place = text.slice(nth * placeBytes, (nth + 1) * placeBytes).trim();
      const [entry = '', number = '', at = '', sum] = place.split(' ');
      if (sum !== sumOf(`${entry} ${number} ${at}`)) return undefined;
      return { entry, number: Number(number), atMs: Number(at) };
    });
  }
}

function sumOf(text: string): string {
  return hash('sha256', text).slice(0, 16);
}
