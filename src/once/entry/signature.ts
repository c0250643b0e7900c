const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const shape = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/u;
const signatureBytes = 64;

/** Whether a text is a transaction's signature as Solana writes it: 64 bytes in base58, not all zero. */
export function isSignature(text: string): boolean {
  if (!shape.test(text)) return false;
  // Each leading 1 stands for one byte of zeros.
  const zeros = text.length - text.replace(/^1+/u, '').length;
  let value = 0n;
  for (const character of text) value = value * 58n + BigInt(alphabet.indexOf(character));
  return value !== 0n && zeros + Math.ceil(value.toString(16).length / 2) === signatureBytes;
}
