import { Point } from '@noble/ed25519';
import { base58 } from '@scure/base';
import { type Complaint, complain } from './complaint.ts';
import { notWallets } from './notWallets.ts';

const alphabet = /^[1-9A-HJ-NP-Za-km-z]*$/u;

function bytesOf(text: string): Uint8Array | Complaint {
  if (text === '') return complain('to_address', 'address', 'empty');
  if (!alphabet.test(text)) {
    const at = [...text].findIndex((character) => !alphabet.test(character));
    return complain('to_address', 'address', { notBase58At: at + 1 });
  }
  // 32 bytes take 32 to 44 characters; decoding time grows with the square of the length.
  if (text.length > 44) return complain('to_address', 'address', { characters: text.length });
  const bytes = base58.decode(text);
  return bytes.length === 32 ? bytes : complain('to_address', 'address', { bytes: bytes.length });
}

function isOnCurve(bytes: Uint8Array): boolean {
  try {
    // Solana's own check accepts non-canonical encodings too (ZIP 215).
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
