import { accessSync, constants, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { base58 } from '@scure/base';
import { makeFolder } from '../../machine/disk.ts';
import { createPrivate, whileLocked } from '../../machine/fileLock.ts';
import { decodeTransaction, type Loaded, lookupTableProgram, tokenProgram } from '../solana.ts';

export type Database = InstanceType<typeof DatabaseSync>;

/** How long a request waits for other processes' transactions. */
export const lockWaitMs = 15_000;

/** Which transactions name an address (each transaction has a slot of its own), and when the slot clock started. */
const secondVersion = `
  CREATE TABLE touches (
    address TEXT NOT NULL,
    slot INTEGER NOT NULL,
    PRIMARY KEY (address, slot)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO facts (name, value) VALUES ('slot_at_ms', CAST(unixepoch() * 1000 AS TEXT));
  CREATE INDEX token_accounts_by_owner ON accounts (substr(data, 33, 32)) WHERE owner = '${tokenProgram}';
`;

const schema = `
  CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  CREATE TABLE conversations (id TEXT PRIMARY KEY) STRICT;
  CREATE TABLE assets (symbol TEXT PRIMARY KEY, mint TEXT NOT NULL, decimals INTEGER NOT NULL) STRICT;
  CREATE TABLE accounts (
    address TEXT PRIMARY KEY,
    lamports TEXT NOT NULL,
    owner TEXT NOT NULL,
    data BLOB
  ) STRICT;
  CREATE TABLE transactions (
    signature TEXT PRIMARY KEY,
    slot INTEGER NOT NULL,
    block_time INTEGER NOT NULL,
    wire BLOB NOT NULL,
    meta TEXT NOT NULL
  ) STRICT;
  CREATE INDEX transactions_by_slot ON transactions (slot);
  CREATE TABLE effects (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    token TEXT NOT NULL,
    key TEXT,
    at_ms INTEGER NOT NULL,
    request TEXT NOT NULL,
    signature TEXT
  ) STRICT;
  CREATE INDEX effects_by_key ON effects (key);
  CREATE TABLE keys (
    operation TEXT NOT NULL,
    scope TEXT NOT NULL,
    key TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    body_hash TEXT NOT NULL,
    effect_id TEXT NOT NULL,
    reply TEXT NOT NULL,
    PRIMARY KEY (operation, scope, key)
  ) STRICT;
  CREATE TABLE buckets (name TEXT PRIMARY KEY, level REAL NOT NULL, at_ms INTEGER NOT NULL) STRICT;
  CREATE TABLE faults (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    spec TEXT NOT NULL,
    remaining INTEGER NOT NULL
  ) STRICT;
`;

/** Opens the data folder's database. `fill` runs once, in the transaction that creates the tables. */
export function openDatabase(dataDir: string, waitMs: number, fill: (db: Database) => void): Database {
  makeFolder(dataDir);
  const file = join(dataDir, 'sandbox.db');
  refuseForeign(file);
  // An existing file keeps its mode.
  createPrivate(file);
  accessSync(file, constants.W_OK);
  const db = new DatabaseSync(file, { timeout: waitMs });
  try {
    keepLog(db, file, waitMs);
    setDurable(db);
    inTransaction(db, () => {
      const version = versionOf(db);
      if (version === 2) return;
      if (version === 1) {
        addTouches(db);
        return;
      }
      if (version !== 0) throw new Error(`${file} was written by a newer botctl`);
      if (hasTables(db)) throw new Error(`${file} is a database of another program`);
      db.exec(schema + secondVersion);
      fill(db);
      db.exec('PRAGMA user_version = 2');
    });
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Folders of the first version did not store which transactions name an address. */
function addTouches(db: Database): void {
  db.exec(secondVersion);
  const touch = db.prepare('INSERT INTO touches (address, slot) VALUES (?, ?)');
  const rows = db.prepare('SELECT slot, wire FROM transactions').iterate() as Iterable<{
    slot: number;
    wire: Uint8Array;
  }>;
  for (const { slot, wire } of rows) {
    for (const address of decodeTransaction(wire).message.accounts) touch.run(address, slot);
  }
  db.exec('PRAGMA user_version = 2');
}

function refuseForeign(file: string): void {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats === undefined || stats.isFile()) return;
  throw new Error(`${file} is not a regular file, and was left unchanged`);
}

function hasTables(db: Database): boolean {
  return db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() !== undefined;
}

function journalModeOf(db: Database): string {
  return (db.prepare('PRAGMA journal_mode').get() as { journal_mode: string }).journal_mode;
}

/** Two processes that change the journal mode at once do not wait for each other: SQLite refuses one of them. */
function keepLog(db: Database, file: string, waitMs: number): void {
  if (journalModeOf(db) === 'wal') return;
  const stillBeingMade = (): Error =>
    new Error(`${file} is being made by another process that does not finish`);
  whileLocked(`${file}.setup`, waitMs, stillBeingMade, () => db.exec('PRAGMA journal_mode = WAL'));
}

/** Some builds default to NORMAL, which loses commits on a power failure. Sets FULL, then checks. */
function setDurable(db: Database): void {
  db.exec('PRAGMA synchronous = FULL');
  const row = db.prepare('PRAGMA synchronous').get() as { synchronous: number };
  if (row.synchronous !== 2) throw new Error('SQLite does not accept synchronous=FULL here');
}

function versionOf(db: Database): number {
  return (db.prepare('PRAGMA user_version').get() as { user_version: number }).user_version;
}

export function inTransaction<T>(db: Database, work: () => T): T {
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

/** Moves the log into the one file, unless other processes use it or the disk is full: the log then keeps it all. */
export function closeDatabase(db: Database): void {
  try {
    db.exec('PRAGMA busy_timeout = 0');
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // The next process to open it reads the log. Nothing is lost, and a failed cleanup must not hide an outcome.
  } finally {
    db.close();
  }
}

const sqliteBusy = 5;

/** Other processes kept the folder locked for longer than this one waits. Nothing was done. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy;
}

export type Account = { address: string; lamports: bigint; owner: string; data: Uint8Array };
export type Asset = { symbol: string; mint: string; decimals: number };

type AccountRow = { lamports: string; owner: string; data: Uint8Array | null };

/** Every account of the chain. Lamports are TEXT, because a u64 is wider than an SQLite integer. */
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
    // Repeats the index's expression literally: with a bound parameter SQLite would not use the index.
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
    const row = this.#get.get(address) as AccountRow | undefined;
    return row === undefined ? undefined : toAccount({ address, ...row });
  }

  /** All token accounts of one owner, for all mints. */
  tokenAccountsOf(owner: string): Account[] {
    const rows = this.#tokenAccounts.all(base58.decode(owner)) as (AccountRow & { address: string })[];
    return rows.map(toAccount);
  }

  /** An account without lamports does not exist on Solana, nor here. */
  put(account: Account): void {
    if (account.lamports === 0n) {
      this.#remove.run(account.address);
      return;
    }
    // A zero-length BLOB would be bound as NULL anyway, so this is explicit.
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

function toAccount({ address, lamports, owner, data }: AccountRow & { address: string }): Account {
  return { address, lamports: BigInt(lamports), owner, data: data ?? new Uint8Array(0) };
}

export type TokenBalance = {
  accountIndex: number;
  mint: string;
  owner: string;
  amount: string;
  decimals: number;
};

/** The calls that an instruction caused: `index` is its position in the transaction. */
export type InnerInstructions = {
  index: number;
  instructions: { programIndex: number; accounts: number[]; data: string; stackHeight: number }[];
};

/** The result of an execution. A u64 is stored as text. */
export type TransactionMeta = {
  fee: string;
  preBalances: string[];
  postBalances: string[];
  preTokenBalances: TokenBalance[];
  postTokenBalances: TokenBalance[];
  logs: string[];
  computeUnits: string;
  inner: InnerInstructions[];
  /** The accounts that the message's lookups resolve to. */
  loaded: Loaded;
};

export type StoredTransaction = {
  signature: string;
  slot: number;
  blockTimeS: number;
  wire: Uint8Array;
  meta: TransactionMeta;
};

type TransactionRow = { slot: number; block_time: number; wire: Uint8Array; meta: string };

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

  /** `addresses` are the accounts that it names, for searches by address. */
  put(transaction: StoredTransaction, addresses: Iterable<string>): void {
    const { signature, slot, blockTimeS, wire, meta } = transaction;
    this.#put.run(signature, slot, blockTimeS, wire, JSON.stringify(meta));
    for (const address of addresses) this.#touch.run(address, slot);
  }

  get(signature: string): StoredTransaction | undefined {
    const row = this.#get.get(signature) as TransactionRow | undefined;
    return row === undefined ? undefined : { signature, ...stored(row) };
  }

  latestSignature(): string | undefined {
    return (this.#latest.get() as { signature: string } | undefined)?.signature;
  }

  /** The transactions that name an address, newest first, read one at a time. */
  *touching(address: string, slots: { before: number; until: number }): Iterable<StoredTransaction> {
    const rows = this.#touching.iterate({ address, ...slots }) as Iterable<
      TransactionRow & { signature: string }
    >;
    for (const row of rows) yield { signature: row.signature, ...stored(row) };
  }

  /** The first transaction after a slot that names an address. */
  firstTouching(address: string, after: number): StoredTransaction | undefined {
    const row = this.#firstTouching.get(address, after) as
      | (TransactionRow & { signature: string })
      | undefined;
    return row === undefined ? undefined : { signature: row.signature, ...stored(row) };
  }

  /** The transactions after one slot and up to another, oldest first. */
  between(after: number, upTo: number): StoredTransaction[] {
    const rows = this.#between.all(after, upTo) as (TransactionRow & { signature: string })[];
    return rows.map((row) => ({ signature: row.signature, ...stored(row) }));
  }

  count(): number {
    return (this.#count.get() as { count: number }).count;
  }

  feesLamports(): bigint {
    return BigInt((this.#fees.get() as { fees: number }).fees);
  }
}

function stored({
  slot,
  block_time: blockTimeS,
  wire,
  meta,
}: TransactionRow): Omit<StoredTransaction, 'signature'> {
  return { slot, blockTimeS, wire, meta: { ...beforeInner, ...(JSON.parse(meta) as TransactionMeta) } };
}

/** Fields that transactions stored by the first version lack. */
const beforeInner = { inner: [], loaded: { writable: [], readonly: [] } };

// The lookup table program's layout: a header of 56 bytes, then the addresses.

const ownBytes = 56;
const addressBytes = 32;

/** A frozen table with these addresses. */
export function lookupTable(address: string, addresses: string[], slot: number): Omit<Account, 'lamports'> {
  const head = Buffer.alloc(ownBytes);
  head.writeUInt32LE(1, 0);
  head.writeBigUInt64LE(2n ** 64n - 1n, 4);
  head.writeBigUInt64LE(BigInt(slot), 12);
  const data = Buffer.concat([head, ...addresses.map((entry) => base58.decode(entry))]);
  return { address, owner: lookupTableProgram, data };
}

/** A table's contents as a node shows them. It is frozen, so it has no authority. */
export function readLookupTable(data: Uint8Array): object {
  const bytes = Buffer.from(data);
  const addresses: string[] = [];
  for (let at = ownBytes; at < bytes.length; at += addressBytes)
    addresses.push(base58.encode(bytes.subarray(at, at + addressBytes)));
  return {
    deactivationSlot: bytes.readBigUInt64LE(4).toString(),
    lastExtendedSlot: bytes.readBigUInt64LE(12).toString(),
    lastExtendedSlotStartIndex: bytes.readUInt8(20),
    addresses,
  };
}
