import { describe, expect, test } from 'vitest';
import { findPayment } from '../../../src/once/chain/payment.ts';
import { parseExact, readTransaction } from '../../../src/once/chain/transaction.ts';
import {
  ada,
  adaTokens,
  asked,
  bob,
  bobTokens,
  calling,
  checked,
  found,
  type Made,
  memo,
  mint,
  move,
  otherMint,
  pay,
  programs,
  read,
  systemMoves,
  wallet,
  walletTokens,
  withFee,
  wrapped,
  written,
} from './transactions.ts';

const sol = 1_000_000_000n;
const toAda = { lamports: { [wallet]: -sol, [ada]: sol } };
const usdc = { asset: { mint } };
/** Ten units in the wallet's account, and so many of them to Ada's. */
const tokens = (units: bigint, received = units) => [
  { account: walletTokens, owner: wallet, before: 10_000_000n, after: 10_000_000n - units },
  { account: adaTokens, owner: ada, after: received },
];
const one = 1_000_000n;
const wrappedTo = (owner: typeof ada | typeof bob): Pick<Made, 'tokens' | 'decimals'> => ({
  decimals: 9,
  tokens: [
    { account: walletTokens, owner: wallet, mint: wrapped, before: sol, after: 0n },
    { account: owner === ada ? adaTokens : bobTokens, owner, mint: wrapped, after: sol },
  ],
});

const wholeOnly = Buffer.from(checked(walletTokens, adaTokens, 7n).data.with(9, 0));
const of2022 = (...kind: number[]): Made['calls'][number] => ({
  ...withFee(walletTokens, adaTokens, one, 0n),
  data: Buffer.concat([Buffer.from(kind), Buffer.alloc(17)]),
});

/** What a transaction is, what was asked for, and what is found: the places that pay it, a doubt?, or a miss. */
const rows: readonly (readonly [string, Made, Parameters<typeof found>[1], string])[] = [
  ['a transfer of SOL', { calls: [pay(wallet, ada, sol)], ...toAda }, {}, '0'],
  ['one that an instruction calls', { calls: [calling(pay(wallet, ada, sol))], ...toAda }, {}, '0.0'],
  [
    'one beside which another is paid',
    {
      calls: [pay(wallet, bob, sol), pay(wallet, ada, sol)],
      lamports: { [ada]: sol, [bob]: sol, [wallet]: -2n * sol },
    },
    {},
    '1',
  ],
  [
    'one that pays the same twice',
    {
      calls: [pay(wallet, ada, sol), pay(wallet, ada, sol)],
      lamports: { [ada]: 2n * sol, [wallet]: -2n * sol },
    },
    {},
    '0 1',
  ],
  [
    'another amount',
    { calls: [pay(wallet, ada, sol + 1n)], lamports: { [ada]: sol + 1n } },
    {},
    'other-amount',
  ],
  [
    'more than was asked for',
    { calls: [pay(wallet, ada, 2n * sol)], lamports: { [ada]: 2n * sol } },
    {},
    'other-amount',
  ],
  ['another recipient', { calls: [pay(wallet, bob, sol)], lamports: { [bob]: sol } }, {}, 'other-recipient'],
  ['nothing paid', { calls: [memo('hello')] }, {}, 'no-transfer'],
  [
    'SOL from another wallet',
    { calls: [pay(bob, ada, sol)], lamports: { [bob]: -sol, [ada]: sol } },
    {},
    'other-source?',
  ],
  [
    'the same where no wallet is named',
    { calls: [pay(bob, ada, sol)], lamports: { [ada]: sol } },
    { wallet: undefined },
    '0',
  ],
  [
    'a balance that rose by more',
    { calls: [pay(wallet, ada, sol)], lamports: { [ada]: sol + 1n } },
    {},
    'balance-differs?',
  ],
  [
    'a balance without an instruction',
    { calls: [memo('x')], lamports: { [ada]: sol } },
    {},
    'balance-differs?',
  ],
  ['a payment to oneself', { calls: [pay(wallet, wallet, sol)] }, { to: wallet }, '0'],
  ['a recipient who pays the fee', { calls: [pay(wallet, ada, sol)], ...toAda, feePayer: ada }, {}, '0'],
  [
    'wrapped SOL where SOL was asked for',
    { calls: [move(walletTokens, adaTokens, sol)], ...wrappedTo(ada) },
    {},
    'wrapped-sol',
  ],
  [
    'wrapped SOL to another',
    { calls: [move(walletTokens, bobTokens, sol)], ...wrappedTo(bob) },
    {},
    'other-asset',
  ],
  [
    'wrapped SOL to its account',
    { calls: [move(walletTokens, adaTokens, sol)], ...wrappedTo(ada) },
    { to: adaTokens },
    'wrapped-sol',
  ],
  ['a token', { calls: [checked(walletTokens, adaTokens, one)], tokens: tokens(one) }, usdc, '0'],
  ['a token, unchecked', { calls: [move(walletTokens, adaTokens, one)], tokens: tokens(one) }, usdc, '0'],
  [
    'a token to its account',
    { calls: [move(walletTokens, adaTokens, one)], tokens: tokens(one) },
    { ...usdc, to: adaTokens },
    '0',
  ],
  [
    'a token where SOL was asked for',
    { calls: [move(walletTokens, adaTokens, one)], tokens: tokens(one) },
    {},
    'other-asset',
  ],
  [
    'a token from an account in no balance',
    { calls: [move(walletTokens, adaTokens, one)], tokens: tokens(one).slice(1) },
    { ...usdc, wallet: undefined },
    '0',
  ],
  [
    'a token of another mint, as its instruction says',
    { calls: [checked(walletTokens, bobTokens, one)] },
    { asset: { mint: otherMint } },
    'owner-unclear?',
  ],
  [
    'a mint other than its account’s',
    {
      calls: [checked(walletTokens, adaTokens, one)],
      tokens: tokens(one).map((each) => (each.account === adaTokens ? { ...each, mint: otherMint } : each)),
    },
    usdc,
    'other-asset',
  ],
  [
    'a transfer of another program',
    { calls: [{ ...move(walletTokens, adaTokens, one), program: programs.other }], tokens: tokens(0n) },
    usdc,
    'no-transfer',
  ],
  ['another change of fees', { calls: [of2022(26, 0)], tokens: tokens(0n) }, usdc, 'no-transfer'],
  ['a call that is not known', { calls: [of2022(9, 1)], tokens: tokens(0n) }, usdc, 'no-transfer'],
  ['SOL where a token was asked for', { calls: [pay(wallet, ada, sol)], ...toAda }, usdc, 'other-asset'],
  [
    'another mint',
    {
      calls: [move(walletTokens, adaTokens, one)],
      tokens: tokens(one).map((each) => ({ ...each, mint: otherMint })),
    },
    usdc,
    'other-asset',
  ],
  [
    'another amount of a token',
    { calls: [move(walletTokens, adaTokens, 2n)], tokens: tokens(2n) },
    usdc,
    'other-amount',
  ],
  [
    'more places than the token has',
    { calls: [move(walletTokens, adaTokens, one)], tokens: tokens(one) },
    { ...usdc, amount: '1.0000001' },
    'other-amount',
  ],
  [
    'a token to another',
    {
      calls: [move(walletTokens, bobTokens, one)],
      tokens: [tokens(one)[0] ?? { account: '' }, { account: bobTokens, owner: bob, after: one }],
    },
    usdc,
    'other-recipient',
  ],
  [
    'an account that is nobody’s',
    {
      calls: [move(walletTokens, adaTokens, one)],
      tokens: tokens(one).map((each) => ({
        ...each,
        ...(each.account === adaTokens ? { owner: null } : {}),
      })),
    },
    usdc,
    'owner-unclear?',
  ],
  [
    'an account in no balance',
    { calls: [move(walletTokens, adaTokens, one)], tokens: tokens(one).slice(0, 1) },
    usdc,
    'owner-unclear?',
  ],
  [
    'accounts in no balance, and any amount',
    { calls: [move(walletTokens, adaTokens, 7n)] },
    usdc,
    'owner-unclear?',
  ],
  [
    'accounts in no balance, and a token without decimals',
    { calls: [{ ...checked(walletTokens, adaTokens, 7n), data: wholeOnly }] },
    usdc,
    'owner-unclear?',
  ],
  [
    'a mint with two decimals',
    {
      calls: [move(walletTokens, adaTokens, one)],
      tokens: tokens(one).map((each) => (each.account === adaTokens ? { ...each, decimals: 5 } : each)),
    },
    usdc,
    'unreadable?',
  ],
  [
    'a mint that scales its amounts',
    {
      calls: [checked(walletTokens, adaTokens, one)],
      tokens: tokens(one).map((each) => ({ ...each, shown: '2' })),
    },
    usdc,
    'scaled-mint?',
  ],
  [
    'other decimals than the mint has',
    { calls: [checked(walletTokens, adaTokens, one)], tokens: tokens(one), decimals: 5 },
    usdc,
    'unreadable?',
  ],
  [
    'a fee under Token-2022',
    { calls: [withFee(walletTokens, adaTokens, one, 10n)], tokens: tokens(one, one - 10n) },
    usdc,
    '0',
  ],
  [
    'a fee that leaves the least',
    { calls: [withFee(walletTokens, adaTokens, one, one - 1n)], tokens: tokens(one, 1n) },
    usdc,
    '0',
  ],
  [
    'a fee beside a payment to another',
    {
      calls: [withFee(walletTokens, bobTokens, one, 10n), withFee(walletTokens, adaTokens, one, 10n)],
      tokens: [
        { account: walletTokens, owner: wallet, before: 2n * one, after: 0n },
        { account: adaTokens, owner: ada, after: one - 10n },
        { account: bobTokens, owner: bob, after: one - 10n },
      ],
    },
    usdc,
    '1',
  ],
  [
    'two fees of one account',
    {
      calls: [withFee(walletTokens, adaTokens, one, 10n), withFee(walletTokens, adaTokens, one, 10n)],
      tokens: tokens(2n * one, 2n * one - 20n),
    },
    usdc,
    'balance-differs?',
  ],
  [
    'a fee that is not said',
    { calls: [checked(walletTokens, adaTokens, one, programs.token2022)], tokens: tokens(one, one - 10n) },
    usdc,
    '0',
  ],
  [
    'a fee under the first token program',
    { calls: [checked(walletTokens, adaTokens, one)], tokens: tokens(one, one - 10n) },
    usdc,
    'balance-differs?',
  ],
  [
    'nothing that came under Token-2022',
    { calls: [checked(walletTokens, adaTokens, one, programs.token2022)], tokens: tokens(one, 0n) },
    usdc,
    'balance-differs?',
  ],
  [
    'more than was sent under Token-2022',
    { calls: [checked(walletTokens, adaTokens, one, programs.token2022)], tokens: tokens(one, one + 1n) },
    usdc,
    'balance-differs?',
  ],
  [
    'an amount that nobody can read',
    {
      calls: [
        { program: programs.token2022, accounts: [walletTokens, mint, adaTokens], data: Buffer.of(27, 7) },
      ],
      tokens: tokens(0n, 0n),
    },
    usdc,
    'confidential?',
  ],
  [
    'a token from another wallet',
    {
      calls: [move(bobTokens, adaTokens, one)],
      tokens: [
        { account: bobTokens, owner: bob, before: one, after: 0n },
        { account: adaTokens, owner: ada, after: one },
      ],
    },
    usdc,
    'other-source?',
  ],
  [
    'accounts from lookup tables',
    {
      calls: [checked(walletTokens, adaTokens, one)],
      tokens: tokens(one),
      looked: { writable: [adaTokens], readonly: [mint] },
    },
    usdc,
    '0',
  ],
  ['a version 1 transaction', { calls: [pay(wallet, ada, sol)], ...toAda, version: 1 }, {}, '0'],
  ['a legacy transaction', { calls: [pay(wallet, ada, sol)], ...toAda, version: 'legacy' }, {}, '0'],
];

const half = sol / 2n;
const gains = (units: bigint): Pick<Made, 'lamports'> => ({ lamports: { [wallet]: -units, [ada]: units } });

describe('what the system program moves otherwise', () => {
  describe.each(Object.entries(systemMoves))('%s', (_name, moveBy) => {
    test.each<[string, Made, string]>([
      ['pays it where it is the amount', { calls: [moveBy(wallet, ada, sol)], ...gains(sol) }, '0'],
      ['is another amount', { calls: [moveBy(wallet, ada, sol + 1n)], ...gains(sol + 1n) }, 'other-amount'],
      [
        'came from a wallet other than the profile’s',
        { calls: [moveBy(bob, ada, sol)], lamports: { [bob]: -sol, [ada]: sol } },
        'other-source?',
      ],
      [
        'is a part of it',
        { calls: [moveBy(wallet, ada, half), pay(wallet, ada, half)], ...gains(sol) },
        'in-parts?',
      ],
      [
        'went to another',
        { calls: [moveBy(wallet, bob, sol)], lamports: { [wallet]: -sol, [bob]: sol } },
        'other-recipient',
      ],
      [
        'does not agree with the balances',
        { calls: [moveBy(wallet, ada, sol)], ...gains(half) },
        'balance-differs?',
      ],
    ])('%s', (_what, made, expected) => {
      expect(found(made)).toBe(expected);
    });
  });

  test('is no other asset where a token was moved beside it', () => {
    const made = (account: string): Made => ({
      calls: [systemMoves.createAccount(wallet, account, half), checked(walletTokens, bobTokens, one)],
      tokens: [
        { account: walletTokens, owner: wallet, before: one, after: 0n },
        { account: bobTokens, owner: bob, after: one },
      ],
      lamports: { [wallet]: -half, [account]: half },
    });
    expect(found(made(ada))).toBe('other-amount');
    expect(found(made(bobTokens))).toBe('other-asset');
    const paid = { ...made(bobTokens), lamports: { [wallet]: -half - 7n, [bobTokens]: half, [bob]: 7n } };
    expect(found({ ...paid, calls: [...paid.calls, pay(wallet, bob, 7n)] })).toBe('other-recipient');
  });
});

describe('an amount in parts', () => {
  const powers = (count: number, more = 0n): bigint[] =>
    Array.from({ length: count }, (_each, n) => more + 2n ** BigInt(n));
  const parts = (...units: bigint[]): Made => ({
    calls: units.map((each) => pay(wallet, ada, each)),
    lamports: { [ada]: units.reduce((sum, each) => sum + each, 0n) },
  });
  test.each<[bigint[], string]>([
    [[half, half], 'in-parts?'],
    [[half, 7n, half], 'in-parts?'],
    [[half, half - 1n], 'other-amount'],
    [[half, half + 1n], 'other-amount'],
    [[...powers(29), ...powers(11)], 'in-parts?'],
    // More than 4,096 sums are not tried.
    [powers(12), 'other-amount'],
    [[...powers(12), 1n], 'in-parts?'],
    [powers(13, sol), 'other-amount'],
    [
      powers(20)
        .toReversed()
        .map((each) => half - each),
      'other-amount',
    ],
  ])('%s of a billion', (units, expected) => {
    expect(found(parts(...units))).toBe(expected);
  });

  test('is known of a token, too', () => {
    const calls = [move(walletTokens, adaTokens, one / 4n), move(walletTokens, adaTokens, (3n * one) / 4n)];
    expect(found({ calls, tokens: tokens(one) }, usdc)).toBe('in-parts?');
  });
});

describe('a token balance that rose without a readable instruction', () => {
  const rose = (calls: Made['calls']): string => found({ calls, tokens: tokens(one) }, usdc);

  test('proves nothing, and contradicts nothing', () => {
    expect(rose([memo('x')])).toBe('balance-differs?');
    expect(rose([pay(wallet, bob, 1n)])).toBe('balance-differs?');
    expect(rose([move(walletTokens, bobTokens, one)])).toBe('balance-differs?');
    expect(rose([checked(walletTokens, adaTokens, one - 1n)])).toBe('balance-differs?');
  });

  test('is in doubt whose ever the account is that was named', () => {
    const made: Made = { calls: [memo('x')], tokens: tokens(one) };
    expect(found(made, { ...usdc, to: adaTokens })).toBe('balance-differs?');
    expect(found(made, { ...usdc, to: bob })).toBe('no-transfer');
  });
});

describe('what a transaction shows of a payment', () => {
  test.each(rows)('%s', (_what, made, change, expected) => {
    expect(found(made, change)).toBe(expected);
  });

  test.each(['owner', 'mint'] as const)('an account that changed its %s is nobody’s', (what) => {
    const before = { account: adaTokens, owner: ada, before: 0n };
    const made = read({
      calls: [move(walletTokens, adaTokens, one)],
      tokens: tokens(one).map((each) => ({ ...each, ...(each.account === adaTokens ? before : {}) })),
    });
    const preTokens = made.preTokens.map((each) =>
      each.account === adaTokens ? { ...each, [what]: bob } : each,
    );
    expect(findPayment(asked(usdc), { ...made, preTokens })).toMatchObject({
      matches: [],
      doubt: 'owner-unclear',
    });
  });

  test('a mint’s fee is told apart from what was sent', () => {
    const made: Made = {
      calls: [withFee(walletTokens, adaTokens, one, 10n)],
      tokens: tokens(one, one - 10n),
    };
    expect(findPayment(asked(usdc), read(made)).matches).toEqual([
      { path: '0', units: one, decimals: 6, received: one - 10n },
    ]);
  });

  test('what another movement takes away again is no fee: the payment counts whole against others', () => {
    const made: Made = {
      calls: [withFee(walletTokens, adaTokens, one, 10n), withFee(adaTokens, bobTokens, 400n, 0n)],
      tokens: [...tokens(one, one - 410n), { account: bobTokens, owner: bob, after: 400n }],
    };
    expect(findPayment(asked(usdc), read(made)).credits).toEqual([{ path: '0', received: one }]);
  });

  test('u64 beyond what a float holds are told apart', () => {
    const most = 18_446_744_073_709_551_615n;
    const made = (units: bigint): Made => ({
      calls: [move(walletTokens, adaTokens, units)],
      tokens: [
        { account: walletTokens, owner: wallet, before: most, after: most - units },
        { account: adaTokens, owner: ada, before: 0n, after: units },
      ],
    });
    const amount = '18446744073709.551614';
    expect(found(made(most - 1n), { ...usdc, amount })).toBe('0');
    expect(found(made(most - 2n), { ...usdc, amount })).toBe('other-amount');
  });

  test('a memo is there only where one of the memo programs has it, whole', () => {
    const made = (text: string): Made => ({ calls: [pay(wallet, ada, sol), memo(text)], ...toAda });
    const has = (text: string): boolean => findPayment(asked({ memo: 'rent' }), read(made(text))).hasMemo;
    expect(['rent', 'rent ', ''].map(has)).toEqual([true, false, false]);
  });

  test('a memo is read of each version of the memo program', () => {
    const programsOfMemo = [
      'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
      'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
      'Memo4c2pN8afCj432Lb7RMVKi9PbQnnW7ewFFaV3oAH',
    ];
    for (const program of programsOfMemo) {
      const transaction = read({ calls: [pay(wallet, ada, sol), { ...memo('rent'), program }], ...toAda });
      expect(findPayment(asked({ memo: 'rent' }), transaction).hasMemo).toBe(true);
    }
  });

  test.each(['', '01', ' 1', '0x1', '1.0', '-1', '18446744073709551616'])(
    'an amount of %j is not read',
    (amount) => {
      const text = written({ calls: [], tokens: tokens(one) });
      expect(() =>
        readTransaction(parseExact(text.replace('"amount":"10000000"', `"amount":"${amount}"`))),
      ).toThrow('amount/no-u64');
    },
  );

  test('an instruction that is called belongs to one that is there, once', () => {
    const whole = JSON.parse(written({ calls: [calling(memo('x')), memo('y')] }));
    const [inner] = whole.meta.innerInstructions;
    for (const [more, why] of [
      [inner, 'twice'],
      [{ ...inner, index: 2 }, 'of-none'],
    ]) {
      const meta = { ...whole.meta, innerInstructions: [inner, more] };
      const text = JSON.stringify({ ...whole, meta });
      expect(() => readTransaction(parseExact(text))).toThrow(`inner-instructions/${why}`);
    }
  });

  test('a version that is not known is not read', () => {
    expect(() => read({ calls: [], version: 2 })).toThrow('new-version');
  });
});
