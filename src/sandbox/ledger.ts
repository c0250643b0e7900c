import { AccountStore } from './store/accounts.ts';
import { BucketStore } from './store/buckets.ts';
import { ConversationStore } from './store/conversations.ts';
import { closeDatabase, type Database, inTransaction } from './store/database.ts';
import { EffectStore } from './store/effects.ts';
import { FactStore } from './store/facts.ts';
import { FaultStore } from './store/faults.ts';
import { KeyStore } from './store/keys.ts';
import { SettingsStore } from './store/settings.ts';
import { TransactionStore } from './store/transactions.ts';

/** All the sandbox knows, in the data folder's one database. Nothing of it is kept in memory. */
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

  /** Nothing may wait inside `work`: what it does is one transaction, alone among all processes. */
  atomically<T>(work: () => T): T {
    return inTransaction(this.#db, work);
  }

  /** The chain, the effects and the keys; what stays is who the bot is, and what is never given twice. */
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
