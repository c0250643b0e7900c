import { describe, expect, test } from 'vitest';
import { checkRow } from '../../src/batch/checkRow.ts';
import type { Kind } from '../../src/intent/wanted.ts';
import { complaintWords } from '../../src/words/complaints.ts';
import { recipient } from '../../testing/sandbox.ts';

const message = { conversation_id: 'c', content: 'x' };
const transfer = { id: 'a', to_address: recipient, asset: 'SOL', amount: '1.50' };

function wrongFields(fields: Record<string, unknown>, kind: Kind): string[] {
  const checked = checkRow({ line: 2, fields }, kind);
  if (!('complaints' in checked)) return [];
  return checked.complaints.map((complaint) => `${complaint.field} ${complaintWords(complaint)[0]}`);
}

test('a good row is what it wants, in its one spelling', () => {
  expect(checkRow({ line: 2, fields: transfer }, 'transfer')).toMatchObject({
    id: 'a',
    wanted: { kind: 'transfer', request: { to_address: recipient, asset: 'SOL', amount: '1.5' } },
  });
});

describe('the id', () => {
  test.each([
    [undefined, 'is missing'],
    ['', 'is empty'],
    [7, 'is not a string'],
    [' a', 'starts or ends with a blank (character 1)'],
    ['a\u00a0', 'has U+00A0, a blank that is not the plain space (character 2)'],
    ['a\u200bb', 'has U+200B, which is invisible (character 2)'],
    ['a\u0007', 'has U+0007, which is invisible (character 2)'],
    ['a'.repeat(513), 'is too long'],
  ])('%j of a transfer %s', (id, problem) => {
    expect(wrongFields({ ...transfer, id }, 'transfer')).toEqual([`id ${problem}`]);
  });

  test('may be absent of a message', () => {
    expect(wrongFields(message, 'message')).toEqual([]);
  });
});

test('everything that is wrong is said at once', () => {
  expect(wrongFields({ id: '', to_address: 'x', asset: 'sol', amount: '1,5' }, 'transfer')).toHaveLength(4);
});

test('a row brings no key of its own', () => {
  expect(wrongFields({ ...message, idempotency_key: 'k' }, 'message')).toEqual(['idempotency_key is given']);
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
    const checked = checkRow({ line: 2, fields: { ...message, buttons } }, 'message');
    const components = rows.map((row) => ({ type: 'action_row', components: row }));
    expect(checked).toMatchObject({ wanted: { request: { components } } });
  });

  test.each([
    ['text', 'buttons is not an array of buttons'],
    [[], 'buttons is not an array of buttons'],
    [[7], 'buttons is not an array of buttons'],
    [[{ label: 'Yes' }], 'components[0].components[0].custom_id is missing'],
  ])('%j are refused', (buttons, problem) => {
    expect(wrongFields({ ...message, buttons }, 'message').join()).toContain(problem);
  });

  test('beside components they are refused', () => {
    expect(
      wrongFields({ ...message, buttons: [{ label: 'Y', id: 'y' }], components: [] }, 'message'),
    ).toEqual(['buttons is given too']);
  });
});
