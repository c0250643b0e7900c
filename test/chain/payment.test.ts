import { describe, expect, test } from 'vitest';
import { findPayment, type Payment } from '../../src/chain/payment.ts';
import { readTransaction } from '../../src/chain/transaction.ts';
import {
  ada,
  adaTokens,
  asked,
  bob,
  bobTokens,
  key,
  type Made,
  mint,
  otherMint,
  paying,
  programs,
  read,
  type Token,
  wallet,
  walletTokens,
  written,
} from './transactions.ts';

const sol = 1_000_000_000n;
const one = 1_000_000n;
const usdc = { mint };
const { token2022 } = programs;
const wrappedSol = 'So11111111111111111111111111111111111111112';

/** The wallet's token account and the recipient's, by how much they change. */
const tokens = (lost: bigint, gained: bigint, more: Partial<Token> = {}): Token[] => [
  { account: walletTokens, owner: wallet, before: 10n * one, after: 10n * one - lost, ...more },
  { account: adaTokens, owner: ada, before: 2n * one, after: 2n * one + gained, ...more },
];

const rows: readonly (readonly [string, Made, Partial<Payment>, string])[] = [
  // SOL
  ['the amount from the wallet', paying(ada, sol), {}, 'match'],
  ['the amount in parts', { lamports: { [wallet]: -sol, [ada]: sol / 2n + sol / 2n } }, {}, 'match'],
  [
    'a payer who pays others too',
    { lamports: { [wallet]: -3n * sol, [ada]: sol, [bob]: 2n * sol } },
    {},
    'match',
  ],
  ['the fee of somebody else', { ...paying(ada, sol), feePayer: bob }, {}, 'match'],
  ['the fee of the recipient', { ...paying(ada, sol), feePayer: ada }, {}, 'match'],
  ['an unknown wallet', paying(ada, sol, bob), { wallet: undefined }, 'match'],
  ['less', paying(ada, sol - 1n), {}, 'miss'],
  ['nothing', paying(bob, sol), {}, 'miss'],
  ['a loss', { lamports: { [wallet]: sol, [ada]: -sol } }, {}, 'miss'],
  ['more', paying(ada, sol + 1n), {}, 'more'],
  ['two equal payments in one', paying(ada, 2n * sol), {}, 'more'],
  ['the money of another wallet', paying(ada, sol, bob), {}, 'doubt'],
  ['the money of two', { lamports: { [wallet]: -sol / 2n, [bob]: -sol / 2n, [ada]: sol } }, {}, 'doubt'],
  ['numbers beyond 2^53', { ...paying(ada, sol), had: 2n ** 53n }, {}, 'doubt'],
  ['the greatest numbers that are exact', { ...paying(ada, sol), had: 2n ** 53n - 1n - sol }, {}, 'match'],
  ['wallet and recipient in one', paying(ada, sol), { to: wallet }, 'doubt'],
  ['an amount of a tenth of a lamport', paying(ada, sol), { amount: '0.0000000001' }, 'doubt'],
  ['a token in the place of SOL', { tokens: tokens(one, one) }, {}, 'miss'],
  [
    'wrapped SOL in the place of SOL',
    {
      tokens: tokens(sol, sol, { mint: wrappedSol, decimals: 9, before: 5n * sol, after: 6n * sol }).slice(1),
    },
    {},
    'miss',
  ],
  [
    'SOL of a wrapped account that was closed',
    { lamports: { [walletTokens]: -sol, [ada]: sol } },
    { wallet: undefined },
    'match',
  ],

  // Tokens
  ['a token', { tokens: tokens(one, one) }, usdc, 'match'],
  ['a token to the account itself', { tokens: tokens(one, one) }, { ...usdc, to: adaTokens }, 'match'],
  [
    'an account of the recipient that was opened in it',
    { tokens: [tokens(one, one)[0] as Token, { account: adaTokens, owner: ada, after: one }] },
    usdc,
    'match',
  ],
  [
    'an account of the recipient that was closed in it',
    { tokens: [...tokens(one, one), { account: key(14), owner: ada, before: 0n }] },
    usdc,
    'match',
  ],
  [
    'an account that was closed, and what it held is gone',
    { tokens: [...tokens(one, one), { account: key(14), owner: ada, before: one }] },
    usdc,
    'miss',
  ],
  [
    'two accounts of the recipient',
    {
      tokens: [...tokens(one, one / 2n), { account: key(14), owner: ada, before: 0n, after: one / 2n }],
    },
    usdc,
    'match',
  ],
  ['an account that became the recipient’s', { tokens: becomes(bob, ada) }, usdc, 'doubt'],
  ['less of a token', { tokens: tokens(one, one - 1n) }, usdc, 'miss'],
  ['more of a token', { tokens: tokens(one + 1n, one + 1n) }, usdc, 'more'],
  ['nothing of a token', { tokens: [] }, usdc, 'miss'],
  ['another mint', { tokens: tokens(one, one, { mint: otherMint }) }, usdc, 'miss'],
  ['SOL in the place of a token', paying(ada, sol), usdc, 'miss'],
  [
    'a token to another',
    { tokens: [tokens(one, 0n)[0] as Token, { account: bobTokens, owner: bob, before: 0n, after: one }] },
    usdc,
    'miss',
  ],
  ['a token of another wallet', { tokens: tokens(0n, one) }, usdc, 'doubt'],
  ['no word of tokens', { isMute: true }, usdc, 'doubt'],
  ['no word of tokens where SOL was asked for', { ...paying(ada, sol), isMute: true }, {}, 'match'],
  ['a token account of nobody', { tokens: tokens(one, one, { owner: null }) }, usdc, 'doubt'],
  [
    'several decimals of one mint',
    { tokens: [...tokens(one, one), { account: key(14), decimals: 7, after: 0n }] },
    usdc,
    'doubt',
  ],
  [
    'more decimals than the mint has',
    { tokens: tokens(one, one) },
    { ...usdc, amount: '1.0000001' },
    'doubt',
  ],
  ['an amount that the mint scales', { tokens: tokens(one, one, { shown: '2' }) }, usdc, 'doubt'],

  // Token-2022
  ['a token of Token-2022', { tokens: tokens(one, one, { program: token2022 }) }, usdc, 'match'],
  ['a fee of Token-2022', { tokens: tokens(one, one - 10n, { program: token2022 }) }, usdc, 'match 999990'],
  ['a fee that is all of it', { tokens: tokens(one, 0n, { program: token2022 }) }, usdc, 'doubt'],
  [
    'a fee beside another loss',
    { tokens: tokens(one + 1n, one - 10n, { program: token2022 }) },
    usdc,
    'miss',
  ],
  ['a fee of the older program', { tokens: tokens(one, one - 10n) }, usdc, 'miss'],
  [
    'a fee, and no wallet',
    { tokens: tokens(one, one - 10n, { program: token2022 }) },
    { ...usdc, wallet: undefined },
    'doubt',
  ],
  ['a hidden amount', { tokens: tokens(0n, 0n, { program: token2022 }) }, usdc, 'doubt'],
  ['a loss under Token-2022', { tokens: tokens(one, -1n, { program: token2022 }) }, usdc, 'miss'],
];

function becomes(from: string, to: string): Token[] {
  const account = { account: bobTokens, before: one };
  return [
    { ...account, owner: from },
    { account: bobTokens, owner: to, after: one },
  ];
}

test.each(rows)('what balances show of a payment: %s', (_what, made, change, expected) => {
  const payment = asked(change);
  const found = findPayment(payment, read(made));
  const isLess = found.is === 'match' && found.received !== found.units;
  expect(isLess ? `${found.is} ${found.received}` : found.is).toBe(expected);
});

describe('a transaction', () => {
  test('says how each balance changed, and gives the fee back to the first account', () => {
    const made = { ...paying(ada, 5n), tokens: [{ account: adaTokens, owner: ada, before: 1n, after: 3n }] };
    const { changes } = read(made);
    const lamports = { owner: undefined, mint: undefined, program: undefined, decimals: 9, isExact: true };
    const token = {
      account: adaTokens,
      owner: ada,
      mint,
      program: programs.token,
      decimals: 6,
      isExact: true,
    };
    const had = 10n * sol;
    const [before, after] = [{ isAfter: false }, { isAfter: true }];
    expect(changes).toEqual([
      ...[wallet, ada, adaTokens].map((account) => ({ ...lamports, ...before, account, units: -had })),
      { ...lamports, ...after, account: wallet, units: had - 5n },
      { ...lamports, ...after, account: ada, units: had + 5n },
      { ...lamports, ...after, account: adaTokens, units: had },
      { ...token, ...before, units: -1n },
      { ...token, ...after, units: 3n },
    ]);
  });

  test('is not read in another form', () => {
    const whole = JSON.parse(written({ ...paying(ada, 1n), tokens: tokens(one, one) }));
    const meta = (change: object): object => ({ ...whole, meta: { ...whole.meta, ...change } });
    const balance = (change: object): object =>
      meta({ preTokenBalances: [{ ...whole.meta.preTokenBalances[0], ...change }] });
    const amount = (text: unknown): object =>
      balance({ uiTokenAmount: { amount: text, decimals: 6, uiAmountString: '1' } });
    expect(readTransaction(whole).showsTokens).toBe(true);
    for (const list of ['preTokenBalances', 'postTokenBalances'])
      expect(readTransaction(meta({ [list]: undefined })).showsTokens).toBe(false);
    for (const other of [
      ...[5, null, [], {}, { ...whole, slot: 'x' }, { ...whole, transaction: {} }],
      ...[meta({ err: undefined }), meta({ preBalances: [] }), meta({ preBalances: undefined })],
      ...[meta({ fee: 1.5 }), meta({ postBalances: whole.meta.postBalances.map(() => -1) })],
      ...[balance({ accountIndex: 99 }), balance({ mint: 5 }), balance({ uiTokenAmount: null })],
      ...['', '01', ' 1', '0x1', '1.0', '-1', 5].map(amount),
    ])
      expect(() => readTransaction(other)).toThrow();
  });
});
