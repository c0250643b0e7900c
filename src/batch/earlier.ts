import type { Bot } from '../once/connection.ts';
import { underEachName } from '../once/entry/assetNames.ts';
import type { Reads } from '../once/journal/journal.ts';
import { countIn } from './read.ts';

/** Another batch: how many of these rows it has paid, or may have paid, and when last. */
export type EarlierBatch = { readonly batch: string; readonly rows: number; readonly atMs: number };

/** Salaries are equal every month: the batch of last month is seen, that of the month before is not. */
const earlierWithinMs = 45 * 24 * 3_600_000;

/** Which other batches have paid what the rows of a batch pay. */
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

  /** Asks for a page of rows at once. */
  async note(payments: readonly (string | undefined)[], reads: Pick<Reads, 'batchesPaying'>): Promise<void> {
    const wanted = new Map<string, number>();
    for (const payment of payments)
      for (const one of underEachName(payment, this.#bot.assetNames)) countIn(wanted, one);
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

  /** The one that has paid the most of them; of several, the latest. */
  most(): EarlierBatch | undefined {
    return [...this.#byBatch.values()].sort((a, b) => b.rows - a.rows || b.atMs - a.atMs)[0];
  }
}
