import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { base58 } from '@scure/base';

export type Keypair = { address: string; sign(message: Uint8Array): Uint8Array };

/** PKCS#8 of an Ed25519 private key is this and then its 32 bytes. */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

/** node:crypto signs at once, where WebCrypto would wait: an effect must be one synchronous piece. */
export function keypairFromSeed(seed: Uint8Array): Keypair {
  const der = Buffer.concat([pkcs8Prefix, seed]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  return { address: base58.encode(publicBytes(key)), sign: (message) => sign(null, message, key) };
}

function publicBytes(key: KeyObject): Uint8Array {
  return Buffer.from(String(createPublicKey(key).export({ format: 'jwk' }).x), 'base64url');
}
