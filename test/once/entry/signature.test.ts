import { base58 } from '@scure/base';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isSignature } from '../../../src/once/entry/signature.ts';

test('a signature is 64 bytes in base58 that are not all zero, zeros at its beginning included, and nothing else', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 60, maxLength: 68 }), fc.nat(3), (bytes, zeros) => {
      const whole = Uint8Array.from(bytes, (byte, index) => (index < zeros ? 0 : byte));
      expect(isSignature(base58.encode(whole))).toBe(whole.length === 64 && whole.some((byte) => byte > 0));
    }),
  );
  expect(isSignature(base58.encode(new Uint8Array(64)))).toBe(false);
  const good = base58.encode(new Uint8Array(64).fill(255));
  expect(isSignature(good)).toBe(true);
  for (const bad of ['', 'sig_1', ` ${good}`, good.replace(/.$/u, 'l'), '1'.repeat(5000)])
    expect(isSignature(bad)).toBe(false);
});
