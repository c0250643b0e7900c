import type { Database } from './database.ts';

/** What the control interface has set: a name, and JSON. */
export class SettingsStore {
  readonly #get;
  readonly #put;
  readonly #clear;

  constructor(db: Database) {
    this.#get = db.prepare('SELECT value FROM settings WHERE name = ?');
    this.#put = db.prepare(
      'INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
    );
    this.#clear = db.prepare('DELETE FROM settings');
  }

  get(name: string): unknown {
    const row = this.#get.get(name) as { value: string } | undefined;
    return row === undefined ? undefined : JSON.parse(row.value);
  }

  put(name: string, value: unknown): void {
    this.#put.run(name, JSON.stringify(value));
  }

  clear(): void {
    this.#clear.run();
  }
}
