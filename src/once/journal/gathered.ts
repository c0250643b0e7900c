import type { GuardedWork } from './journal.ts';

/** Every row of an answer has `n`, the position of its asker. */
type GatheredRow = Readonly<Record<string, unknown>>;

type CommitWay<Name, Item, Answer> = {
  readonly run: (name: Name, items: readonly Item[]) => readonly Answer[] | Promise<readonly Answer[]>;
  /** Schedules `ask`. Questions that come until then share a statement. */
  readonly soon: (ask: () => void) => unknown;
  /** Wraps the asking of several kinds. */
  readonly together?: (ask: () => void) => void;
  /** This kind is asked after all others. */
  readonly last?: Name;
};

type Asked<Item, Answer> = {
  readonly items: Item[];
  readonly askers: Asker<Answer>[];
};

type Asker<Answer> = {
  readonly rows: Answer[];
  readonly resolve: (rows: readonly Answer[]) => void;
  readonly reject: (cause: unknown) => void;
};

/** Turns questions of one kind that are asked at the same time into one statement. */
export class Gathered<Name extends string, Item, Answer extends GatheredRow> {
  readonly #way: CommitWay<Name, Item, Answer>;
  #asked = new Map<Name, Asked<Item, Answer>>();

  constructor(way: CommitWay<Name, Item, Answer>) {
    this.#way = way;
  }

  readonly ask = (name: Name, item: Item): Promise<readonly Answer[]> =>
    new Promise((resolve, reject) => {
      if (this.#asked.size === 0) this.#way.soon(() => this.#askAll());
      const same = this.#asked.get(name) ?? { items: [], askers: [] };
      this.#asked.set(name, same);
      same.items.push(item);
      same.askers.push({ rows: [], resolve, reject });
    });

  #askAll(): void {
    const { together = (ask: () => void) => ask(), last } = this.#way;
    const asked = this.#asked;
    this.#asked = new Map();
    together(() => {
      for (const [name, same] of asked) if (name !== last) void this.#askOne(name, same);
      const same = last && asked.get(last);
      if (last !== undefined && same !== undefined) void this.#askOne(last, same);
    });
  }

  async #askOne(name: Name, { items, askers }: Asked<Item, Answer>): Promise<void> {
    try {
      const rows = await this.#way.run(name, items);
      for (const row of rows) askers[Number(row.n)]?.rows.push(row);
      for (const { resolve, rows: own } of askers) resolve(own);
    } catch (cause) {
      for (const { reject } of askers) reject(cause);
    }
  }
}

/**
 * Runs all works at once, except those that must be alone with the same name: they share a commit, so no locks separate
 * them.
 */
export function inTurn<Result>(
  works: readonly GuardedWork<Result>[],
  run: (work: GuardedWork<Result>) => Promise<Result>,
): Promise<Result>[] {
  const alone = new Map<string, Promise<unknown>>();
  const alongside = new Map<string, Promise<unknown>[]>();
  return works.map((one) => {
    const { guards } = one;
    const before = [
      ...[...(guards.alone ?? []), ...(guards.alongside ?? [])].flatMap((name) => alone.get(name) ?? []),
      ...(guards.alone ?? []).flatMap((name) => alongside.get(name) ?? []),
    ];
    const running = before.length === 0 ? run(one) : Promise.allSettled(before).then(() => run(one));
    for (const name of guards.alone ?? []) alone.set(name, running);
    for (const name of guards.alongside ?? []) {
      alongside.set(name, [...(alongside.get(name) ?? []), running]);
    }
    return running;
  });
}

/** Runs one work at a time, in the order of the calls. */
export class Mutex {
  #running: Promise<unknown> | undefined;

  async alone<Result>(work: () => Promise<Result>): Promise<Result> {
    // Nothing may be awaited between this check and the start: other callers check at the same moment.
    while (this.#running !== undefined) await this.#running;
    const running = work();
    const over = running.then(
      () => {},
      () => {},
    );
    this.#running = over;
    try {
      return await running;
    } finally {
      if (this.#running === over) this.#running = undefined;
    }
  }

  /** Runs between two turns. The work is synchronous, so it is over before the next turn begins. */
  async between<Result>(work: () => Result): Promise<Result> {
    while (this.#running !== undefined) await this.#running;
    return work();
  }
}
