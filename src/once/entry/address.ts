import { Point } from '@noble/ed25519';
import { base58 } from '@scure/base';
import { type Complaint, complain, type FieldRules } from './rules.ts';
import { base58Alphabet } from './signature.ts';
import { type OwnAddresses, unusualAddress } from './unusual.ts';

const isBase58 = new RegExp(`^[${base58Alphabet}]*$`, 'u');

function bytesOf(text: string): Uint8Array | Complaint {
  const wrong = (value: FieldRules['address']): Complaint => complain('to_address', 'address', value);
  if (text === '') return wrong('empty');
  if (text !== text.trim()) return wrong('blanks');
  if (/^0x/iu.test(text)) return wrong('ethereum');
  if (/^\w+(?:…|\.{2,})\w+$/u.test(text)) return wrong('shortened');
  if (!isBase58.test(text)) {
    const at = [...text].findIndex((character) => !isBase58.test(character));
    return wrong({ notBase58At: at + 1 });
  }
  // 32 bytes take 32 to 44 characters. The time to decode them grows with the square of the length.
  if (text.length > usualLength) return wrong({ characters: text.length });
  const bytes = base58.decode(text);
  return bytes.length === 32 ? bytes : wrong({ bytes: bytes.length });
}

/** 19 of 20 addresses have this many characters. */
const usualLength = 44;

function isOnCurve(bytes: Uint8Array): boolean {
  try {
    // Solana itself also accepts non-canonical encodings (ZIP 215).
    Point.fromBytes(bytes, true);
    return true;
  } catch {
    return false;
  }
}

/** Which addresses are accepted. `any` is any 32 bytes: for one that is only searched for, or named in a policy. */
export type AllowedRecipients = 'wallets' | 'off-curve' | 'any';

/** What is wrong with a recipient's address, if anything. */
export function addressComplaint(
  text: string,
  allowed: AllowedRecipients,
  own: OwnAddresses = {},
): Complaint | undefined {
  const bytes = bytesOf(text);
  if (!(bytes instanceof Uint8Array)) return bytes;
  if (allowed === 'any') return undefined;
  const unusual = unusualAddress(text, own);
  if (unusual !== undefined) return complain('to_address', 'unusual', unusual);
  if (allowed === 'off-curve' || isOnCurve(bytes)) return undefined;
  // An address that lost a character may still decode to 32 bytes.
  return complain('to_address', 'wallet', text.length < usualLength ? 'short' : 'off-curve');
}
