import type { Database } from './database.ts';

export class ConversationStore {
  readonly #has;
  readonly #add;
  readonly #list;
  readonly #clear;

  constructor(db: Database) {
    this.#has = db.prepare('SELECT 1 AS found FROM conversations WHERE id = ?');
    this.#add = db.prepare('INSERT INTO conversations (id) VALUES (?) ON CONFLICT DO NOTHING');
    this.#list = db.prepare('SELECT id FROM conversations ORDER BY rowid');
    this.#clear = db.prepare('DELETE FROM conversations');
  }

  has(id: string): boolean {
    return this.#has.get(id) !== undefined;
  }

  add(id: string): void {
    this.#add.run(id);
  }

  list(): string[] {
    return (this.#list.all() as { id: string }[]).map((row) => row.id);
  }

  clear(): void {
    this.#clear.run();
  }
}
