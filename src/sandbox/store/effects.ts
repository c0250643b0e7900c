import type { Operation } from '../operation.ts';
import type { Database } from './database.ts';

export type Effect = {
  seq: number;
  kind: Operation;
  id: string;
  token: string;
  key: string | null;
  atMs: number;
  request: string;
  signature: string | null;
};

export type EffectFilter = { kind?: string; key?: string; afterSeq?: number; limit?: number };

type Row = Omit<Effect, 'atMs'> & { at_ms: number };

/** The ledger: all that ever took effect. */
export class EffectStore {
  readonly #next;
  readonly #put;
  readonly #list;
  readonly #latest;
  readonly #count;

  constructor(db: Database) {
    this.#next = db.prepare(
      "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'effects'), 0) + 1 AS seq",
    );
    this.#put = db.prepare(
      'INSERT INTO effects (kind, id, token, key, at_ms, request, signature) VALUES (?, ?, ?, ?, ?, ?, ?)',
    );
    this.#list = db.prepare(
      `SELECT seq, kind, id, token, key, at_ms, request, signature FROM effects
       WHERE seq > :afterSeq AND (:kind IS NULL OR kind = :kind) AND (:key IS NULL OR key = :key)
       ORDER BY seq LIMIT :limit`,
    );
    this.#latest = db.prepare(
      'SELECT seq, kind, id, token, key, at_ms, request, signature FROM effects ORDER BY seq DESC LIMIT ?',
    );
    this.#count = db.prepare('SELECT count(*) AS count FROM effects WHERE kind = ?');
  }

  /** Never given twice, also after a reset. Only true inside the transaction that then puts it. */
  nextSeq(): number {
    return (this.#next.get() as { seq: number }).seq;
  }

  put(effect: Omit<Effect, 'seq'>): void {
    const { kind, id, token, key, atMs, request, signature } = effect;
    this.#put.run(kind, id, token, key, atMs, request, signature);
  }

  list(filter: EffectFilter): Effect[] {
    const rows = this.#list.all({
      afterSeq: filter.afterSeq ?? 0,
      kind: filter.kind ?? null,
      key: filter.key ?? null,
      limit: filter.limit ?? -1,
    }) as Row[];
    return rows.map(toEffect);
  }

  latest(limit: number): Effect[] {
    return (this.#latest.all(limit) as Row[]).map(toEffect);
  }

  count(kind: Operation): number {
    return (this.#count.get(kind) as { count: number }).count;
  }
}

function toEffect({ at_ms, ...rest }: Row): Effect {
  return { ...rest, atMs: at_ms };
}
