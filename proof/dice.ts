import { createHash } from 'node:crypto';

/** Random numbers that depend only on a seed and a label, not on what else was drawn. */
export class Dice {
  readonly #seed: string;
  #drawn = 0;

  constructor(seed: string) {
    this.#seed = seed;
  }

  for(label: string): Dice {
    return new Dice(`${this.#seed}/${label}`);
  }

  /** In [0, 1). */
  fraction(): number {
    this.#drawn += 1;
    return createHash('sha256').update(`${this.#seed}#${this.#drawn}`).digest().readUInt32BE(0) / 2 ** 32;
  }

  below(bound: number): number {
    return Math.floor(this.fraction() * bound);
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  }

  /** So many of them, in their order. */
  sample<Item>(items: readonly Item[], count: number): Item[] {
    const chosen = new Set<number>();
    while (chosen.size < Math.min(count, items.length)) chosen.add(this.below(items.length));
    return items.filter((_item, index) => chosen.has(index));
  }

  bytes(count: number): Buffer {
    return Buffer.from(Array.from({ length: count }, () => this.below(256)));
  }
}
