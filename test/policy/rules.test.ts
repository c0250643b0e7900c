// The rules by themselves, each on both sides of its border, and with two policies at once.
import { describe, expect, test } from 'vitest';
import { amountOf, type Spent, unitsOf } from '../../src/once/entry/amount.ts';
import type { Refusal } from '../../src/policy/failures.ts';
import {
  dayMs,
  freeAtMs,
  needsApproval,
  type Policies,
  refusedByItself,
  withAddress,
} from '../../src/policy/policy.ts';
import { policyOf } from '../support/policies.ts';

const ada = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
const bob = '7o36UsWR1JQLpZ9PE2gn9L4SQ69CNNiWAXd4Jt7rqz9Z';

const hourMs = 3_600_000;
const nowMs = 500_000 * hourMs;

const spend = (amount: string, to = ada, asset = 'SOL', assetNames = [asset.toLowerCase()]) => ({
  ...{ to, asset, assetNames },
  units: unitsOf(amount),
});
const two = (one: object, other: object): Policies => [policyOf(one, 'first'), policyOf(other, 'second')];
const sol = (line: object): object => ({ limits: { SOL: line } });

/** A refusal with its amounts as text. */
function told(refusal: Refusal | undefined): object | undefined {
  if (refusal === undefined || !('limit' in refusal)) return refusal;
  const { units: _, limit, remaining, ...rest } = refusal;
  return { ...rest, limit: amountOf(limit), remaining: amountOf(remaining) };
}

describe('what needs no journal', () => {
  test.each([
    ['an asset that one of two does not name', two({ limits: { SOL: {}, USDC: {} } }, {}), 'USDC', 'second'],
    ['an asset that neither names', two({}, {}), 'USDC', 'first'],
    ['an asset that both name', two({}, {}), 'SOL', undefined],
  ])('%s', (_what, policies, asset, source) => {
    const refusal = refusedByItself(policies, spend('1', ada, asset));
    expect(refusal).toEqual(source && { rule: 'asset', source, asset });
  });

  const only = (recipients: object): object => ({ recipients, only_recipients: true });
  test.each([
    ['the first of its recipients', [policyOf(only({ ada, bob }))], ada, undefined],
    ['the last of its recipients', [policyOf(only({ ada, bob }))], bob, undefined],
    ['somebody else', [policyOf(only({ ada }))], bob, 'the policy'],
    ['somebody, where there are none', [policyOf(only({}))], ada, 'the policy'],
    ['somebody else, where recipients are only named', [policyOf({ recipients: { ada } })], bob, undefined],
    [
      'whom only the one that asks for nothing lists',
      two(only({ ada }), { recipients: { bob } }),
      bob,
      'first',
    ],
    ['whom only the other of two lists', two(only({ ada }), only({ ada, bob })), bob, 'first'],
    ['whom only the first of two lists', two(only({ ada, bob }), only({ ada })), bob, 'second'],
    ['whom both list', two(only({ ada, bob }), only({ bob })), bob, undefined],
  ] as const)('a recipient is %s', (_what, policies, to, source) => {
    expect(refusedByItself(policies, spend('1', to))).toEqual(source && { rule: 'recipient', source, to });
  });

  test.each([
    ['as much as the limit', [policyOf(sol({ transfer: '5' }))], '5', undefined],
    ['a little more', [policyOf(sol({ transfer: '5' }))], '5.000000001', ['the policy', '5']],
    [
      'the stricter of two, which is the first',
      two(sol({ transfer: '2' }), sol({ transfer: '5' })),
      '6',
      ['first', '2'],
    ],
    [
      'the stricter of two, which is the second',
      two(sol({ transfer: '5' }), sol({ transfer: '2' })),
      '6',
      ['second', '2'],
    ],
    [
      'the only one of two that is passed',
      two(sol({ transfer: '5' }), sol({ transfer: '2' })),
      '3',
      ['second', '2'],
    ],
    ['none, where it limits a day only', [policyOf(sol({ day: '1' }))], '3', undefined],
  ] as const)('the limit of one transfer: %s', (_what, policies, amount, refused) => {
    expect(told(refusedByItself(policies, spend(amount)))).toEqual(
      refused && {
        rule: 'transfer',
        source: refused[0],
        line: 'SOL',
        asset: 'SOL',
        limit: refused[1],
        remaining: refused[1],
      },
    );
  });

  const above = (assets: object): object => ({ approve_above: assets, limits: { SOL: {}, USDC: {} } });
  test.each([
    ['no', [policyOf({})], '100', false],
    ['no, for as much as it may be', [policyOf(above({ SOL: '1' }))], '1', false],
    ['yes, for more', [policyOf(above({ SOL: '1' }))], '1.000000001', true],
    ['no, for another asset', [policyOf(above({ USDC: '1' }))], '2', false],
    ['yes, by the first of two', two(above({ SOL: '1' }), above({ SOL: '9' })), '2', true],
    ['yes, by the second of two', two(above({ SOL: '9' }), above({ SOL: '1' })), '2', true],
    ['yes, by the only one of two that asks', two({}, above({ SOL: '1' })), '2', true],
    ['no, by two', two(above({ SOL: '9' }), above({ SOL: '8' })), '2', false],
  ] as const)('does it need a person’s word? %s', (_what, policies, amount, needs) => {
    const why = needsApproval(policies, spend(amount));
    expect(why !== undefined).toBe(needs);
    if (needs) expect(why).toMatch(/^[\d.]+ SOL is above 1 SOL, approve_above of /u);
  });
});

/** Amounts by how many hours ago they were claimed. */
const ago = (earlier: Readonly<Record<number, string>>): Spent[] =>
  Object.entries(earlier).map(([hours, amount]) => ({
    id: hours,
    atMs: nowMs - Number(hours) * hourMs,
    units: unitsOf(amount),
  }));

const sumOf = (earlier: readonly Spent[]): bigint => earlier.reduce((sum, { units }) => sum + units, 0n);

describe('the limit of a day', () => {
  test.each<[string, Record<number, string>, string, string, number | undefined]>([
    ['when the oldest is gone', { 3: '1', 1: '1' }, '2', '1', 3],
    ['when two are gone', { 3: '1', 1: '1' }, '2', '2', 1],
    ['in their order, whatever that of the journal', { 1: '1', 3: '1' }, '2', '1', 3],
    ['when enough is gone of what is over the limit', { 4: '5', 3: '1', 1: '1' }, '2', '1', 3],
    ['of what is to come', { [-2]: '2' }, '2', '1', -2],
    ['never, where it is more than the limit', { 3: '1' }, '2', '2.1', undefined],
  ])('has room again %s', (_what, spent, limit, units, hoursAgo) => {
    const earlier = ago(spent);
    const refusal = { units: unitsOf(units), limit: unitsOf(limit), spent: sumOf(earlier) };
    expect(freeAtMs(earlier, refusal, nowMs)).toBe(
      hoursAgo === undefined ? undefined : nowMs - hoursAgo * hourMs + dayMs,
    );
  });

  test('has room again a day from now, where what is not on record takes the rest', () => {
    const refusal = { units: unitsOf('1'), limit: unitsOf('2'), spent: unitsOf('4') };
    expect(freeAtMs(ago({ 3: '2' }), refusal, nowMs)).toBe(nowMs + dayMs);
  });
});

describe('a name for an address', () => {
  const complaintOf = (to: unknown, policies: Policies): unknown =>
    withAddress({ to_address: to }, policies).complaint;
  const complaint = (value: unknown) => ({ field: 'to_address', rule: 'recipient', value });
  test('becomes the address, and the other fields stay', () => {
    const fields = { to_address: '@ada', amount: '1' };
    expect(withAddress(fields, two({ recipients: { bob } }, { recipients: { ada } }))).toEqual({
      fields: { to_address: ada, amount: '1' },
    });
    expect(
      withAddress({ to_address: '@ada' }, two({ recipients: { ada } }, { recipients: { ada } })),
    ).toEqual({
      fields: { to_address: ada },
    });
  });

  test.each([[{ to_address: ada }], [{ to_address: 'x@ada' }], [{ to_address: 7 }], [{}]])(
    'is not in %j',
    (fields) => {
      const { fields: same, ...rest } = withAddress(fields, [policyOf({ recipients: { ada } })]);
      expect(same).toBe(fields);
      expect(rest).toEqual({});
    },
  );

  test('that is in no policy, or means two, is refused', () => {
    expect(complaintOf('@ada', [])).toEqual(complaint('no-policy'));
    expect(complaintOf('@ada', [policyOf({})])).toEqual(complaint({ noneOf: [] }));
    expect(complaintOf('@eve', two({ recipients: { ada, bob } }, { recipients: { bob } }))).toEqual(
      complaint({ noneOf: ['@ada', '@bob'] }),
    );
    expect(complaintOf('@ada', two({ recipients: { ada } }, { recipients: { ada: bob } }))).toEqual(
      complaint('several-addresses'),
    );
  });
});
