import type { KeySums } from '../journal/shares.ts';

/** Sums over the keys of many rows: the same rows have the same, whatever their order, and no others do. */
export class KeySum {
  #rows = 0;
  #first = 0;
  #last = 0;

  add(key: string): void {
    this.#rows += 1;
    this.#first = (this.#first + Number.parseInt(key.slice(0, 8), 16)) % 2 ** 32;
    this.#last = (this.#last + Number.parseInt(key.slice(-8), 16)) % 2 ** 32;
  }

  get sums(): KeySums {
    return { rows: this.#rows, first: this.#first, last: this.#last };
  }
}
