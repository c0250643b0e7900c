import { clipped } from '../phrases.ts';
import { entryFailure } from './failures.ts';
import { complain } from './rules.ts';
import type { Wanted } from './wanted.ts';

/** The bot's own addresses, if its profile names them. */
export type OwnAddresses = {
  readonly wallet?: string | undefined;
  /** Mints by the names of their tokens. */
  readonly assets?: Readonly<Record<string, string>> | undefined;
};

/** What is at the address, if money sent there is nearly always lost or comes back to the bot. */
export function unusualAddress(address: string, { wallet, assets = {} }: OwnAddresses): string | undefined {
  if (address === wallet) return 'the bot’s own wallet';
  if (Object.hasOwn(knownAddresses, address)) return knownAddresses[address];
  for (const [mintOf, mint] of Object.entries(assets))
    if (mint === address) return `the mint of ${clipped(mintOf)}`;
  // No key has an address like this: each 1 at the end is one chance in 58.
  if (address.endsWith('1111111111'))
    return address.startsWith('Sysvar') ? 'a sysvar' : 'an account of the system, which nobody controls';
  return undefined;
}

/** Addresses on the curve that are not wallets, and what people call them. */
export const knownAddresses: Readonly<Record<string, string>> = {
  '11111111111111111111111111111111': 'the system program',
  TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA: 'the token program',
  TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb: 'the token program of 2022',
  ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL: 'the associated token program',
  MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr: 'the memo program',
  Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo: 'the old memo program',
  ComputeBudget111111111111111111111111111111: 'the compute budget program',
  So11111111111111111111111111111111111111112: 'the mint of wrapped SOL',
  EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v: 'the mint of USDC',
  Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB: 'the mint of USDT',
};

/** The profile lists tokens but not this one. It is sent unchanged; a warning may be due. */
export type UnknownAsset = { readonly asset: string; readonly known: readonly string[] };

export function unknownAsset({ kind, request }: Wanted, own: OwnAddresses = {}): UnknownAsset | undefined {
  const named = Object.entries(own.assets ?? {});
  if (kind === 'message' || request.asset === 'SOL' || named.length === 0) return undefined;
  const { asset } = request;
  return named.some((names) => names.includes(asset))
    ? undefined
    : { asset, known: named.map(([name]) => name) };
}

/** Refuses what only the profile knows: its wallet and its mints. The rest was checked with the other fields. */
export function refuseUnusual({ kind, request }: Wanted, own: OwnAddresses | undefined): void {
  if (kind === 'message' || own === undefined) return;
  const unusual = unusualAddress(request.to_address, own);
  if (unusual === undefined) return;
  const complaints = [complain('to_address', 'unusual', unusual)];
  throw entryFailure('not-valid', { kind, complaints, options: { to_address: ['--to'] } });
}
