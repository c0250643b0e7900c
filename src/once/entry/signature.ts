/** The characters of base58: no 0, O, I or l. */
export const base58Alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const shape = new RegExp(`^[${base58Alphabet}]{64,88}$`, 'u');
const signatureBytes = 64;

/** Whether a text is a transaction's signature as Solana writes it: 64 bytes in base58, not all zero. */
export function isSignature(text: string): boolean {
  if (!shape.test(text)) return false;
  // Each leading 1 stands for one byte of zeros.
  const zeros = text.length - text.replace(/^1+/u, '').length;
  let value = 0n;
  for (const character of text) value = value * 58n + BigInt(base58Alphabet.indexOf(character));
  return value !== 0n && zeros + Math.ceil(value.toString(16).length / 2) === signatureBytes;
}
