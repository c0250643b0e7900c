import type { GuardedWork } from './journal.ts';

/** Every row of an answer says whose it is: by `n`, the place among those who asked. */
type GatheredRow = Readonly<Record<string, unknown>>;

type CommitWay<Name, Item, Answer> = {
  readonly run: (name: Name, items: readonly Item[]) => readonly Answer[] | Promise<readonly Answer[]>;
  /** When those that were asked meanwhile are asked. */
  readonly soon: (ask: () => void) => unknown;
  /** Around those of several kinds. */
  readonly together?: (ask: () => void) => void;
  /** Of this kind after all others. */
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

/** Questions of one kind that are asked in one breath become one statement. */
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

/** All at once, but for those that must be alone with the same: they share a commit, and have no locks between them. */
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

/** One at a time, in the order in which they came. */
export class Mutex {
  #running: Promise<unknown> | undefined;

  async alone<Result>(work: () => Promise<Result>): Promise<Result> {
    // Nothing may be awaited between the last look and the start: others look in that moment too.
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

  /** At once when nobody's turn is on, which it is over with before anybody's next one. */
  async between<Result>(work: () => Result): Promise<Result> {
    while (this.#running !== undefined) await this.#running;
    return work();
  }
}
