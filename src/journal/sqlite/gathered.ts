import type { SqlRow } from './rows.ts';
import type { TogetherName } from './together.ts';

/** What a statement is given of one intent. */
export type Item = Readonly<Record<string, undefined | null | boolean | number | string>>;

/** Asks a question; gives back the rows of its answer. */
export type Ask = (name: TogetherName, item: Item) => Promise<readonly SqlRow[]>;

type RunTogether = (
  name: TogetherName,
  items: readonly Item[],
) => readonly SqlRow[] | Promise<readonly SqlRow[]>;

type Asked = {
  readonly items: Item[];
  readonly answers: Answer[];
};

type Answer = {
  readonly rows: SqlRow[];
  readonly resolve: (rows: readonly SqlRow[]) => void;
  readonly reject: (cause: unknown) => void;
};

/** Questions of one kind become one statement: they are asked when nobody can go on without an answer. */
export class Gathered {
  readonly #run: RunTogether;
  #asked = new Map<TogetherName, Asked>();

  constructor(run: RunTogether) {
    this.#run = run;
  }

  readonly ask: Ask = (name, item) =>
    new Promise((resolve, reject) => {
      // After all promises that are settled by now, and within this turn: a commit must not outlast it.
      if (this.#asked.size === 0) process.nextTick(() => this.#askAll());
      const same = this.#asked.get(name) ?? { items: [], answers: [] };
      this.#asked.set(name, same);
      same.items.push(item);
      same.answers.push({ rows: [], resolve, reject });
    });

  #askAll(): void {
    const asked = this.#asked;
    this.#asked = new Map();
    for (const [name, same] of asked) void this.#askOne(name, same);
  }

  async #askOne(name: TogetherName, { items, answers }: Asked): Promise<void> {
    try {
      const rows = await this.#run(name, items);
      for (const row of rows) answers[Number(row.n)]?.rows.push(row);
      for (const { resolve, rows: own } of answers) resolve(own);
    } catch (cause) {
      for (const { reject } of answers) reject(cause);
    }
  }
}
