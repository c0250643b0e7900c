import type { Fault, Operation } from '../faults.ts';
import { AccountStore, closeDatabase, type Database, inTransaction, TransactionStore } from './database.ts';

/** The sandbox's whole state, in the data folder's one database. Nothing is kept in memory. */
export class Ledger {
  readonly accounts: AccountStore;
  readonly buckets: BucketStore;
  readonly conversations: ConversationStore;
  readonly effects: EffectStore;
  readonly facts: FactStore;
  readonly faults: FaultStore;
  readonly keys: KeyStore;
  readonly settings: SettingsStore;
  readonly transactions: TransactionStore;
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
    this.accounts = new AccountStore(db);
    this.buckets = new BucketStore(db);
    this.conversations = new ConversationStore(db);
    this.effects = new EffectStore(db);
    this.facts = new FactStore(db);
    this.faults = new FaultStore(db);
    this.keys = new KeyStore(db);
    this.settings = new SettingsStore(db);
    this.transactions = new TransactionStore(db);
  }

  /** Runs `work` as one transaction that excludes all other processes. `work` must not wait for anything. */
  atomically<T>(work: () => T): T {
    return inTransaction(this.#db, work);
  }

  /** Forgets the chain, the effects and the keys. The bot's identity, and numbers that must never repeat, stay. */
  forgetAll(): void {
    this.#db.exec(`
      DELETE FROM accounts; DELETE FROM assets; DELETE FROM transactions; DELETE FROM touches;
      DELETE FROM effects;
    `);
    this.keys.forget(undefined);
    this.buckets.clear();
    this.faults.clear();
    this.settings.clear();
    this.conversations.clear();
  }

  close(): void {
    closeDatabase(this.#db);
  }
}

/** Settings made through the control interface: a name and JSON. */
class SettingsStore {
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

/** The reply to a key's first request, verbatim. */
export type KeptReply = { status: number; contentType: string; body: string };

export type RememberedKey = { atMs: number; bodyHash: string; effectId: string; reply: KeptReply };

export type KeyName = { operation: Operation; scope: string; key: string };

type KeyRow = { at_ms: number; body_hash: string; effect_id: string; reply: string };

class KeyStore {
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
    const row = this.#get.get(name.operation, name.scope, name.key) as KeyRow | undefined;
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

class ConversationStore {
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

type EffectRow = Omit<Effect, 'atMs'> & { at_ms: number };

/** Everything that ever took effect. */
class EffectStore {
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

  /** Never repeats, even after a reset. Valid only in the transaction that then stores it. */
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
    }) as EffectRow[];
    return rows.map(toEffect);
  }

  latest(limit: number): Effect[] {
    return (this.#latest.all(limit) as EffectRow[]).map(toEffect);
  }

  count(kind: Operation): number {
    return (this.#count.get(kind) as { count: number }).count;
  }
}

function toEffect({ at_ms, ...rest }: EffectRow): Effect {
  return { ...rest, atMs: at_ms };
}

class BucketStore {
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

/** A token bucket: `capacity` requests at once, refilled at `per_second`. */
export type RateLimit = { capacity: number; per_second: number };
type Bucket = { level: number; atMs: number };

type Taken = { allowed: true; bucket: Bucket } | { allowed: false; bucket: Bucket; waitMs: number };

export function takeOne(limit: RateLimit, bucket: Bucket | undefined, nowMs: number): Taken {
  const { level, atMs } = bucket ?? { level: limit.capacity, atMs: nowMs };
  // A clock that was set back refills nothing.
  const refilled = (Math.max(0, nowMs - atMs) / 1000) * limit.per_second;
  const full = Math.min(limit.capacity, level + refilled);
  if (full >= 1) return { allowed: true, bucket: { level: full - 1, atMs: nowMs } };
  const waitMs = limit.per_second > 0 ? ((1 - full) / limit.per_second) * 1000 : 3_600_000;
  return { allowed: false, bucket: { level: full, atMs: nowMs }, waitMs };
}

/** What a data folder gets at creation (its secret), and counters that only grow (money made, random faults used). */
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

  /** Adds to a counter and returns its old value. */
  count(name: string, add: bigint): bigint {
    const before = BigInt(this.get(name) ?? '0');
    this.put(name, (before + add).toString());
    return before;
  }
}

type QueuedFault = { id: number; remaining: number; fault: Fault };

class FaultStore {
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
