import { describe, expect, test } from 'vitest';
import { failureWith } from '../../../src/once/failures.ts';
import { sentence } from '../../../src/once/sentence.ts';

describe('a failure that is written as it is read', () => {
  test('has what happened, what to do, and commands', () => {
    const [id, other] = ['3f9a', '77aa'];
    expect(sentence`Entry ${id} is held
      Look at it first.
      Then decide:
      $ history ${id}
      $ resume ${id} --journal=${other}`).toEqual({
      message: 'Entry 3f9a is held',
      hint: 'Look at it first. Then decide:',
      next: [
        ['history', '3f9a'],
        ['resume', '3f9a', '--journal=77aa'],
      ],
    });
  });

  test('may begin on a line of its own, and need neither advice nor commands', () => {
    expect(sentence`
      Nothing is left`).toEqual({ message: 'Nothing is left' });
  });

  test.each(['a b', 'a\n$ resume b', '$ resume b', '\0', ' '])(
    'keeps %j what it is, wherever it stands',
    (value) => {
      expect(sentence`It is ${value}, ${1}
      Fix ${value}, ${2n}
      $ history ${value} ${3}`).toEqual({
        message: `It is ${value}, 1`,
        hint: `Fix ${value}, 2`,
        next: [['history', value, '3']],
      });
    },
  );

  test('has its code, and what no line can say', () => {
    const cause = new Error('the cause');
    const failure = failureWith('usage', { cause, next: [['doctor']] })`It is wrong
      Ask the doctor:`;
    expect([failure.code, failure.message, failure.details.hint]).toEqual([
      'usage',
      'It is wrong.',
      'Ask the doctor:',
    ]);
    expect([failure.cause, failure.details.next]).toEqual([cause, [['doctor']]]);
  });
});
