import { describe, expect, test } from 'vitest';
import type { SheetRow } from '../../src/batch/sheet.ts';
import { type RowEnd, StopRules } from '../../src/batch/stopRules.ts';
import { endingOf, type Outcome } from '../../src/once/engine/outcome.ts';
import type { Kind } from '../../src/once/intent/wanted.ts';
import type { State } from '../../src/once/journal/journal.ts';

const row = { ordinal: 1, line: 2 } as SheetRow;

function endedAs(outcome: Outcome, sent = true): RowEnd {
  return { row, sent, ending: endingOf(outcome) };
}

function end(state: State, status?: number, sent = true): RowEnd {
  return endedAs({ is: 'concluded', intent: { state }, attempt: { status } } as Outcome, sent);
}

function rules(kind: Kind = 'transfer', maxFailures?: number): StopRules {
  return new StopRules({ kind, concurrency: 3, maxFailures });
}

describe('no new rows are begun', () => {
  test.each([
    ['401', 'rejected', 401, 'message', 'token'],
    ['403', 'rejected', 403, 'transfer', 'token'],
    ['403 of what may have landed', 'unknown', 403, 'transfer', 'token'],
    ['402 on a transfer', 'rejected', 402, 'transfer', 'balance'],
    ['402 on a transfer that may have landed', 'held', 402, 'transfer', 'balance'],
  ] as const)('after a %s', (_what, state, status, kind, because) => {
    const watched = rules(kind);
    watched.note(end(state, status));
    expect(watched.stop?.because).toBe(because);
    expect(watched.signal.aborted).toBe(true);
  });

  test.each(['open', 'unknown'] as const)('after one row that a certificate leaves %s', (state) => {
    const watched = rules();
    const trouble = { is: 'certificate', text: 'certificate has expired' } as const;
    const stopped = { because: 'certificate', trouble } as const;
    const outcome = { is: 'concluded', intent: { state }, stopped } as Outcome;
    watched.note(endedAs(outcome));
    expect(watched.stop).toEqual(stopped);
  });

  test('after as many unanswered rows in a row as go at a time', () => {
    const watched = rules();
    for (const state of ['unknown', 'open', 'accepted', 'open', 'unknown'] as const) watched.note(end(state));
    expect(watched.stop).toBeUndefined();
    watched.note(end('open'));
    expect(watched.stop).toEqual({ because: 'service-down', rows: 3 });
  });

  test('after as many held rows in a row as go at a time, of those that were sent now', () => {
    const watched = rules();
    for (const sent of [true, true, false, false]) watched.note(end('held', undefined, sent));
    watched.note(end('accepted'));
    for (const _row of [1, 2]) watched.note(end('held'));
    expect(watched.stop).toBeUndefined();
    watched.note(end('held'));
    expect(watched.stop).toEqual({ because: 'held', rows: 3 });
  });

  test('after --max-failures rows that are not done', () => {
    const watched = rules('message', 2);
    for (const state of ['rejected', 'accepted'] as const) watched.note(end(state, 404));
    expect(watched.stop).toBeUndefined();
    watched.note(end('held', undefined, false));
    expect(watched.stop).toEqual({ because: 'max-failures', failures: 2 });
  });

  test('once the journal takes no more', () => {
    const watched = rules();
    const ended = { is: 'not-recorded', cause: new Error('the disk is full') } as Outcome;
    watched.note(endedAs(ended));
    expect(watched.stop).toMatchObject({ because: 'failure' });
  });

  test('and the first reason stands', () => {
    const watched = rules();
    watched.interrupt();
    watched.note(end('rejected', 401));
    expect(watched.stop).toEqual({ because: 'interrupted' });
  });
});

test.each([
  ['402 on a message', 'rejected', 402, true],
  ['a row that was refused earlier and not sent this time', 'held', 402, false],
  ['404', 'rejected', 404, true],
] as const)('%s stops nothing', (_what, state, status, sent) => {
  const watched = rules('message');
  watched.note(end(state, status, sent));
  expect(watched.stop).toBeUndefined();
});
