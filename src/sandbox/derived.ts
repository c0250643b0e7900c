import { createHmac } from 'node:crypto';
import { base58 } from '@scure/base';
import { type Keypair, keypairFromSeed } from './solana/keys.ts';

export type TokenName = 'full' | 'no_send' | 'no_wallet';
type Tokens = Record<TokenName, string>;

/** Who lives in a data folder: everything follows from its one secret, so it is the same at every start. */
export type Derived = {
  tokens: Tokens;
  wallet: Keypair;
  /** Who pays the fee where the service does. */
  feePayer: Keypair;
  mintAuthority: Keypair;
  usdcMint: string;
  genesisHash: string;
  blockhash(slot: number): string;
  /** The lookup table that the transaction of a slot takes its accounts from. */
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
    // A blockhash met twice would let two equal transfers share a signature; slots are never used twice.
    blockhash: (slot) => base58.encode(derive(`blockhash/${slot}`)),
    lookupTable: (slot) => base58.encode(derive(`lookup-table/${slot}`)),
    id: (prefix, seq) => `${prefix}_${derive(`${prefix}/${seq}`).toString('hex').slice(0, 20)}`,
  };
}
