import { complain, intentFailure, type KnownAddress, type Unusual } from './facts.ts';
import type { Wanted } from './wanted.ts';

/** The bot's own addresses, if its profile names them. */
export type OwnAddresses = {
  readonly wallet?: string | undefined;
  /** Mints by the names of their tokens. */
  readonly assets?: Readonly<Record<string, string>> | undefined;
};

/** Money sent to such an address is nearly always lost, or goes round in a circle. */
export function unusualAddress(address: string, { wallet, assets = {} }: OwnAddresses): Unusual | undefined {
  if (address === wallet) return 'own-wallet';
  if (Object.hasOwn(knownAddresses, address)) return knownAddresses[address];
  for (const [mintOf, mint] of Object.entries(assets)) if (mint === address) return { mintOf };
  // No key has such an address: each 1 at the end is one chance in 58.
  if (address.endsWith('1111111111')) return address.startsWith('Sysvar') ? 'sysvar' : 'system-account';
  return undefined;
}

/** Points of the curve, by accident or design, that are no wallets. */
export const knownAddresses: Readonly<Record<string, KnownAddress>> = {
  '11111111111111111111111111111111': 'system-program',
  TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA: 'token-program',
  TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb: 'token-program-of-2022',
  ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL: 'associated-token-program',
  MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr: 'memo-program',
  Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo: 'old-memo-program',
  ComputeBudget111111111111111111111111111111: 'compute-budget-program',
  So11111111111111111111111111111111111111112: 'mint-of-wrapped-sol',
  EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v: 'mint-of-usdc',
  Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB: 'mint-of-usdt',
};

/** Whether the profile names tokens, and this is none of them. */
export function isUnknownAsset(asset: string, { assets = {} }: OwnAddresses): boolean {
  const named = Object.entries(assets);
  return asset !== 'SOL' && named.length > 0 && !named.some((names) => names.includes(asset));
}

/** Refuses what only the profile knows: its wallet and its mints. The rest was checked with the other fields. */
export function refuseUnusual({ kind, request }: Wanted, own: OwnAddresses | undefined): void {
  if (kind === 'message' || own === undefined) return;
  const unusual = unusualAddress(request.to_address, own);
  if (unusual === undefined) return;
  const complaints = [complain('to_address', 'unusual', unusual)];
  throw intentFailure('not-valid', { kind, complaints, options: { to_address: ['--to'] } });
}
