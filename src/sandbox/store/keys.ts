import type { Operation } from '../operation.ts';
import type { Database } from './database.ts';

/** The reply a key was answered with, verbatim. */
export type KeptReply = { status: number; contentType: string; body: string };

export type RememberedKey = { atMs: number; bodyHash: string; effectId: string; reply: KeptReply };

export type KeyName = { operation: Operation; scope: string; key: string };

type Row = { at_ms: number; body_hash: string; effect_id: string; reply: string };

export class KeyStore {
  readonly #get;
  readonly #put;
  readonly #forgetAll;
  readonly #forget;

  constructor(db: Database) {
    this.#get = db.prepare(
      'SELECT at_ms, body_hash, effect_id, reply FROM keys WHERE operation = ? AND scope = ? AND key = ?',
    );
    this.#put = db.prepare(
      `INSERT INTO keys (operation, scope, key, at_ms, body_hash, effect_id, reply) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET at_ms = excluded.at_ms, body_hash = excluded.body_hash,
         effect_id = excluded.effect_id, reply = excluded.reply`,
    );
    this.#forgetAll = db.prepare('DELETE FROM keys');
    this.#forget = db.prepare('DELETE FROM keys WHERE key = ?');
  }

  get(name: KeyName): RememberedKey | undefined {
    const row = this.#get.get(name.operation, name.scope, name.key) as Row | undefined;
    if (row === undefined) return undefined;
    const reply = JSON.parse(row.reply) as KeptReply;
    return { atMs: row.at_ms, bodyHash: row.body_hash, effectId: row.effect_id, reply };
  }

  put(name: KeyName, kept: RememberedKey): void {
    const reply = JSON.stringify(kept.reply);
    this.#put.run(name.operation, name.scope, name.key, kept.atMs, kept.bodyHash, kept.effectId, reply);
  }

  forget(key: string | undefined): void {
    if (key === undefined) this.#forgetAll.run();
    else this.#forget.run(key);
  }
}
