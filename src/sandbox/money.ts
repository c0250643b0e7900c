import { createHmac } from 'node:crypto';
import { base58 } from '@scure/base';
import type { Account, Ledger } from './ledger.ts';
import { badCall } from './rejection.ts';
import {
  addressBytes,
  decimal,
  holderData,
  keypairFromSeed,
  mintData,
  readHolding,
  readSupply,
  systemProgram,
  tokenAccountOf,
  tokenProgram,
  withUnits,
} from './solana.ts';

/** The least balance of an account of this size: two years' rent for its bytes and 128 more. */
const rentExemption = (bytes: number): bigint => BigInt(bytes + 128) * 6960n;

const startingLamports = 100_000_000_000n;
const startingUsdcUnits = 10_000_000_000n;

export const maxU64 = 2n ** 64n - 1n;

function counted(units: bigint): bigint {
  if (units > maxU64) throw badCall('no account can hold that much');
  return units;
}

/** SOL, or the token of this mint. */
export type Asset = { symbol: string; mint?: string; decimals: number };
type Token = Required<Asset>;

export const sol: Asset = { symbol: 'SOL', decimals: 9 };

type Balance = { asset: string; amount: string };

/** The first state of a data folder, and its state after a reset. */
export function fillFresh(ledger: Ledger, { usdc, wallet, mintAuthority }: Derived): void {
  ledger.putFact('lamports_made', '0');
  ledger.addConversation('conv_demo');
  ledger.addConversation('conv_test');
  makeAccount(ledger, usdc.mint, mintData(mintAuthority.address, 0n, usdc.decimals));
  giveSol(ledger, wallet.address, startingLamports);
  giveToken(ledger, wallet.address, usdc, startingUsdcUnits);
}

/** Counts every created lamport, to check conservation. */
function makeLamports(ledger: Ledger, lamports: bigint): bigint {
  ledger.putFact('lamports_made', String(BigInt(ledger.fact('lamports_made') ?? '0') + lamports));
  return lamports;
}

function giveSol(ledger: Ledger, address: string, lamports: bigint): void {
  const none: Account = { address, lamports: 0n, owner: systemProgram, data: new Uint8Array(0) };
  const account = ledger.account(address) ?? none;
  ledger.putAccount({ ...account, lamports: counted(account.lamports + makeLamports(ledger, lamports)) });
}

/** Creates an account of the token program with the lamports that its size requires. */
function makeAccount(ledger: Ledger, address: string, data: Uint8Array): void {
  const lamports = makeLamports(ledger, rentExemption(data.length));
  ledger.putAccount({ address, lamports, owner: tokenProgram, data });
}

function giveToken(ledger: Ledger, owner: string, { symbol, mint }: Token, units: bigint): void {
  const minted = ledger.account(mint);
  if (minted === undefined) throw new Error(`the mint of ${symbol} is gone`);
  const supply = counted(readSupply(minted.data) + units);
  ledger.putAccount({ ...minted, data: withUnits(minted.data, 36, supply) });
  const address = tokenAccountOf(owner, mint);
  const held = ledger.account(address);
  if (held === undefined) makeAccount(ledger, address, holderData(mint, owner, units));
  else ledger.putAccount({ ...held, data: withUnits(held.data, 64, unitsHeld(held) + units) });
}

const unitsHeld = (account: Account | undefined): bigint =>
  (account === undefined ? undefined : readHolding(account.data)?.units) ?? 0n;

export function giveTo(
  ledger: Ledger,
  derived: Derived,
  { address, asset: name, amount }: Record<'address' | 'asset' | 'amount', unknown>,
): { address: string; balances: Balance[] } {
  if (typeof address !== 'string' || addressBytes(address) === undefined)
    throw badCall('address must be 32 bytes in base58');
  const asset = typeof name === 'string' ? assetNamed(name, derived) : undefined;
  if (asset === undefined) throw badCall('asset must be SOL, or name a token');
  const units = unitsIn(amount, asset.decimals);
  if (units === undefined) throw badCall('amount must be a decimal amount, such as "1.5"');
  if (asset === derived.usdc) giveToken(ledger, address, derived.usdc, units);
  else giveSol(ledger, address, units);
  return { address, balances: balancesOf(ledger, derived, address) };
}

/** The asset with this name; a token's mint is also a name of it. */
export function assetNamed(name: string, { usdc }: Derived): Asset | undefined {
  if (name === sol.symbol) return sol;
  return name === usdc.symbol || name === usdc.mint ? usdc : undefined;
}

function unitsIn(amount: unknown, decimals: number): bigint | undefined {
  const match = typeof amount === 'string' ? /^([0-9]{1,20})(?:\.([0-9]+))?$/.exec(amount) : null;
  const fraction = match?.[2] ?? '';
  if (match === null || fraction.length > decimals) return undefined;
  return BigInt(`${match[1]}${fraction.padEnd(decimals, '0')}`);
}

export function unitsOf(ledger: Ledger, address: string, { mint }: Asset): bigint {
  if (mint === undefined) return ledger.account(address)?.lamports ?? 0n;
  return unitsHeld(ledger.account(tokenAccountOf(address, mint)));
}

export function balancesOf(ledger: Ledger, { usdc }: Derived, address: string): Balance[] {
  return [sol, usdc].map((asset) => ({
    asset: asset.symbol,
    amount: decimal(unitsOf(ledger, address, asset), asset.decimals),
  }));
}

/** The supply in a token's mint, and the sum of all holders. The two must agree. */
export function suppliesOf(
  ledger: Ledger,
  { usdc }: Derived,
): Record<string, { supply: string; held: string }> {
  const minted = ledger.account(usdc.mint);
  const supply = minted === undefined ? 0n : readSupply(minted.data);
  const held = ledger.allTokenAccounts().reduce((total, account) => total + unitsHeld(account), 0n);
  return { [usdc.symbol]: { supply: String(supply), held: String(held) } };
}

export type TokenName = 'full' | 'no_send' | 'no_wallet';

export type Derived = ReturnType<typeof deriveFrom>;

/** The identities in a data folder. All derive from its one secret, so they are the same at every start. */
export function deriveFrom(secret: string) {
  const derive = (label: string): Buffer => createHmac('sha256', secret).update(label).digest();
  const token = (name: TokenName): string =>
    `sandbox_${name}_${derive(`token/${name}`).toString('hex').slice(0, 24)}`;
  return {
    tokens: { full: token('full'), no_send: token('no_send'), no_wallet: token('no_wallet') },
    wallet: keypairFromSeed(derive('wallet')),
    mintAuthority: keypairFromSeed(derive('mint-authority')),
    usdc: { symbol: 'USDC', mint: keypairFromSeed(derive('mint/USDC')).address, decimals: 6 } satisfies Token,
    genesisHash: base58.encode(derive('genesis')),
    // From the slot, which never repeats: with a repeated blockhash, two equal transfers could share a signature.
    blockhash: (slot: number) => base58.encode(derive(`blockhash/${slot}`)),
    id: (prefix: string, seq: number) =>
      `${prefix}_${derive(`${prefix}/${seq}`).toString('hex').slice(0, 20)}`,
  };
}
