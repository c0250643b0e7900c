import { describe, expect, test } from 'vitest';
import { endOf, type Interruption, problemOf } from '../../../src/cli/wording/problem.ts';
import { Failure, type FailureCode, failureExits } from '../../../src/once/failures.ts';

describe('a command that stops says what it did not do', () => {
  const ends: readonly [FailureCode, Interruption, string][] = [
    ['usage', { does: undefined, begun: false }, 'Nothing was sent or changed.'],
    ['usage', { does: 'sends', begun: false }, 'Nothing was sent this time.'],
    ['no-token', { does: 'sends', begun: true }, 'Nothing more was sent.'],
    ['other-body', { does: 'sends', begun: false }, 'Nothing was sent this time.'],
    ['policy-limit', { does: 'sends', begun: true }, 'Nothing more was sent.'],
    ['usage', { does: 'changes', begun: false }, 'Nothing was changed.'],
    ['journal-unreachable', { does: 'changes', begun: true }, ''],
    ['not-allowed-now', { does: 'decides', begun: false }, 'Nothing was decided.'],
    ['journal-busy', { does: 'decides', begun: true }, ''],
    ['journal-damaged', { does: 'looks', begun: false }, ''],
    ['bug', { does: 'sends', begun: false }, 'Nothing was sent this time.'],
    ['bug', { does: 'sends', begun: true }, ''],
    ['stdout-not-writable', { does: 'changes', begun: false }, ''],
    ['machine-fault', { does: 'decides', begun: false }, ''],
  ];

  for (const [code, doing, end] of ends) {
    test(`${code}, ${doing.does} ${doing.begun ? 'begun' : 'not begun'}: ${end}`, () => {
      expect(endOf(code, doing)).toBe(end);
    });
  }

  test('once it may have sent something, no failure says that nothing was sent', () => {
    for (const code of Object.keys(failureExits) as FailureCode[])
      expect(endOf(code, { does: 'sends', begun: true })).not.toMatch(/^Nothing was sent/u);
  });

  test('what is known of an earlier run stands behind the end', () => {
    const failure = new Failure('no-token', 'There is no token', { earlier: 'Entry 1 may have happened.' });
    expect(problemOf(failure, { does: 'sends', begun: false }).message).toBe(
      'There is no token. Nothing was sent this time. Entry 1 may have happened.',
    );
  });

  test('what looks only says what is wrong', () => {
    const failure = new Failure('journal-damaged', 'The journal is damaged');
    expect(problemOf(failure, { does: 'looks', begun: false }).message).toBe('The journal is damaged.');
  });
});

test('a sentence is ended once', () => {
  expect(new Failure('usage', 'It was left unchanged.').message).toBe('It was left unchanged.');
});
