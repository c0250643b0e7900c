import { expect, test } from 'vitest';
import { isMintAccount } from '../../../src/once/chain/node.ts';
import { ScriptedNode } from './scriptedNode.ts';
import { mint, programs } from './transactions.ts';

const bytes = (length: number, set: Readonly<Record<number, number>>): string => {
  const data = Buffer.alloc(length);
  for (const [at, value] of Object.entries(set)) data[Number(at)] = value;
  return data.toString('base64');
};
const account = (owner: string, data: unknown): unknown => ({ owner, data, lamports: 1 });

test.each([
  ['a mint', programs.token, bytes(82, { 45: 1 }), true],
  ['a mint that nobody has set up', programs.token, bytes(82, {}), false],
  ['a token account', programs.token, bytes(165, { 45: 1, 108: 1 }), false],
  ['the signers of one', programs.token, bytes(355, { 45: 1, 165: 1 }), false],
  ['a longer one of the first program', programs.token, bytes(200, { 45: 1, 165: 1 }), false],
  ['a mint of Token-2022', programs.token2022, bytes(82, { 45: 1 }), true],
  ['one with extensions', programs.token2022, bytes(278, { 45: 1, 165: 1 }), true],
  ['one with extensions that nobody has set up', programs.token2022, bytes(278, { 165: 1 }), false],
  ['a token account of Token-2022', programs.token2022, bytes(165, { 45: 1 }), false],
  ['one with extensions', programs.token2022, bytes(182, { 45: 1, 165: 2 }), false],
  ['signers of Token-2022', programs.token2022, bytes(355, { 45: 1, 165: 1 }), false],
  ['an account of another program', programs.system, bytes(82, { 45: 1 }), false],
])('%s of %s is told by its bytes', (_what, owner, data, isMint) => {
  const shown = JSON.parse(JSON.stringify(account(owner, [data, 'base64'])));
  expect(isMintAccount(shown)).toBe(isMint);
});

test('an address without an account is no mint, and what cannot be read may be one', () => {
  expect(isMintAccount(null)).toBe(false);
  expect(isMintAccount(undefined)).toBeUndefined();
  for (const data of [null, 'x', [], ['x', 'base58'], { parsed: {} }])
    expect(isMintAccount(JSON.parse(JSON.stringify(account(programs.token, data))))).toBeUndefined();
});

test('an address is a mint if the node says so, which may say nothing', async () => {
  const of = (owner: string) => ({ result: { value: account(owner, [bytes(82, { 45: 1 }), 'base64']) } });
  const said = (getAccountInfo: object) => new ScriptedNode({ getAccountInfo }).isMint(mint);
  expect([await said(of(programs.token)), await said(of(programs.system))]).toEqual([true, false]);
  for (const other of [{ status: 500 }, { result: 5 }, { result: null }])
    expect(await said(other)).toBeUndefined();
});
