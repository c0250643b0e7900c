import { closeDatabase, type Database, inTransaction } from './database.ts';
import { type Fault, isFor, type Met, type Operation } from './faults.ts';

export type Account = { address: string; lamports: bigint; owner: string; data: Uint8Array };

/** A u64 is stored as text. */
export type TokenBalance = {
  accountIndex: number;
  mint: string;
  owner: string;
  amount: string;
  decimals: number;
};

/** A transaction's content and its changes. */
export type Made = {
  /** The payer, then the other writable accounts, then the readonly ones. */
  accounts: string[];
  writable: number;
  blockhash: string;
  instructions: { program: string; accounts: string[]; data: string }[];
  preBalances: string[];
  postBalances: string[];
  preTokenBalances: TokenBalance[];
  postTokenBalances: TokenBalance[];
};

export type StoredTransaction = {
  slot: number;
  signature: string;
  blockTimeS: number;
  fee: number;
  made: Made;
};

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

/** The reply to a key's first request, verbatim. */
export type KeptReply = { status: number; contentType: string; body: string };

export type RememberedKey = { atMs: number; bodyHash: string; effectId: string; reply: KeptReply };

type KeyName = { operation: Operation; scope: string; key: string };

/** A token bucket: `capacity` requests at once, refilled at `per_second`. */
export type RateLimit = { capacity: number; per_second: number };

type Bucket = { level: number; atMs: number };
type QueuedFault = { id: number; remaining: number; fault: Fault };
type Statement = ReturnType<Database['prepare']>;
type Value = Parameters<Statement['run']>[number];

const effectColumns = 'seq, kind, id, token, key, at_ms AS atMs, request, signature';
const transactionColumns = 't.slot, signature, block_time AS blockTimeS, fee, made';

/** The sandbox's whole state, in one database in the data folder. Nothing is kept in memory. */
export class Ledger {
  readonly #db: Database;
  readonly #statements = new Map<string, Statement>();

  constructor(db: Database) {
    this.#db = db;
  }

  #prepared(sql: string): Statement {
    const statement = this.#statements.get(sql) ?? this.#db.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #run(sql: string, ...values: Value[]): void {
    this.#prepared(sql).run(...values);
  }

  #get<Row>(sql: string, ...values: Value[]): Row | undefined {
    return this.#prepared(sql).get(...values) as Row | undefined;
  }

  #all<Row>(sql: string, ...values: Value[]): Row[] {
    return this.#prepared(sql).all(...values) as Row[];
  }

  /** Runs `work` as one transaction that excludes all other processes. `work` must not wait for anything. */
  atomically<T>(work: () => T): T {
    return inTransaction(this.#db, work);
  }

  /** Forgets the chain, the effects and the keys, but not the bot's identity or the numbers that must never repeat. */
  forgetAll(): void {
    this.#db.exec(`
      DELETE FROM accounts; DELETE FROM transactions; DELETE FROM touches; DELETE FROM effects; DELETE FROM keys;
      DELETE FROM buckets; DELETE FROM faults; DELETE FROM conversations;
      DELETE FROM facts WHERE name = 'readings';
    `);
  }

  close(): void {
    closeDatabase(this.#db);
  }

  /** The folder's secret, its readings, and numbers that only grow. */
  fact(name: string): string | undefined {
    return this.#get<{ value: string }>('SELECT value FROM facts WHERE name = ?', name)?.value;
  }

  putFact(name: string, value: string): void {
    this.#run('INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)', name, value);
  }

  hasConversation(id: string): boolean {
    return this.#get('SELECT 1 FROM conversations WHERE id = ?', id) !== undefined;
  }

  addConversation(id: string): void {
    this.#run('INSERT OR IGNORE INTO conversations (id) VALUES (?)', id);
  }

  conversations(): string[] {
    return this.#all<{ id: string }>('SELECT id FROM conversations ORDER BY rowid').map(({ id }) => id);
  }

  account(address: string): Account | undefined {
    return this.#accounts('address = ?', address)[0];
  }

  allTokenAccounts(): Account[] {
    return this.#accounts('length(data) = ?', 165);
  }

  #accounts(where: string, value: Value): Account[] {
    const sql = `SELECT address, lamports, owner, data FROM accounts WHERE ${where} ORDER BY address`;
    return this.#all<{ address: string; lamports: string; owner: string; data: Uint8Array | null }>(
      sql,
      value,
    ).map((row) => ({ ...row, lamports: BigInt(row.lamports), data: row.data ?? new Uint8Array(0) }));
  }

  /** An account without lamports does not exist on Solana, nor here. */
  putAccount({ address, lamports, owner, data }: Account): void {
    if (lamports === 0n) {
      this.#run('DELETE FROM accounts WHERE address = ?', address);
      return;
    }
    // Explicit, because a zero-length BLOB would be bound as NULL anyway.
    const bytes = data.length === 0 ? null : data;
    const sql = 'INSERT OR REPLACE INTO accounts (address, lamports, owner, data) VALUES (?, ?, ?, ?)';
    this.#run(sql, address, lamports.toString(), owner, bytes);
  }

  totalLamports(): bigint {
    const rows = this.#all<{ lamports: string }>('SELECT lamports FROM accounts');
    return rows.reduce((total, { lamports }) => total + BigInt(lamports), 0n);
  }

  /** `addresses` are the accounts that it names, for searches by address. */
  putTransaction(transaction: StoredTransaction, addresses: Iterable<string>): void {
    const { slot, signature, blockTimeS, fee, made } = transaction;
    const sql = 'INSERT INTO transactions (slot, signature, block_time, fee, made) VALUES (?, ?, ?, ?, ?)';
    this.#run(sql, slot, signature, blockTimeS, fee, JSON.stringify(made));
    for (const address of addresses)
      this.#run('INSERT INTO touches (address, slot) VALUES (?, ?)', address, slot);
  }

  transaction(signature: string): StoredTransaction | undefined {
    return this.#transactions('WHERE signature = ?', signature)[0];
  }

  latestTransaction(): StoredTransaction | undefined {
    return this.#transactions('ORDER BY slot DESC LIMIT 1')[0];
  }

  transactionIn(slot: number): StoredTransaction | undefined {
    return this.#transactions('WHERE slot = ?', slot)[0];
  }

  /** The transactions in these slots that name an address, newest first. */
  transactionsOf(address: string, before: number, upTo: number, limit: number): StoredTransaction[] {
    return this.#transactions(
      `JOIN touches USING (slot) WHERE touches.address = ? AND t.slot < ? AND t.slot <= ?
       ORDER BY t.slot DESC LIMIT ?`,
      ...[address, before, upTo, limit],
    );
  }

  #transactions(which: string, ...values: Value[]): StoredTransaction[] {
    const sql = `SELECT ${transactionColumns} FROM transactions AS t ${which}`;
    return this.#all<Omit<StoredTransaction, 'made'> & { made: string }>(sql, ...values).map((row) => ({
      ...row,
      made: JSON.parse(row.made) as Made,
    }));
  }

  /** Never repeats, even after a reset. Valid only in the transaction that then stores it. */
  nextSeq(): number {
    const sql = "SELECT seq FROM sqlite_sequence WHERE name = 'effects'";
    return (this.#get<{ seq: number }>(sql)?.seq ?? 0) + 1;
  }

  putEffect({ kind, id, token, key, atMs, request, signature }: Omit<Effect, 'seq'>): void {
    this.#run(
      'INSERT INTO effects (kind, id, token, key, at_ms, request, signature) VALUES (?, ?, ?, ?, ?, ?, ?)',
      ...[kind, id, token, key, atMs, request, signature],
    );
  }

  /** What has taken effect since the last reset, in order. */
  effects(filter: { kind: string | null; key: string | null; afterSeq: number }): Effect[] {
    const { kind, key, afterSeq } = filter;
    return this.#all<Effect>(
      `SELECT ${effectColumns} FROM effects
       WHERE seq > ?1 AND (?2 IS NULL OR kind = ?2) AND (?3 IS NULL OR key = ?3) ORDER BY seq`,
      ...[afterSeq, kind, key],
    );
  }

  counts(): { messages: number; transfers: number; transactions: number; fees: number } {
    const counts = this.#get<ReturnType<Ledger['counts']>>(`
      SELECT count(*) FILTER (WHERE kind = 'message') AS messages,
        count(*) FILTER (WHERE kind = 'transfer') AS transfers,
        (SELECT count(*) FROM transactions) AS transactions,
        (SELECT coalesce(sum(fee), 0) FROM transactions) AS fees
      FROM effects`);
    return counts ?? { messages: 0, transfers: 0, transactions: 0, fees: 0 };
  }

  rememberedKey({ operation, scope, key }: KeyName): RememberedKey | undefined {
    const sql = 'SELECT kept FROM keys WHERE operation = ? AND scope = ? AND key = ?';
    const row = this.#get<{ kept: string }>(sql, operation, scope, key);
    return row === undefined ? undefined : (JSON.parse(row.kept) as RememberedKey);
  }

  rememberKey({ operation, scope, key }: KeyName, kept: RememberedKey): void {
    const sql = 'INSERT OR REPLACE INTO keys (operation, scope, key, kept) VALUES (?, ?, ?, ?)';
    this.#run(sql, operation, scope, key, JSON.stringify(kept));
  }

  forgetKeys(key: string | null): void {
    this.#run('DELETE FROM keys WHERE ?1 IS NULL OR key = ?1', key);
  }

  /** Takes one from a bucket; if the bucket is empty, says how long until one is available. */
  takeFrom(bucketName: string, limit: RateLimit, nowMs: number): number | undefined {
    const sql = 'SELECT level, at_ms AS atMs FROM buckets WHERE name = ?';
    const { level, atMs } = this.#get<Bucket>(sql, bucketName) ?? { level: limit.capacity, atMs: nowMs };
    // A clock that was set back refills nothing.
    const refilled = (Math.max(0, nowMs - atMs) / 1000) * limit.per_second;
    const full = Math.min(limit.capacity, level + refilled);
    const left = full >= 1 ? full - 1 : full;
    const put = 'INSERT OR REPLACE INTO buckets (name, level, at_ms) VALUES (?, ?, ?)';
    this.#run(put, bucketName, left, nowMs);
    if (full >= 1) return undefined;
    return limit.per_second > 0 ? ((1 - full) / limit.per_second) * 1000 : 3_600_000;
  }

  faults(): QueuedFault[] {
    const rows = this.#all<{ id: number; remaining: number; fault: string }>(
      'SELECT id, remaining, fault FROM faults ORDER BY id',
    );
    return rows.map((row) => ({ ...row, fault: JSON.parse(row.fault) as Fault }));
  }

  addFault(fault: Fault, times: number): void {
    this.#run('INSERT INTO faults (fault, remaining) VALUES (?, ?)', JSON.stringify(fault), times);
  }

  /** Faults apply in order: one that waits for another moment is not overtaken by a later one. */
  takeFault(met: Met): Fault | undefined {
    if (this.#get('SELECT 1 FROM faults LIMIT 1') === undefined) return undefined;
    return this.atomically(() => {
      const next = this.faults().find(({ fault }) => isFor(fault, met));
      if (next === undefined) return undefined;
      if ('unread' in met && met.unread !== (next.fault.when === 'unread')) return undefined;
      this.#run('UPDATE faults SET remaining = remaining - 1 WHERE id = ?', next.id);
      this.#run('DELETE FROM faults WHERE remaining <= 0');
      return next.fault;
    });
  }

  clearFaults(): void {
    this.#run('DELETE FROM faults');
  }
}
