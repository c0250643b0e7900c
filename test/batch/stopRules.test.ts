import { describe, expect, test } from 'vitest';
import { StopRules } from '../../src/batch/stopRules.ts';
import { type Outcome, type OutcomeToTell, outcomeToTell } from '../../src/once/engine/outcome.ts';
import type { State } from '../../src/once/journal/journal.ts';

type End = readonly [OutcomeToTell, boolean];

function endedAs(outcome: Outcome, sent = true): End {
  return [outcomeToTell(outcome), sent];
}

function end(state: State, status?: number, sent = true): End {
  return endedAs({ is: 'concluded', entry: { state }, attempt: { status } } as Outcome, sent);
}

function rules(maxFailures?: number): StopRules {
  return new StopRules({ concurrency: 3, maxFailures });
}

describe('no new rows are begun', () => {
  test.each([
    ['401', 'rejected', 401, 'token'],
    ['403', 'rejected', 403, 'token'],
    ['403 of what may have taken effect', 'unknown', 403, 'token'],
    ['402', 'rejected', 402, 'balance'],
    ['402 of what may have taken effect', 'held', 402, 'balance'],
  ] as const)('after a %s', (_what, state, status, because) => {
    const watched = rules();
    watched.note(...end(state, status));
    expect(watched.stop?.because).toBe(because);
    expect(watched.signal.aborted).toBe(true);
  });

  test.each(['open', 'unknown'] as const)('after one row that a certificate leaves %s', (state) => {
    const watched = rules();
    const trouble = { is: 'certificate', text: 'certificate has expired' } as const;
    const stopped = { because: 'certificate', trouble } as const;
    const outcome = { is: 'concluded', entry: { state }, stopped } as Outcome;
    watched.note(...endedAs(outcome));
    expect(watched.stop).toEqual(stopped);
  });

  test('after as many rows in a row as go at a time that have no answer or are held, of those sent now', () => {
    const watched = rules();
    for (const state of ['unknown', 'held', 'accepted', 'open', 'rejected', 'open', 'unknown'] as const)
      watched.note(...end(state));
    watched.note(...end('held', undefined, false));
    expect(watched.stop).toBeUndefined();
    watched.note(...end('held'));
    expect(watched.stop).toEqual({ because: 'failures-in-a-row', rows: 3 });
  });

  test('after --max-failures rows that this run sent and that are not done', () => {
    const watched = rules(2);
    for (const state of ['rejected', 'accepted'] as const) watched.note(...end(state, 404));
    for (const state of ['declined', 'held'] as const) watched.note(...end(state, undefined, false));
    expect(watched.stop).toBeUndefined();
    watched.note(...end('held'));
    expect(watched.stop).toEqual({ because: 'max-failures', failures: 2 });
  });

  test('once the journal takes no more', () => {
    const watched = rules();
    const ended = { is: 'not-recorded', cause: new Error('the disk is full') } as Outcome;
    watched.note(...endedAs(ended));
    expect(watched.stop).toMatchObject({ because: 'failure' });
  });

  test('and the first reason stands', () => {
    const watched = rules();
    watched.interrupt();
    watched.note(...end('rejected', 401));
    expect(watched.stop).toEqual({ because: 'interrupted' });
  });
});

test.each([
  ['a row that was refused earlier and not sent this time', 'held', 402, false],
  ['404', 'rejected', 404, true],
] as const)('%s stops nothing', (_what, state, status, sent) => {
  const watched = rules();
  watched.note(...end(state, status, sent));
  expect(watched.stop).toBeUndefined();
});
