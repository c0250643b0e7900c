import type { Reads, RowKey } from '../journal/journal.ts';

type RowReads = Pick<Reads, 'rowsSince' | 'latestSeq'>;

/**
 * The rows that the journal has under the name of an input. The input's own rows, known by their keys, do not block
 * each other; a row of another file under this name does. Each row is read once: a claim that reads all equal payments
 * takes 50 us for each.
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

  /** Call this outside a commit: if a commit is undone, its row numbers are used again. */
  async readOn(reads: RowReads): Promise<void> {
    // Read the latest number first, so that a row begun meanwhile is read next time. Continue from that number, because
    // most entries have other names.
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

  #anotherIn(rows: readonly RowKey[]): boolean {
    return rows.some(({ key }) => !this.isOwn(key));
  }
}
