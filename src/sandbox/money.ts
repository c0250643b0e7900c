import { createHmac } from 'node:crypto';
import { base58 } from '@scure/base';
import {
  addressBytes,
  decimal,
  holderData,
  type Keypair,
  keypairFromSeed,
  mintData,
  readHolding,
  readSupply,
  systemProgram,
  tokenAccountOf,
  tokenProgram,
  withUnits,
} from './solana.ts';
import type { Account, Asset } from './store/database.ts';
import type { Ledger } from './store/ledger.ts';

const solDecimals = 9;
/** The least balance of an account with this many bytes: two years' rent for them and 128 more. */
export const rentExemption = (bytes: number): bigint => BigInt(bytes + 128) * 6960n;

const startingLamports = 100_000_000_000n;
const startingUsdcUnits = 10_000_000_000n;

export const maxU64 = 2n ** 64n - 1n;

/** The amount would exceed what an account can hold. */
export class TooMuchError extends Error {}

function counted(units: bigint): bigint {
  if (units > maxU64) throw new TooMuchError('no account can hold that much');
  return units;
}

export type Balance = { asset: string; amount: string };

/** The first state of a data folder, and its state after a reset. */
export function fillFresh(ledger: Ledger, derived: Derived): void {
  ledger.facts.put('lamports_made', '0');
  ledger.conversations.add('conv_demo');
  ledger.conversations.add('conv_test');
  const { usdcMint, wallet, mintAuthority } = derived;
  ledger.accounts.putAsset({ symbol: 'USDC', mint: usdcMint, decimals: 6 });
  ledger.accounts.put({
    address: usdcMint,
    lamports: makeLamports(ledger, rentExemption(82)),
    owner: tokenProgram,
    data: mintData(mintAuthority.address, 0n, 6),
  });
  giveSol(ledger, wallet.address, startingLamports);
  giveToken(ledger, wallet.address, { symbol: 'USDC', mint: usdcMint, decimals: 6 }, startingUsdcUnits);
}

/** Counts every lamport created, so that conservation can be checked. */
function makeLamports(ledger: Ledger, lamports: bigint): bigint {
  ledger.facts.count('lamports_made', lamports);
  return lamports;
}

function giveSol(ledger: Ledger, address: string, lamports: bigint): void {
  const account = ledger.accounts.get(address) ?? {
    address,
    lamports: 0n,
    owner: systemProgram,
    data: new Uint8Array(0),
  };
  ledger.accounts.put({ ...account, lamports: counted(account.lamports + makeLamports(ledger, lamports)) });
}

const feePurseLamports = 1_000_000_000n;

/** The service's own fee payer never runs out. */
export function fillFeePurse(ledger: Ledger, { feePayer }: Derived): void {
  const held = ledger.accounts.get(feePayer.address)?.lamports ?? 0n;
  if (held < feePurseLamports / 2n) giveSol(ledger, feePayer.address, feePurseLamports - held);
}

/** Creates a program's account with the lamports that its size requires. */
export function makeAccount(ledger: Ledger, account: Omit<Account, 'lamports'>): void {
  const lamports = makeLamports(ledger, rentExemption(account.data.length));
  ledger.accounts.put({ ...account, lamports });
}

function giveToken(ledger: Ledger, owner: string, asset: Asset, units: bigint): void {
  const mint = ledger.accounts.get(asset.mint);
  if (mint === undefined) throw new Error(`the mint of ${asset.symbol} is gone`);
  ledger.accounts.put({ ...mint, data: withUnits(mint.data, 36, counted(readSupply(mint.data) + units)) });
  const address = tokenAccountOf(owner, asset.mint);
  const held = ledger.accounts.get(address);
  const before = held === undefined ? undefined : readHolding(held.data);
  if (held === undefined || before === undefined) {
    const lamports = makeLamports(ledger, rentExemption(165));
    ledger.accounts.put({
      address,
      lamports,
      owner: tokenProgram,
      data: holderData(asset.mint, owner, units),
    });
    return;
  }
  ledger.accounts.put({ ...held, data: withUnits(held.data, 64, before.units + units) });
}

type Gift = { address: unknown; asset: unknown; amount: unknown };

type Given = { ok: true; value: { address: string; balances: Balance[] } } | { ok: false; problem: string };

/** Creates money, if address, asset and amount are valid. */
export function giveTo(ledger: Ledger, { address, asset, amount }: Gift): Given {
  const problem = (text: string): Given => ({ ok: false, problem: text });
  if (typeof address !== 'string' || addressBytes(address) === undefined)
    return problem('address must be 32 bytes in base58');
  const token = typeof asset === 'string' ? ledger.accounts.asset(asset) : undefined;
  if (asset !== 'SOL' && token === undefined) return problem('asset must be SOL, or name a token');
  const units = unitsIn(amount, token?.decimals ?? solDecimals);
  if (units === undefined) return problem('amount must be a decimal amount, such as "1.5"');
  if (token === undefined) giveSol(ledger, address, units);
  else giveToken(ledger, address, token, units);
  return { ok: true, value: { address, balances: balancesOf(ledger, address) } };
}

export function unitsIn(amount: unknown, decimals: number): bigint | undefined {
  const match = typeof amount === 'string' ? /^([0-9]{1,20})(?:\.([0-9]+))?$/.exec(amount) : null;
  const fraction = match?.[2] ?? '';
  if (match === null || fraction.length > decimals) return undefined;
  return BigInt(`${match[1]}${fraction.padEnd(decimals, '0')}`);
}

export function balancesOf(ledger: Ledger, address: string): Balance[] {
  const sol = decimal(ledger.accounts.get(address)?.lamports ?? 0n, solDecimals);
  const tokens = ledger.accounts.assets().map(({ symbol, mint, decimals }) => {
    const held = ledger.accounts.get(tokenAccountOf(address, mint));
    const units = held === undefined ? 0n : (readHolding(held.data)?.units ?? 0n);
    return { asset: symbol, amount: decimal(units, decimals) };
  });
  return [{ asset: 'SOL', amount: sol }, ...tokens];
}

/** The supply that each mint records, and the sum that its holders have: the two must agree. */
export function suppliesOf(ledger: Ledger): Record<string, { supply: string; held: string }> {
  const held = new Map<string, bigint>();
  for (const data of ledger.accounts.dataOwnedBy(tokenProgram)) {
    const holding = readHolding(data);
    if (holding !== undefined) held.set(holding.mint, (held.get(holding.mint) ?? 0n) + holding.units);
  }
  const entries = ledger.accounts.assets().map(({ symbol, mint }) => {
    const account = ledger.accounts.get(mint);
    const supply = account === undefined ? 0n : readSupply(account.data);
    return [symbol, { supply: supply.toString(), held: (held.get(mint) ?? 0n).toString() }] as const;
  });
  return Object.fromEntries(entries);
}

export type TokenName = 'full' | 'no_send' | 'no_wallet';
type Tokens = Record<TokenName, string>;

/** The identities in a data folder. All derive from its one secret, so they are the same at every start. */
export type Derived = {
  tokens: Tokens;
  wallet: Keypair;
  /** Pays the fee when the service does. */
  feePayer: Keypair;
  mintAuthority: Keypair;
  usdcMint: string;
  genesisHash: string;
  blockhash(slot: number): string;
  /** The lookup table for the transaction in this slot. */
  lookupTable(slot: number): string;
  id(prefix: string, seq: number): string;
};

export function deriveFrom(secret: string): Derived {
  const derive = (label: string): Buffer => createHmac('sha256', secret).update(label).digest();
  const token = (name: TokenName): string =>
    `sandbox_${name}_${derive(`token/${name}`).toString('hex').slice(0, 24)}`;
  return {
    tokens: { full: token('full'), no_send: token('no_send'), no_wallet: token('no_wallet') },
    wallet: keypairFromSeed(derive('wallet')),
    feePayer: keypairFromSeed(derive('fee-payer')),
    mintAuthority: keypairFromSeed(derive('mint-authority')),
    usdcMint: keypairFromSeed(derive('mint/USDC')).address,
    genesisHash: base58.encode(derive('genesis')),
    // With a repeated blockhash, two equal transfers could share a signature. Slots never repeat.
    blockhash: (slot) => base58.encode(derive(`blockhash/${slot}`)),
    lookupTable: (slot) => base58.encode(derive(`lookup-table/${slot}`)),
    id: (prefix, seq) => `${prefix}_${derive(`${prefix}/${seq}`).toString('hex').slice(0, 20)}`,
  };
}
