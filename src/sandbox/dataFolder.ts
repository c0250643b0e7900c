import { randomBytes } from 'node:crypto';
import { deriveFrom } from './derived.ts';
import { Ledger } from './ledger.ts';
import { type Balance, balancesOf, fillFresh, giveTo, TooMuchError } from './money.ts';
import { type Database, lockWaitMs, openDatabase } from './store/database.ts';
import { FactStore } from './store/facts.ts';

type Funded = { kind: 'funded'; address: string; balances: Balance[] } | { kind: 'problem'; problem: string };

/** Opens a data folder; a new one gets its secret, from which all that lives in it follows. */
export function openLedger(
  dataDir: string,
  { seed, random = randomBytes, waitMs = lockWaitMs }: Opening = {},
): Ledger {
  return new Ledger(openDatabase(dataDir, waitMs, (fresh) => initialise(fresh, seed, random)));
}

type Opening = {
  seed?: string | number | undefined;
  random?: ((count: number) => Buffer) | undefined;
  waitMs?: number | undefined;
};

function initialise(
  db: Database,
  seed: string | number | undefined,
  random: (count: number) => Buffer,
): void {
  const secret = seed === undefined ? random(32).toString('hex') : `seed/${seed}`;
  new FactStore(db).put('secret', secret);
  const ledger = new Ledger(db);
  fillFresh(ledger, deriveFrom(secret));
}

/** A fresh folder with the same tokens and wallet, whichever processes serve it. */
export function resetFolder(dataDir: string): Balance[] {
  return withLedger(dataDir, (ledger) => {
    const derived = deriveFrom(ledger.facts.get('secret') ?? '');
    ledger.forgetAll();
    fillFresh(ledger, derived);
    return balancesOf(ledger, derived.wallet.address);
  });
}

export function fundFolder(
  dataDir: string,
  { address, asset, amount }: { address: string | undefined; asset: string; amount: string },
): Funded {
  return withLedger(dataDir, (ledger) => {
    const wallet = deriveFrom(ledger.facts.get('secret') ?? '').wallet.address;
    const given = giveOrRefuse(ledger, { address: address ?? wallet, asset, amount });
    return given.ok ? { kind: 'funded', ...given.value } : { kind: 'problem', problem: given.problem };
  });
}

function giveOrRefuse(ledger: Ledger, gift: Parameters<typeof giveTo>[1]): ReturnType<typeof giveTo> {
  try {
    return giveTo(ledger, gift);
  } catch (error) {
    if (error instanceof TooMuchError) return { ok: false, problem: error.message };
    throw error;
  }
}

function withLedger<T>(dataDir: string, work: (ledger: Ledger) => T): T {
  const ledger = openLedger(dataDir);
  try {
    return ledger.atomically(() => work(ledger));
  } finally {
    ledger.close();
  }
}
