import { expect, test } from 'vitest';
import { assetNamesIn, assetNamesOf, underEachName } from '../../../src/once/entry/assetNames.ts';

const all = assetNamesIn([
  { USDC: 'MintA', BONK: 'MintB' },
  { usd: 'minta' },
  { Bonk: 'MintC', Bonk2: 'MintB' },
]);
const sorted = (asset: string): string[] => [...assetNamesOf(asset, all)].sort();

test('a name and its mint are one asset, whoever calls it so and in whichever case', () => {
  for (const asset of ['USDC', 'usdc', 'MINTA', 'usd'])
    expect(sorted(asset)).toEqual(['minta', 'usd', 'usdc']);
});

test('a name of two mints joins them', () => {
  expect(sorted('MintC')).toEqual(['bonk', 'bonk2', 'mintb', 'mintc']);
  expect(sorted('BONK2')).toEqual(sorted('MintC'));
});

test('what no profile names has one spelling', () => {
  expect(assetNamesOf('EURC', all)).toEqual(['eurc']);
  expect(assetNamesOf('USDC', undefined)).toEqual(['usdc']);
  expect(underEachName('["a","usdc","1"]', undefined)).toEqual(['["a","usdc","1"]']);
});

test('a payment is spelled in each way', () => {
  const payments = ['["a","minta","1"]', '["a","usd","1"]', '["a","usdc","1"]'];
  expect([...underEachName('["a","usdc","1"]', all)].sort()).toEqual(payments);
});
