import { Point } from '@noble/ed25519';
import { base58 } from '@scure/base';
import { type Complaint, complain, type NotWallet } from './facts.ts';

const alphabet = /^[1-9A-HJ-NP-Za-km-z]*$/u;

function bytesOf(text: string): Uint8Array | Complaint {
  if (text === '') return complain('to_address', 'address', 'empty');
  if (!alphabet.test(text)) {
    const at = [...text].findIndex((character) => !alphabet.test(character));
    return complain('to_address', 'address', { notBase58At: at + 1 });
  }
  // 32 bytes take 32 to 44 characters. The time to decode them grows with the square of the length.
  if (text.length > 44) return complain('to_address', 'address', { characters: text.length });
  const bytes = base58.decode(text);
  return bytes.length === 32 ? bytes : complain('to_address', 'address', { bytes: bytes.length });
}

function isOnCurve(bytes: Uint8Array): boolean {
  try {
    // Solana itself also accepts non-canonical encodings (ZIP 215).
    Point.fromBytes(bytes, true);
    return true;
  } catch {
    return false;
  }
}

/** What is wrong with a recipient's address, if anything. */
export function addressComplaint(text: string, allowOffCurve: boolean): Complaint | undefined {
  const bytes = bytesOf(text);
  if (!(bytes instanceof Uint8Array)) return bytes;
  if (allowOffCurve) return undefined;
  const known = Object.hasOwn(notWallets, text) ? notWallets[text] : undefined;
  if (known !== undefined) return complain('to_address', 'wallet', known);
  return isOnCurve(bytes) ? undefined : complain('to_address', 'wallet', 'off-curve');
}

/** Points of the curve, by accident or design, that are no wallets. Money sent there by mistake is lost. */
export const notWallets: Readonly<Record<string, NotWallet>> = {
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
