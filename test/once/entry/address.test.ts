import { base58 } from '@scure/base';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addressComplaint } from '../../../src/once/entry/address.ts';
import { knownAddresses } from '../../../src/once/entry/unusual.ts';

const wallet = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
// The USDC account of that wallet: an address derived from a program, which no key controls.
const derived = 'B9G9B7yEcF8ummvj5pemKAvqyptHBFfEFkbvRHivAdgp';

const complaint = (rule: 'address' | 'wallet' | 'unusual', value: unknown) => ({
  field: 'to_address',
  rule,
  value,
});

describe('an address on the curve is taken', () => {
  test.each([
    ['a wallet', wallet],
    ['another wallet', '7o36UsWR1JQLpZ9PE2gn9L4SQ69CNNiWAXd4Jt7rqz9Z'],
    ['a point whose y is written p + 1', 'H5xSWNRAbqKddKjrabehyU8drL3Dk4LgZJiEJc9rGGyC'],
    ['a point whose x is a negative zero', '4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziohZ'],
  ])('%s', (_what, address) => {
    expect(addressComplaint(address, 'wallets')).toBeUndefined();
  });
});

// Most of these are points of the curve, though nobody has their key.
test.each([
  ...Object.entries(knownAddresses),
  ['SysvarC1ock11111111111111111111111111111111', 'a sysvar'],
  ['Sysvar1nstructions1111111111111111111111111', 'a sysvar'],
  ['Vote111111111111111111111111111111111111111', 'an account of the system, which nobody controls'],
  ['1nc1nerator11111111111111111111111111111111', 'an account of the system, which nobody controls'],
])('%s is %s, and refused as such', (address, what) => {
  const refused = complaint('unusual', what);
  expect(addressComplaint(address, 'wallets')).toEqual(refused);
  expect(addressComplaint(address, 'off-curve')).toEqual(refused);
  expect(addressComplaint(address, 'any')).toBeUndefined();
});

test('the bot’s own wallet and mints are refused as such', () => {
  const mint = 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263';
  const own = { wallet, assets: { BONK: mint } };
  expect(addressComplaint(wallet, 'wallets', own)).toEqual(complaint('unusual', 'the bot’s own wallet'));
  expect(addressComplaint(mint, 'wallets', own)).toEqual(complaint('unusual', 'the mint of BONK'));
  expect(addressComplaint(wallet, 'any', own)).toBeUndefined();
  const other = '7o36UsWR1JQLpZ9PE2gn9L4SQ69CNNiWAXd4Jt7rqz9Z';
  expect(addressComplaint(other, 'wallets', own)).toBeUndefined();
});

describe('an address off the curve', () => {
  test.each([['a token account', derived]])(
    '%s is refused, and taken with --allow-off-curve',
    (_what, address) => {
      expect(addressComplaint(address, 'wallets')).toEqual(complaint('wallet', 'off-curve'));
      expect(addressComplaint(address, 'off-curve')).toBeUndefined();
    },
  );
});

describe('what is not 32 bytes of base58 is refused, also with --allow-off-curve', () => {
  test.each([
    ['', 'empty'],
    [base58.encode(new Uint8Array(31).fill(7)), { bytes: 31 }],
    [base58.encode(new Uint8Array(33).fill(7)), { characters: 45 }],
    [`1${base58.encode(new Uint8Array(32).fill(7))}`, { bytes: 33 }],
    ['1'.repeat(31), { bytes: 31 }],
    ['1'.repeat(33), { bytes: 33 }],
    ['z'.repeat(44), { bytes: 33 }],
    ['1'.repeat(1_000_000), { characters: 1000000 }],
    [`0${wallet.slice(1)}`, { notBase58At: 1 }],
    [`${wallet.slice(0, 9)}O${wallet.slice(10)}`, { notBase58At: 10 }],
    [`${wallet.slice(0, -1)}I`, { notBase58At: 44 }],
    [`9l${wallet.slice(2)}`, { notBase58At: 2 }],
    [`${wallet} `, 'blanks'],
    [` ${wallet}`, 'blanks'],
    [`${wallet}\n`, 'blanks'],
    [`${wallet}\u00a0`, 'blanks'],
    [`${wallet.slice(0, 4)}…${wallet.slice(-4)}`, 'shortened'],
    [`9\u200b${wallet.slice(1)}`, { notBase58At: 2 }],
    [`😀0${wallet}`, { notBase58At: 1 }],
    ['0x52908400098527886E0F7030069857D2E4169EE7', 'ethereum'],
  ])('%j: %j', (text, value) => {
    expect(addressComplaint(text, 'wallets')).toEqual(complaint('address', value));
    expect(addressComplaint(text, 'any')).toEqual(complaint('address', value));
  });
});

describe('a mistyped address', () => {
  test('that lost a character and is 32 bytes by chance is refused as short', () => {
    expect(addressComplaint(wallet.replace('W', ''), 'wallets')).toEqual(complaint('wallet', 'short'));
  });

  test('with a character too few or too many is never taken', () => {
    fc.assert(
      fc.property(fc.nat({ max: 43 }), fc.constantFrom(...'123ABCxyz'), (place, extra) => {
        const shorter = wallet.slice(0, place) + wallet.slice(place + 1);
        const longer = wallet.slice(0, place) + extra + wallet.slice(place);
        expect(addressComplaint(longer, 'any')).toBeDefined();
        // 43 characters hold 32 bytes only where the first ones are small.
        if (base58.decode(shorter).length !== 32) expect(addressComplaint(shorter, 'any')).toBeDefined();
      }),
    );
  });

  test('every 32 bytes are read as 32 bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
        expect(addressComplaint(base58.encode(bytes), 'any')).toBeUndefined();
      }),
    );
  });

  test('no text makes the check throw', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' })), (text) => {
        expect(['undefined', 'object']).toContain(typeof addressComplaint(text, 'wallets'));
      }),
    );
  });
});
