import { createHash } from 'node:crypto';
import { Point } from '@noble/ed25519';
import { base58 } from '@scure/base';

export const systemProgram = '11111111111111111111111111111111';
export const tokenProgram = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
export const associatedTokenProgram = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
export const token2022Program = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
export const lookupTableProgram = 'AddressLookupTab1e1111111111111111111111111';
/** The memo program litesvm carries. */
export const memoProgram = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';

/** The 32 bytes of an address, or undefined where the text is none. */
export function addressBytes(text: string): Uint8Array | undefined {
  if (text.length < 32 || text.length > 44) return undefined;
  try {
    const bytes = base58.decode(text);
    return bytes.length === 32 ? bytes : undefined;
  } catch {
    return undefined;
  }
}

/** The account that holds `owner`'s tokens of one mint. */
export function tokenAccountOf(owner: string, mint: string): string {
  return programAddress([owner, tokenProgram, mint], associatedTokenProgram);
}

/** Solana's find_program_address: the first bump whose hash no key can sign for. */
function programAddress(seeds: string[], program: string): string {
  for (let bump = 255; bump >= 0; bump -= 1) {
    const hash = createHash('sha256');
    for (const seed of seeds) hash.update(base58.decode(seed));
    const bytes = hash
      .update(Buffer.of(bump))
      .update(base58.decode(program))
      .update('ProgramDerivedAddress')
      .digest();
    if (!isOnCurve(bytes)) return base58.encode(bytes);
  }
  throw new Error('no program address for these seeds');
}

function isOnCurve(bytes: Uint8Array): boolean {
  try {
    Point.fromBytes(new Uint8Array(bytes));
    return true;
  } catch {
    return false;
  }
}
