import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';
import { describe, expect, test } from 'vitest';
import { endsOf } from '../../../src/once/intent/amount.ts';
import { looksLike } from '../../../src/once/policy/policy.ts';

const known = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';

describe('an address looks like a known one', () => {
  test.each([
    ['first and last four equal, as poison has it', '9WzDq5oCV1tW9Cm3nX2GdM5d6bH7sXtuAkYH5TVLAWWM', true],
    ['first and last three', '9WzEq5oCV1tW9Cm3nX2GdM5d6bH7sXtuAkYH5TVLBWWM', true],
    ['six at the beginning', '9WzDXwoCV1tW9Cm3nX2GdM5d6bH7sXtuAkYH5TVLBxyz', true],
    ['six at the end', 'AaaDq5oCV1tW9Cm3nX2GdM5d6bH7sXtuAkYH5zYtAWWM', true],
    ['one character changed in the middle', known.replace('MqUx', 'MqVx'), true],
    ['eight ignoring case', '9wZdq5oCV1tW9Cm3nX2GdM5d6bH7sXtuAkYH5TVLawwm', true],
    ['seven ignoring case', '9wZdq5oCV1tW9Cm3nX2GdM5d6bH7sXtuAkYH5TVLxwwm', false],
    ['five at the beginning', '9WzDXaoCV1tW9Cm3nX2GdM5d6bH7sXtuAkYH5TVLBxyz', false],
    ['five at the end', 'AaaDq5oCV1tW9Cm3nX2GdM5d6bH7sXtuAkYH5zxtAWWM', false],
    ['five', '9WzEq5oCV1tW9Cm3nX2GdM5d6bH7sXtuAkYH5TVLBxWM', false],
    ['none', 'HN7cABqLq46Es1jh92dQQisAq662SmxELLLsHHe4YWrH', false],
    ['it is the known one', known, false],
  ])('%s', (_what, address, does) => {
    expect(looksLike(address, known)).toBe(does);
    // Who looks known ones up by their ends misses none.
    const [one, other] = [endsOf(address), endsOf(known)];
    if (does) expect(one.head === other.head || one.tail === other.tail).toBe(true);
  });
});

/** A key that nobody chose. */
const key = (name: string): string => base58.encode(createHash('sha256').update(name).digest());

/** So many new addresses against 10,000 known; `BOTCTL_LOOKALIKES` plays more. */
test('of addresses that nobody chose, as few look alike by chance as were computed', () => {
  const strangers = Number(process.env.BOTCTL_LOOKALIKES ?? 40_000);
  const byEnds = new Map<string, string[]>();
  const file = (name: string, address: string): void =>
    void byEnds.set(name, [...(byEnds.get(name) ?? []), address]);
  for (let n = 0; n < 10_000; n += 1) {
    const address = key(`known ${n}`);
    const { head, tail } = endsOf(address);
    file(`head ${head}`, address);
    file(`tail ${tail}`, address);
  }
  let alarms = 0;
  for (let n = 0; n < strangers; n += 1) {
    const address = key(`stranger ${n}`);
    const { head, tail } = endsOf(address);
    const near = [...(byEnds.get(`head ${head}`) ?? []), ...(byEnds.get(`tail ${tail}`) ?? [])];
    if (near.some((one) => looksLike(address, one))) alarms += 1;
  }
  // 6·10⁻⁶ for each: of 40,000, a quarter of one.
  expect(alarms).toBeLessThanOrEqual(2 + 3 * 6e-6 * strangers);
});
