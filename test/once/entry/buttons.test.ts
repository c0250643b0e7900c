import { describe, expect, test } from 'vitest';
import { parseButton, rowsFrom } from '../../../src/once/entry/message.ts';
import type { Button } from '../../../src/once/entry/wanted.ts';

const complaint = (value: unknown) => ({ field: '--button', rule: 'button', value });

describe('a button in words', () => {
  test.each<[string, Button]>([
    ['label=Yes,id=vote_yes', { type: 'button', label: 'Yes', custom_id: 'vote_yes' }],
    [
      'label=Yes,id=vote_yes,style=success',
      { type: 'button', label: 'Yes', style: 'success', custom_id: 'vote_yes' },
    ],
    ['id=a,label=B', { type: 'button', label: 'B', custom_id: 'a' }],
    ['label=A,custom_id=b', { type: 'button', label: 'A', custom_id: 'b' }],
    ['label=Yes\\, please,id=y', { type: 'button', label: 'Yes, please', custom_id: 'y' }],
    ['label=C:\\\\,id=y', { type: 'button', label: 'C:\\', custom_id: 'y' }],
    ['label=a\\b,id=y', { type: 'button', label: 'a\\b', custom_id: 'y' }],
    ['label=end\\,id=y', { type: 'button', label: 'never', custom_id: 'never' }],
    ['label=1+1=2,id=a=b', { type: 'button', label: '1+1=2', custom_id: 'a=b' }],
    ['label= spaced ,id=y', { type: 'button', label: ' spaced ', custom_id: 'y' }],
    ['label=A, id=y', { type: 'button', label: 'A', custom_id: 'y' }],
    ['label=日本,id=😀', { type: 'button', label: '日本', custom_id: '😀' }],
  ])('%s', (text, button) => {
    if (button.label === 'never') expect(parseButton(text)).toEqual(complaint('no-id'));
    else expect(parseButton(text)).toStrictEqual(button);
  });

  test.each([
    ['', { unknown: '' }],
    ['Yes', { unknown: 'Yes' }],
    ['label=A,id=b,colour=red', { unknown: 'colour=red' }],
    ['label=A,id=b,', { unknown: '' }],
    ['=A,id=b', { unknown: '=A' }],
    ['labels', { unknown: 'labels' }],
    ['constructor=A,id=b', { unknown: 'constructor=A' }],
    ['__proto__=A,id=b', { unknown: '__proto__=A' }],
    ['toString=A,label=x,id=b', { unknown: 'toString=A' }],
    ['id=b', 'no-label'],
    ['label=,id=b', 'no-label'],
    ['label=A', 'no-id'],
    ['label=A,id=', 'no-id'],
    ['label=A,id=b,style=', 'empty-style'],
    ['label=A,label=B,id=c', { twice: 'label' }],
    ['label=A,id=b,custom_id=c', { twice: 'custom_id' }],
  ])('%j is refused: %j', (text, value) => {
    expect(parseButton(text)).toEqual(complaint(value));
  });
});

describe('buttons of the command line', () => {
  test('are one row in their order', () => {
    const { rows, complaints } = rowsFrom(['label=A,id=a', 'label=B,id=b']);
    expect(complaints).toEqual([]);
    expect(rows).toMatchObject([
      { type: 'action_row', components: [{ custom_id: 'a' }, { custom_id: 'b' }] },
    ]);
  });

  test('are all judged', () => {
    expect(rowsFrom(['x', 'label=A,id=a', 'y']).complaints).toHaveLength(2);
  });
});
