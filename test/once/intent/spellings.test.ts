import { expect, test } from 'vitest';
import {
  inOneSpelling,
  spellingsIn,
  spellingsOf,
  spellingsOfPayment,
} from '../../../src/once/intent/spellings.ts';

const all = spellingsIn([
  { USDC: 'MintA', BONK: 'MintB' },
  { usd: 'minta' },
  { Bonk: 'MintC', Bonk2: 'MintB' },
]);
const sorted = (asset: string): string[] => [...spellingsOf(asset, all)].sort();

test('a name and its mint are one asset, whoever calls it so and in whichever case', () => {
  for (const asset of ['USDC', 'usdc', 'MINTA', 'usd'])
    expect(sorted(asset)).toEqual(['minta', 'usd', 'usdc']);
});

test('a name of two mints joins them', () => {
  expect(sorted('MintC')).toEqual(['bonk', 'bonk2', 'mintb', 'mintc']);
  expect(sorted('BONK2')).toEqual(sorted('MintC'));
});

test('what no profile names has one spelling', () => {
  expect(spellingsOf('EURC', all)).toEqual(['eurc']);
  expect(spellingsOf('USDC', undefined)).toEqual(['usdc']);
  expect(spellingsOfPayment('["a","usdc","1"]', undefined)).toEqual(['["a","usdc","1"]']);
});

test('a payment is spelled in each way, and one of them stands for all', () => {
  const payments = ['["a","minta","1"]', '["a","usd","1"]', '["a","usdc","1"]'];
  expect([...spellingsOfPayment('["a","usdc","1"]', all)].sort()).toEqual(payments);
  const request = { to_address: 'a', amount: '1' };
  const one = inOneSpelling({ ...request, asset: 'USDC' }, all);
  for (const asset of ['MintA', 'usd']) expect(inOneSpelling({ ...request, asset }, all)).toEqual(one);
  expect(inOneSpelling({ ...request, asset: 'EURC' }, all)).toEqual({ ...request, asset: 'EURC' });
});
