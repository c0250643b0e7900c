import { describe, expect, test } from 'vitest';
import { parseTransfer } from '../../../src/once/entry/transfer.ts';
import { canonicalOf, paymentOf } from '../../../src/once/entry/wanted.ts';
import { failureOf } from '../../support/failure.ts';

const to = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
const plain = { to_address: to, asset: 'SOL', amount: '1.5' };

async function refusalOf(fields: unknown): Promise<string> {
  const failure = await failureOf(() => parseTransfer(fields, 'wallets'));
  expect(failure.code).toBe('bad-input');
  expect(failure.message).toMatch(/^The transfer is not valid: .*\.$/su);
  return failure.message;
}

describe('a transfer', () => {
  test('is kept in its one spelling, its payload key apart', () => {
    const { wanted, payloadKey } = parseTransfer(
      { ...plain, amount: '1.50', idempotency_key: 'k' },
      'wallets',
    );
    expect(wanted).toEqual({ kind: 'transfer', request: plain });
    expect(payloadKey).toBe('k');
  });

  test('keeps its memo as it is', () => {
    expect(parseTransfer({ ...plain, memo: ' two\nlines ' }, 'wallets').wanted.request.memo).toBe(
      ' two\nlines ',
    );
  });

  test('keeps an asset of 200 characters', () => {
    const asset = 'x'.repeat(200);
    expect(parseTransfer({ ...plain, asset }, 'wallets').wanted.request.asset).toBe(asset);
  });

  test.each<[string, unknown, string]>([
    ['null', null, 'the request is not an object'],
    ['no recipient', { asset: 'SOL', amount: '1' }, 'to_address is missing'],
    ['no asset', { to_address: to, amount: '1' }, 'asset is missing'],
    ['no amount', { to_address: to, asset: 'SOL' }, 'amount is missing'],
    ['an amount that is a number', { ...plain, amount: 1.5 }, 'amount is not a string'],
    ['an unknown field', { ...plain, fee: '1' }, 'fee is not known'],
    ['a memo that is null', { ...plain, memo: null }, 'memo is not a string'],
    ['half a surrogate pair in the memo', { ...plain, memo: '\ud83d' }, 'memo has half a surrogate pair'],
    ['a text as asset', { ...plain, asset: 'x'.repeat(201) }, 'asset is longer than 200 characters'],
    ['an empty asset', { ...plain, asset: '' }, 'asset is empty'],
    ['a blank asset', { ...plain, asset: '  ' }, 'asset is empty'],
    ['a blank before the asset', { ...plain, asset: ' SOL' }, 'asset has spaces around it'],
    ['a blank behind the asset', { ...plain, asset: 'USDC\n' }, 'asset has spaces around it'],
    [
      'a control character in the asset',
      { ...plain, asset: 'US\u0000DC' },
      'control or invisible characters',
    ],
    [
      'an invisible character in the asset',
      { ...plain, asset: 'SOL\u200b' },
      'control or invisible characters',
    ],
    ...['\u3164', '\u115f', '\u034f', '\ufe0f', '\u2800'].map((letter): [string, unknown, string] => [
      `an invisible letter (${letter.codePointAt(0)?.toString(16)}) in the asset`,
      { ...plain, asset: `US${letter}DC` },
      'control or invisible characters',
    ]),
    ['a bidi mark in the asset', { ...plain, asset: 'SO\u202eL' }, 'control or invisible characters'],
    [
      'an off-curve recipient',
      { ...plain, to_address: 'B9G9B7yEcF8ummvj5pemKAvqyptHBFfEFkbvRHivAdgp' },
      'to_address is off the curve',
    ],
    [
      'too many decimals',
      { ...plain, amount: '0.0000000001' },
      'amount has 10 decimals (it must be a number with at most 9 decimals for SOL)',
    ],
    ['too many decimals of sol', { ...plain, asset: 'sol', amount: '0.0000000001' }, 'at most 9 decimals'],
  ])('%s is refused', async (_what, fields, problem) => {
    expect(await refusalOf(fields)).toContain(problem);
  });

  test('everything wrong is said at once, whatever kind of wrong it is', async () => {
    const words = await refusalOf({ to_address: 'x0', amount: '1,5', fee: 1 });
    for (const problem of ['to_address has', 'asset is missing', 'amount has a comma', 'fee is not known']) {
      expect(words).toContain(problem);
    }
  });

  test('an off-curve recipient is taken where it is allowed', () => {
    const vault = { ...plain, to_address: 'B9G9B7yEcF8ummvj5pemKAvqyptHBFfEFkbvRHivAdgp' };
    expect(parseTransfer(vault, 'off-curve').wanted.request.to_address).toBe(vault.to_address);
  });
});

test('a message pays nothing', () => {
  const request = { conversation_id: 'c', content: 'x' };
  expect(paymentOf({ kind: 'message', request })).toBeUndefined();
});

describe('the same payment', () => {
  const payment = (change: object): string | undefined =>
    paymentOf(parseTransfer({ ...plain, ...change }, 'wallets').wanted);

  test.each(['sol', 'Sol', 'sOL'])('%s is SOL', (asset) => {
    const { wanted } = parseTransfer({ ...plain, asset }, 'wallets');
    expect(canonicalOf(wanted)).toBe(canonicalOf(parseTransfer(plain, 'wallets').wanted));
  });

  test.each(['ſol', 'sol1', 'wsol'])('%s is a token', (asset) => {
    expect(parseTransfer({ ...plain, asset }, 'wallets').wanted.request.asset).toBe(asset);
  });

  test.each([
    ['spelled with more zeros', { amount: '1.500' }, true],
    ['with another memo', { memo: 'x' }, true],
    ['of another amount', { amount: '1.51' }, false],
    ['of another asset', { asset: 'USDC' }, false],
    ['to another address', { to_address: '7o36UsWR1JQLpZ9PE2gn9L4SQ69CNNiWAXd4Jt7rqz9Z' }, false],
  ])('%s: %#', (_what, change, same) => {
    expect(payment(change) === payment({})).toBe(same);
  });

  test('an empty memo is no memo', () => {
    const spelled = (change: object) => canonicalOf(parseTransfer({ ...plain, ...change }, 'wallets').wanted);
    expect(spelled({ memo: '' })).toBe(spelled({}));
    expect(spelled({ memo: 'x' })).not.toBe(spelled({}));
  });
});
