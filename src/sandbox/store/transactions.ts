import type { Database } from './database.ts';

export type TokenBalance = {
  accountIndex: number;
  mint: string;
  owner: string;
  amount: string;
  decimals: number;
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
  readonly #count;
  readonly #fees;

  constructor(db: Database) {
    this.#put = db.prepare(
      'INSERT INTO transactions (signature, slot, block_time, wire, meta) VALUES (?, ?, ?, ?, ?)',
    );
    this.#get = db.prepare('SELECT slot, block_time, wire, meta FROM transactions WHERE signature = ?');
    this.#count = db.prepare('SELECT count(*) AS count FROM transactions');
    this.#fees = db.prepare("SELECT coalesce(sum(json_extract(meta, '$.fee')), 0) AS fees FROM transactions");
  }

  put(transaction: StoredTransaction): void {
    const { signature, slot, blockTimeS, wire, meta } = transaction;
    this.#put.run(signature, slot, blockTimeS, wire, JSON.stringify(meta));
  }

  get(signature: string): StoredTransaction | undefined {
    const row = this.#get.get(signature) as Row | undefined;
    if (row === undefined) return undefined;
    const meta = JSON.parse(row.meta) as TransactionMeta;
    return { signature, slot: row.slot, blockTimeS: row.block_time, wire: row.wire, meta };
  }

  count(): number {
    return (this.#count.get() as { count: number }).count;
  }

  feesLamports(): bigint {
    return BigInt((this.#fees.get() as { fees: number }).fees);
  }
}
