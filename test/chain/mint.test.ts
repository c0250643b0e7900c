import { expect, test } from 'vitest';
import { ScriptedNode } from './scriptedNode.ts';
import { mint, programs } from './transactions.ts';

const account = (owner: string, data: unknown): object => ({
  result: { value: { owner, data, lamports: 1 } },
});
const parsed = (type: string): object => ({ program: 'spl-token', parsed: { type }, space: 82 });

test.each<[string, object, boolean | undefined]>([
  ['a mint', account(programs.token, parsed('mint')), true],
  ['a mint of Token-2022', account(programs.token2022, parsed('mint')), true],
  ['a token account', account(programs.token, parsed('account')), false],
  ['the signers of one', account(programs.token, parsed('multisig')), false],
  ['an account of another program', account(programs.system, ['', 'base64']), false],
  ['no account', { result: { value: null } }, false],
  ['an account that the node cannot read', account(programs.token2022, ['AA==', 'base64']), undefined],
  ['an error', { status: 500 }, undefined],
  ['something else', { result: 5 }, undefined],
  ['nothing', { result: null }, undefined],
])('an address is a mint if the node shows one: %s', async (_what, getAccountInfo, expected) => {
  expect(await new ScriptedNode({ getAccountInfo }).isMint(mint)).toBe(expected);
});
