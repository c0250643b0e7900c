/** Every row of an answer says whose it is: by `n`, the place among those who asked. */
type Row = Readonly<Record<string, unknown>>;

type Way<Name, Item, Answer> = {
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
export class Gathered<Name extends string, Item, Answer extends Row> {
  readonly #way: Way<Name, Item, Answer>;
  #asked = new Map<Name, Asked<Item, Answer>>();

  constructor(way: Way<Name, Item, Answer>) {
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
