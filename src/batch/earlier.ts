import type { Bot } from '../once/connection.ts';
import { underEachName } from '../once/entry/assetNames.ts';
import type { Reads } from '../once/journal/journal.ts';
import { addCount } from './read.ts';

/** Another batch, the number of these rows that it has paid or may have paid, and the time of the last one. */
export type EarlierBatch = { readonly batch: string; readonly rows: number; readonly atMs: number };

/** 45 days: for salaries, which are equal every month, this finds last month's batch but not the one before. */
const earlierWithinMs = 45 * 24 * 3_600_000;

/** Finds other batches that have paid what the rows of a batch pay. */
export class EarlierBatches {
  readonly #byBatch = new Map<string, EarlierBatch>();
  readonly #name: string;
  readonly #bot: Pick<Bot, 'assetNames'>;
  readonly #sinceMs: number;

  constructor(name: string, bot: Pick<Bot, 'assetNames'>, nowMs: number) {
    this.#name = name;
    this.#bot = bot;
    this.#sinceMs = nowMs - earlierWithinMs;
  }

  /** Looks up a page of rows in one query. */
  async note(payments: readonly (string | undefined)[], reads: Pick<Reads, 'batchesPaying'>): Promise<void> {
    const wanted = new Map<string, number>();
    for (const payment of payments)
      for (const one of underEachName(payment, this.#bot.assetNames)) addCount(wanted, one);
    for (const { payment, batch, atMs } of await reads.batchesPaying(
      [...wanted.keys()],
      this.#name,
      this.#sinceMs,
    )) {
      const before = this.#byBatch.get(batch) ?? { rows: 0, atMs };
      const rows = before.rows + (wanted.get(payment) ?? 0);
      this.#byBatch.set(batch, { batch, rows, atMs: Math.max(before.atMs, atMs) });
    }
  }

  /** The batch that has paid the most rows; among equals, the latest. */
  most(): EarlierBatch | undefined {
    return [...this.#byBatch.values()].sort((a, b) => b.rows - a.rows || b.atMs - a.atMs)[0];
  }
}
