import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Button, type ButtonWord, parseButton, rowsFrom } from '../../src/intent/buttons.ts';

function problemOf(text: string): string | undefined {
  const button = parseButton(text);
  return 'problem' in button ? button.problem : undefined;
}

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
    if (button.label === 'never') expect(problemOf(text)).toBe('has no id');
    else expect(parseButton(text)).toEqual(button);
  });

  test.each([
    ['', 'has a part that is not label=, id= or style=: ""'],
    ['Yes', 'has a part that is not label=, id= or style=: "Yes"'],
    ['label=A,id=b,colour=red', 'has a part that is not label=, id= or style=: "colour=red"'],
    ['label=A,id=b,', 'has a part that is not label=, id= or style=: ""'],
    ['=A,id=b', 'has a part that is not label=, id= or style=: "=A"'],
    ['constructor=A,id=b', 'has a part that is not label=, id= or style=: "constructor=A"'],
    ['__proto__=A,id=b', 'has a part that is not label=, id= or style=: "__proto__=A"'],
    ['toString=A,label=x,id=b', 'has a part that is not label=, id= or style=: "toString=A"'],
    ['id=b', 'has no label'],
    ['label=,id=b', 'has no label'],
    ['label=A', 'has no id'],
    ['label=A,id=', 'has no id'],
    ['label=A,id=b,style=', 'has an empty style'],
    ['label=A,label=B,id=c', 'gives label twice'],
    ['label=A,id=b,custom_id=c', 'gives custom_id twice'],
  ])('%j is refused: it %s', (text, problem) => {
    expect(problemOf(text)).toBe(problem);
  });

  test('any label and id come through their escapes', () => {
    const written = (text: string): string => text.replace(/[\\,]/gu, '\\$&');
    const some = fc.string({ minLength: 1 });
    fc.assert(
      fc.property(some, some, (label, id) => {
        expect(parseButton(`label=${written(label)},id=${written(id)}`)).toEqual({
          type: 'button',
          label,
          custom_id: id,
        });
      }),
    );
  });
});

const a: ButtonWord = { button: 'label=A,id=a' };
const b: ButtonWord = { button: 'label=B,id=b' };
const c: ButtonWord = { button: 'label=C,id=c' };

function idsOf(words: ButtonWord[]): string[][] {
  return rowsFrom(words).rows.map(({ components }) =>
    components.map((button) => ('custom_id' in button ? button.custom_id : '?')),
  );
}

describe('rows of buttons', () => {
  test.each<[string, ButtonWord[], string[][]]>([
    ['one row without --row', [a, b], [['a', 'b']]],
    ['a row mark between buttons', [a, 'row', b, c], [['a'], ['b', 'c']]],
    ['a row mark before the first button', ['row', a, 'row', b], [['a'], ['b']]],
    ['every button in its own row', [a, 'row', b, 'row', c], [['a'], ['b'], ['c']]],
  ])('%s', (_what, words, ids) => {
    expect(rowsFrom(words).complaints).toEqual([]);
    expect(idsOf(words)).toEqual(ids);
  });

  test.each<[string, ButtonWord[]]>([
    ['only a row mark', ['row']],
    ['a row mark at the end', [a, 'row']],
    ['two row marks in a row', [a, 'row', 'row', b]],
    ['two row marks before the first button', ['row', 'row', a]],
  ])('%s begins a row without buttons', (_what, words) => {
    expect(rowsFrom(words).complaints.map(({ problem }) => problem)).toEqual([
      'begins a row without buttons',
    ]);
  });

  test('every wrong button is complained of, and its row not as well', () => {
    const { complaints } = rowsFrom([{ button: 'x' }, a, { button: 'label=A' }]);
    expect(complaints.map(({ problem }) => problem)).toEqual([
      'has a part that is not label=, id= or style=: "x"',
      'has no id',
    ]);
  });
});
