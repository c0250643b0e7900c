import type { Fault } from '../faults.ts';
import type { Database } from './database.ts';

type QueuedFault = { id: number; remaining: number; fault: Fault };

export class FaultStore {
  readonly #list;
  readonly #add;
  readonly #use;
  readonly #dropUsed;
  readonly #clear;

  constructor(db: Database) {
    this.#list = db.prepare('SELECT id, spec, remaining FROM faults ORDER BY id');
    this.#add = db.prepare('INSERT INTO faults (spec, remaining) VALUES (?, ?)');
    this.#use = db.prepare('UPDATE faults SET remaining = remaining - 1 WHERE id = ?');
    this.#dropUsed = db.prepare('DELETE FROM faults WHERE remaining <= 0');
    this.#clear = db.prepare('DELETE FROM faults');
  }

  list(): QueuedFault[] {
    const rows = this.#list.all() as { id: number; spec: string; remaining: number }[];
    return rows.map(({ id, spec, remaining }) => ({ id, remaining, fault: JSON.parse(spec) as Fault }));
  }

  add(fault: Fault, times: number): void {
    this.#add.run(JSON.stringify(fault), times);
  }

  use(id: number): void {
    this.#use.run(id);
    this.#dropUsed.run();
  }

  clear(): void {
    this.#clear.run();
  }
}
