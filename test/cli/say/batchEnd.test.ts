import { expect, test } from 'vitest';
import {
  batchDone,
  meaningOf,
  type NotDone,
  notAllDone,
  notDoneOutcomes,
} from '../../../src/cli/say/rows.ts';

const again = ['batch', 'send', 'a.csv'];

function ended(notDone: readonly NotDone[], ...needs: string[]) {
  const { message, details } = notAllDone('not-all-done', notDone, undefined, new Set(needs), again);
  return { message, hint: details.hint, next: details.next };
}

const runAgain = 'run the same command again: it does only what is left, with the same keys.';

test('what may have happened is said first', () => {
  expect(notDoneOutcomes[0]).toBe('unknown');
});

test('one row is said as one, several as several', () => {
  expect(ended([{ outcome: 'unknown', rows: 1 }]).message).toBe('1 row is unknown: it may have happened.');
  expect(ended([{ outcome: 'unknown', rows: 1200 }]).message).toBe(
    '1,200 rows are unknown: they may have happened.',
  );
  expect(meaningOf({ outcome: 'not-sent', rows: 1 })).toBe('1: its id or another payment is in the way');
  expect(batchDone('n', 3, 3, 1)).toBe('Batch n: 3 of 3 accepted, 1 of them earlier');
});

test('where running it again is all, nothing else is asked for', () => {
  expect(ended([{ outcome: 'open', rows: 2 }], 'same-command').hint).toBe(`R${runAgain.slice(1)}`);
});

test('what running it again does not help is to be fixed or decided first', () => {
  const rows = [
    { outcome: 'held', rows: 1 },
    { outcome: 'not-sent', rows: 1 },
    { outcome: 'invalid', rows: 2 },
  ];
  const { message, hint, next } = ended(rows, 'decide', 'after-fix');
  expect(message).toBe('1 row is held; 1 row was not sent; 2 rows are not valid.');
  expect(hint).toBe(
    `Decide about the held rows: resolve or resume them. Fix the rows that were not sent or are not valid (a row with a new id is sent besides the earlier one), then ${runAgain}`,
  );
  expect(next).toEqual([['history', '--state', 'held'], again]);
});

test('a stop says why, and what comes before the next run', () => {
  const stop = { because: 'held', rows: 8 } as const;
  const { message, details } = notAllDone(
    'some-held',
    [{ outcome: 'held', rows: 8 }],
    stop,
    new Set(),
    again,
  );
  expect(message).toBe(
    '8 rows are held. The last 8 rows ended held: the replies do not say what was done, so no new rows were started.',
  );
  expect(details.hint).toBe(`Check the held rows before anything more is sent. Then ${runAgain}`);
});
