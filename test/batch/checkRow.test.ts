import { describe, expect, test } from 'vitest';
import { type Checking, checkRow, Recipients } from '../../src/batch/checkRow.ts';
import type { RowComplaint } from '../../src/batch/failures.ts';
import type { Kind } from '../../src/once/entry/wanted.ts';
import { recipient } from '../support/sandbox.ts';

const message = { conversation_id: 'c', content: 'x' };
const transfer = { id: 'a', to_address: recipient, asset: 'SOL', amount: '1.50' };

const check = (fields: Record<string, unknown>, kind: Kind): ReturnType<typeof checkRow> => {
  const checking: Checking = { kind, recipients: new Recipients('wallets', undefined) };
  return checkRow({ line: 2, fields, written: fields, complaints: [] }, checking);
};

type Wrong = readonly [
  field: RowComplaint['field'],
  rule: RowComplaint['rule'],
  value: RowComplaint['value'],
];

function wrongFields(fields: Record<string, unknown>, kind: Kind): Wrong[] {
  const checked = check(fields, kind);
  if (!('complaints' in checked)) return [];
  return checked.complaints.map(({ field, rule, value }) => [field, rule, value]);
}

test('a good row is what it wants, in its one spelling', () => {
  expect(check(transfer, 'transfer')).toMatchObject({
    wanted: { kind: 'transfer', request: { to_address: recipient, asset: 'SOL', amount: '1.5' } },
  });
});

describe('the id', () => {
  test.each([
    ['', 'empty'],
    [7, 'not-text'],
    [null, 'not-text'],
    [' a', { is: 'blank-at-end', codePoint: 0x20, position: 1 }],
    ['a\u00a0', { is: 'other-blank', codePoint: 0xa0, position: 2 }],
    ['a\u200bb', { is: 'hidden', codePoint: 0x200b, position: 2 }],
    ['a\u0007', { is: 'hidden', codePoint: 7, position: 2 }],
    ['a'.repeat(513), 'too-long'],
  ])('%j of a transfer is refused as %j', (id, is) => {
    expect(wrongFields({ ...transfer, id }, 'transfer')).toEqual([['id', 'id', { mostBytes: 512, is }]]);
  });

  test('of a transfer is needed', () => {
    expect(wrongFields({ ...transfer, id: undefined }, 'transfer')).toEqual([['id', 'given', 'missing']]);
  });

  test('may be absent of a message', () => {
    expect(wrongFields(message, 'message')).toEqual([]);
  });
});

test('everything that is wrong is said at once', () => {
  expect(wrongFields({ id: '', to_address: 'x', asset: ' ', amount: '1,5' }, 'transfer')).toHaveLength(4);
});

test('a row brings no key of its own', () => {
  expect(wrongFields({ ...message, idempotency_key: 'k' }, 'message')).toEqual([
    ['idempotency_key', 'no-key', 'given'],
  ]);
});

describe('buttons', () => {
  const button = { type: 'button', label: 'Yes', custom_id: 'y' };
  test.each([
    ['one row', [{ label: 'Yes', id: 'y' }], [[button]]],
    [
      'several rows',
      [[{ label: 'Yes', id: 'y' }], [{ label: 'No', custom_id: 'n' }]],
      [[button], [{ ...button, label: 'No', custom_id: 'n' }]],
    ],
  ])('%s', (_what, buttons, rows) => {
    const checked = check({ ...message, buttons }, 'message');
    const components = rows.map((row) => ({ type: 'action_row', components: row }));
    expect(checked).toMatchObject({ wanted: { request: { components } } });
  });

  test.each([
    ['text', ['buttons', 'buttons', 'other']],
    [[], ['buttons', 'buttons', 'other']],
    [[7], ['buttons', 'buttons', 'other']],
    [[{ label: 'Yes' }], ['components[0].components[0].custom_id', 'given', 'missing']],
  ])('%j are refused', (buttons, wrong) => {
    expect(wrongFields({ ...message, buttons }, 'message')).toContainEqual(wrong);
  });

  test('beside components they are refused', () => {
    expect(
      wrongFields({ ...message, buttons: [{ label: 'Y', id: 'y' }], components: [] }, 'message'),
    ).toEqual([['buttons', 'no-buttons', 'given']]);
  });
});
