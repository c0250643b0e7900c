import { expect, test } from 'vitest';
import { isUnknownAsset, refuseUnusual } from '../../../src/once/intent/unusual.ts';
import type { Wanted } from '../../../src/once/intent/wanted.ts';

const wallet = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
const mint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const own = { wallet, assets: { USDC: mint } };

test.each([
  ['SOL', own, false],
  ['USDC', own, false],
  [mint, own, false],
  ['EURC', own, true],
  ['EURC', { wallet }, false],
  ['EURC', { assets: {} }, false],
])('an asset is unknown only to a profile that names tokens: %s', (asset, profile, is) => {
  expect(isUnknownAsset(asset, profile)).toBe(is);
});

test('what only the profile knows is refused of a transfer', () => {
  const pay = (to_address: string): Wanted => ({
    ...{ kind: 'transfer', warnings: [], request: { to_address, asset: 'SOL', amount: '1' } },
  });
  const fields = {
    kind: 'transfer',
    complaints: [{ field: 'to_address', rule: 'unusual', value: 'own-wallet' }],
    options: { to_address: ['--to'] },
  };
  expect(() => refuseUnusual(pay(wallet), own)).toThrow(
    expect.objectContaining({ kind: 'not-valid', fields }),
  );
  const request = { conversation_id: 'c', content: 'x', to_address: wallet };
  const fine: [Wanted, typeof own | undefined][] = [
    [pay('7o36UsWR1JQLpZ9PE2gn9L4SQ69CNNiWAXd4Jt7rqz9Z'), own],
    [pay(wallet), undefined],
    [{ kind: 'message', warnings: [], request }, own],
  ];
  for (const [wanted, profile] of fine) expect(refuseUnusual(wanted, profile)).toBeUndefined();
});
