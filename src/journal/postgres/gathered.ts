import type { Row } from './rows.ts';
import type { StatementName } from './statements.ts';

/** What one statement is asked for one intent: a JSON object. */
export type Item = Readonly<Record<string, string | number | boolean | null>>;

/** Asks a question; gives back the rows of its answer. */
export type Ask = (name: StatementName, item: Item) => Promise<readonly Row[]>;

/** Runs a statement for these items: a JSON array, in which each says its place as `n`. */
type RunStatement = (name: StatementName, items: string) => Promise<readonly Row[]>;

type Asked = {
  readonly item: Item;
  readonly resolve: (rows: readonly Row[]) => void;
  readonly reject: (cause: unknown) => void;
};

/** Whoever asked first: attempts end before their intents do. */
const last: StatementName = 'conclude';

/**
 * Questions of one kind that are asked in one turn of the event loop become one statement: a round trip for a
 * hundred rows of a batch, not for each. Those of several kinds leave together, in the order in which they were asked.
 */
export class Gathered {
  readonly #run: RunStatement;
  readonly #together: (ask: () => void) => void;
  #asked = new Map<StatementName, Asked[]>();

  constructor(run: RunStatement, together: (ask: () => void) => void = (ask) => ask()) {
    this.#run = run;
    this.#together = together;
  }

  readonly ask: Ask = (name, item) =>
    new Promise((resolve, reject) => {
      if (this.#asked.size === 0) setImmediate(() => this.#askAll());
      const same = this.#asked.get(name);
      if (same === undefined) this.#asked.set(name, [{ item, resolve, reject }]);
      else same.push({ item, resolve, reject });
    });

  #askAll(): void {
    const asked = this.#asked;
    this.#asked = new Map();
    this.#together(() => {
      for (const [name, same] of asked) if (name !== last) void this.#askOne(name, same);
      const same = asked.get(last);
      if (same !== undefined) void this.#askOne(last, same);
    });
  }

  async #askOne(name: StatementName, asked: readonly Asked[]): Promise<void> {
    try {
      const items = asked.map(({ item }, n) => `{"n":${n},${JSON.stringify(item).slice(1)}`);
      const rows = await this.#run(name, `[${items.join(',')}]`);
      const answers = asked.map((): Row[] => []);
      for (const row of rows) answers[row.n as number]?.push(row);
      for (const [n, { resolve }] of asked.entries()) resolve(answers[n] ?? []);
    } catch (cause) {
      for (const { reject } of asked) reject(cause);
    }
  }
}
