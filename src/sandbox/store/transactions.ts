import type { Loaded } from '../solana/message.ts';
import type { Database } from './database.ts';

export type TokenBalance = {
  accountIndex: number;
  mint: string;
  owner: string;
  amount: string;
  decimals: number;
};

/** What an instruction made programs call: `index` is its place in the transaction. */
export type InnerInstructions = {
  index: number;
  instructions: { programIndex: number; accounts: number[]; data: string; stackHeight: number }[];
};

/** What executing did: u64 as text. */
export type TransactionMeta = {
  fee: string;
  preBalances: string[];
  postBalances: string[];
  preTokenBalances: TokenBalance[];
  postTokenBalances: TokenBalance[];
  logs: string[];
  computeUnits: string;
  inner: InnerInstructions[];
  /** What the lookups of its message stand for. */
  loaded: Loaded;
};

export type StoredTransaction = {
  signature: string;
  slot: number;
  blockTimeS: number;
  wire: Uint8Array;
  meta: TransactionMeta;
};

type Row = { slot: number; block_time: number; wire: Uint8Array; meta: string };

export class TransactionStore {
  readonly #put;
  readonly #get;
  readonly #latest;
  readonly #touch;
  readonly #touching;
  readonly #firstTouching;
  readonly #between;
  readonly #count;
  readonly #fees;

  constructor(db: Database) {
    this.#put = db.prepare(
      'INSERT INTO transactions (signature, slot, block_time, wire, meta) VALUES (?, ?, ?, ?, ?)',
    );
    this.#get = db.prepare('SELECT slot, block_time, wire, meta FROM transactions WHERE signature = ?');
    this.#latest = db.prepare('SELECT signature FROM transactions ORDER BY slot DESC LIMIT 1');
    this.#touch = db.prepare('INSERT INTO touches (address, slot) VALUES (?, ?)');
    this.#touching = db.prepare(
      `SELECT t.signature, t.slot, t.block_time, t.wire, t.meta FROM touches JOIN transactions AS t USING (slot)
       WHERE touches.address = :address AND slot < :before AND slot > :until ORDER BY slot DESC`,
    );
    this.#firstTouching = db.prepare(
      `SELECT t.signature, t.slot, t.block_time, t.wire, t.meta FROM touches JOIN transactions AS t USING (slot)
       WHERE touches.address = ? AND slot > ? ORDER BY slot LIMIT 1`,
    );
    this.#between = db.prepare(
      `SELECT signature, slot, block_time, wire, meta FROM transactions
       WHERE slot > ? AND slot <= ? ORDER BY slot`,
    );
    this.#count = db.prepare('SELECT count(*) AS count FROM transactions');
    this.#fees = db.prepare("SELECT coalesce(sum(json_extract(meta, '$.fee')), 0) AS fees FROM transactions");
  }

  /** `addresses`: the accounts that it names, for those who ask by one of them. */
  put(transaction: StoredTransaction, addresses: Iterable<string>): void {
    const { signature, slot, blockTimeS, wire, meta } = transaction;
    this.#put.run(signature, slot, blockTimeS, wire, JSON.stringify(meta));
    for (const address of addresses) this.#touch.run(address, slot);
  }

  get(signature: string): StoredTransaction | undefined {
    const row = this.#get.get(signature) as Row | undefined;
    return row === undefined ? undefined : { signature, ...stored(row) };
  }

  latestSignature(): string | undefined {
    return (this.#latest.get() as { signature: string } | undefined)?.signature;
  }

  /** Those that name an address, newest first, read as they are taken. */
  *touching(address: string, slots: { before: number; until: number }): Iterable<StoredTransaction> {
    const rows = this.#touching.iterate({ address, ...slots }) as Iterable<Row & { signature: string }>;
    for (const row of rows) yield { signature: row.signature, ...stored(row) };
  }

  /** The first that names an address after a slot. */
  firstTouching(address: string, after: number): StoredTransaction | undefined {
    const row = this.#firstTouching.get(address, after) as (Row & { signature: string }) | undefined;
    return row === undefined ? undefined : { signature: row.signature, ...stored(row) };
  }

  /** Those of the slots after one, up to another, oldest first. */
  between(after: number, upTo: number): StoredTransaction[] {
    const rows = this.#between.all(after, upTo) as (Row & { signature: string })[];
    return rows.map((row) => ({ signature: row.signature, ...stored(row) }));
  }

  count(): number {
    return (this.#count.get() as { count: number }).count;
  }

  feesLamports(): bigint {
    return BigInt((this.#fees.get() as { fees: number }).fees);
  }
}

function stored({ slot, block_time: blockTimeS, wire, meta }: Row): Omit<StoredTransaction, 'signature'> {
  return { slot, blockTimeS, wire, meta: { ...beforeInner, ...(JSON.parse(meta) as TransactionMeta) } };
}

/** What those kept by the first version do not say. */
const beforeInner = { inner: [], loaded: { writable: [], readonly: [] } };
