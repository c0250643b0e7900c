import { base58 } from '@scure/base';
import { tokenProgram } from '../solana/address.ts';
import type { Database } from './database.ts';

export type Account = { address: string; lamports: bigint; owner: string; data: Uint8Array };
export type Asset = { symbol: string; mint: string; decimals: number };

type Row = { lamports: string; owner: string; data: Uint8Array | null };

/** Every account of the chain. Lamports are u64, wider than an SQLite integer: TEXT. */
export class AccountStore {
  readonly #get;
  readonly #put;
  readonly #remove;
  readonly #lamports;
  readonly #owned;
  readonly #tokenAccounts;
  readonly #asset;
  readonly #assetByMint;
  readonly #assets;
  readonly #putAsset;

  constructor(db: Database) {
    this.#get = db.prepare('SELECT lamports, owner, data FROM accounts WHERE address = ?');
    this.#put = db.prepare(
      `INSERT INTO accounts (address, lamports, owner, data) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET lamports = excluded.lamports, owner = excluded.owner, data = excluded.data`,
    );
    this.#remove = db.prepare('DELETE FROM accounts WHERE address = ?');
    this.#lamports = db.prepare('SELECT lamports FROM accounts');
    this.#owned = db.prepare('SELECT data FROM accounts WHERE owner = ?');
    // In the words of the index: a bound parameter would miss it.
    this.#tokenAccounts = db.prepare(
      `SELECT address, lamports, owner, data FROM accounts
       WHERE owner = '${tokenProgram}' AND substr(data, 33, 32) = ? AND length(data) = 165 ORDER BY address`,
    );
    this.#asset = db.prepare('SELECT symbol, mint, decimals FROM assets WHERE symbol = ?');
    this.#assetByMint = db.prepare('SELECT symbol, mint, decimals FROM assets WHERE mint = ?');
    this.#assets = db.prepare('SELECT symbol, mint, decimals FROM assets ORDER BY rowid');
    this.#putAsset = db.prepare('INSERT INTO assets (symbol, mint, decimals) VALUES (?, ?, ?)');
  }

  get(address: string): Account | undefined {
    const row = this.#get.get(address) as Row | undefined;
    return row === undefined ? undefined : toAccount({ address, ...row });
  }

  /** The token accounts that one owner has, of all mints. */
  tokenAccountsOf(owner: string): Account[] {
    const rows = this.#tokenAccounts.all(base58.decode(owner)) as (Row & { address: string })[];
    return rows.map(toAccount);
  }

  /** An account without lamports does not exist on Solana, nor here. */
  put(account: Account): void {
    if (account.lamports === 0n) {
      this.#remove.run(account.address);
      return;
    }
    // A zero-length BLOB binds as NULL anyway; say so.
    const data = account.data.length === 0 ? null : account.data;
    this.#put.run(account.address, account.lamports.toString(), account.owner, data);
  }

  totalLamports(): bigint {
    let total = 0n;
    for (const row of this.#lamports.iterate() as Iterable<{ lamports: string }>)
      total += BigInt(row.lamports);
    return total;
  }

  *dataOwnedBy(program: string): Iterable<Uint8Array> {
    for (const row of this.#owned.iterate(program) as Iterable<{ data: Uint8Array | null }>) {
      yield row.data ?? new Uint8Array(0);
    }
  }

  asset(name: string): Asset | undefined {
    return (this.#asset.get(name) ?? this.#assetByMint.get(name)) as Asset | undefined;
  }

  assets(): Asset[] {
    return this.#assets.all() as Asset[];
  }

  putAsset(asset: Asset): void {
    this.#putAsset.run(asset.symbol, asset.mint, asset.decimals);
  }
}

function toAccount({ address, lamports, owner, data }: Row & { address: string }): Account {
  return { address, lamports: BigInt(lamports), owner, data: data ?? new Uint8Array(0) };
}
