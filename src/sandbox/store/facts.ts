import type { Database } from './database.ts';

/** What a data folder is born with (its secret), and what only grows (money made, random faults asked). */
export class FactStore {
  readonly #get;
  readonly #put;

  constructor(db: Database) {
    this.#get = db.prepare('SELECT value FROM facts WHERE name = ?');
    this.#put = db.prepare(
      'INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
    );
  }

  get(name: string): string | undefined {
    return (this.#get.get(name) as { value: string } | undefined)?.value;
  }

  put(name: string, value: string): void {
    this.#put.run(name, value);
  }

  /** Adds to a counter and gives what it was. */
  count(name: string, add: bigint): bigint {
    const before = BigInt(this.get(name) ?? '0');
    this.put(name, (before + add).toString());
    return before;
  }
}
