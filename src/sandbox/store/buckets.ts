import type { Bucket } from '../limit.ts';
import type { Database } from './database.ts';

export class BucketStore {
  readonly #get;
  readonly #put;
  readonly #clear;

  constructor(db: Database) {
    this.#get = db.prepare('SELECT level, at_ms FROM buckets WHERE name = ?');
    this.#put = db.prepare(
      `INSERT INTO buckets (name, level, at_ms) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET level = excluded.level, at_ms = excluded.at_ms`,
    );
    this.#clear = db.prepare('DELETE FROM buckets');
  }

  get(name: string): Bucket | undefined {
    const row = this.#get.get(name) as { level: number; at_ms: number } | undefined;
    return row === undefined ? undefined : { level: row.level, atMs: row.at_ms };
  }

  put(name: string, bucket: Bucket): void {
    this.#put.run(name, bucket.level, bucket.atMs);
  }

  clear(): void {
    this.#clear.run();
  }
}
