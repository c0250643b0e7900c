import type { Reads, RowStanding } from '../journal/journal.ts';

type RowReads = Pick<Reads, 'rowsSince' | 'latestSeq'>;

/**
 * What the journal has under the name of an input. Its own rows, by their keys, are no obstacle to each other; a row of
 * another file under this name is one. Each row is read once: a claim that reads all that pay the same takes 50 us for
 * each.
 */
export class RowsOfName {
  readonly name: string;
  readonly #keys: ReadonlySet<string>;
  #readTo = 0;
  #hasOthers = false;

  constructor(name: string, keys: ReadonlySet<string>) {
    this.name = name;
    this.#keys = keys;
  }

  /** Not within a commit: if that is undone, its numbers are given again. */
  async readOn(reads: RowReads): Promise<void> {
    // First, so that what begins meanwhile is read the next time. Most of a journal is none of these rows.
    const latest = await reads.latestSeq();
    this.#hasOthers ||= this.#anotherIn(await reads.rowsSince(this.name, this.#readTo));
    this.#readTo = latest;
  }

  /** Whether the journal has a row of another file under this name. */
  async haveOthers(reads: Pick<Reads, 'rowsSince'>): Promise<boolean> {
    return this.#hasOthers || this.#anotherIn(await reads.rowsSince(this.name, this.#readTo));
  }

  isOwn(key: string): boolean {
    return this.#keys.has(key);
  }

  #anotherIn(rows: readonly RowStanding[]): boolean {
    return rows.some(({ key }) => !this.isOwn(key));
  }
}
