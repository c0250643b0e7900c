import { originOf } from '../entry/baseUrl.ts';
import type { Entry, Reads, RowStanding } from '../journal/journal.ts';

type RowReads = Pick<Reads, 'rowsSince' | 'get'>;

/**
 * What the journal has under the name of an input. Its own rows, by their keys, are no obstacle to each other; a row of
 * another file under this name is one. Each row is read once: a claim that reads all that pay the same takes 50 us for
 * each.
 */
export class RowsOfName {
  readonly name: string;
  readonly #keys: ReadonlySet<string>;
  readonly #others: RowStanding[] = [];
  #readTo = 0;

  constructor(name: string, keys: ReadonlySet<string>) {
    this.name = name;
    this.#keys = keys;
  }

  /** Not within a commit: if that is undone, its numbers are given again. */
  async readOn(reads: RowReads): Promise<void> {
    const rows = await reads.rowsSince(this.name, this.#readTo);
    this.#others.push(...rows.filter((row) => this.#isAnother(row)));
    this.#readTo = rows.at(-1)?.seq ?? this.#readTo;
  }

  /** Rows of other files that made one of these payments at this origin since then, or may still make it. */
  async paid(
    payments: readonly string[],
    origin: string,
    sinceMs: number,
    reads: RowReads,
  ): Promise<readonly Entry[]> {
    const latest = await reads.rowsSince(this.name, this.#readTo);
    const all = [...this.#others, ...latest.filter((row) => this.#isAnother(row))];
    const found = all.filter(({ payment }) => payments.includes(payment));
    const entries = await Promise.all(found.map(({ id }) => reads.get(id)));
    return entries.flatMap((one) =>
      one !== undefined && originOf(one.baseUrl) === origin && mayPay(one, sinceMs) ? [one] : [],
    );
  }

  #isAnother({ key }: RowStanding): boolean {
    return !this.#keys.has(key);
  }
}

function mayPay({ state, countsAtMs }: Entry, sinceMs: number): boolean {
  if (countsAtMs === undefined) return false;
  return state === 'sending' || state === 'unknown' || state === 'held' || countsAtMs >= sinceMs;
}
