import { describe, expect, test } from 'vitest';
import type { Standing } from '../../../src/once/journal/file/sourceFile.ts';
import { mergeStanding } from '../../../src/postgres/copyTarget.ts';

const at = (state: Standing['state'], change: Partial<Standing> = {}): Standing => ({
  state,
  tainted: ['unknown', 'held'].includes(state),
  mayHaveLandedAtMs: undefined,
  tokenHash: 'hash',
  heldReason: state === 'held' ? 'key-age' : undefined,
  resolvedAs: undefined,
  attempts: 1,
  updatedAtMs: 1,
  reportedAtMs: undefined,
  ...change,
});
const happened = at('resolved', { resolvedAs: 'happened', tainted: true });
const didNot = at('resolved', { resolvedAs: 'did-not-happen', tainted: true });

describe('one intent that two journals know', () => {
  test.each<[string, Standing, Standing, Partial<Standing> | undefined]>([
    ['what happened here stays', at('accepted'), at('unknown'), undefined],
    ['what was decided to have happened here stays', happened, at('accepted'), undefined],
    ['what happened there happened', at('rejected'), at('accepted'), { state: 'accepted' }],
    [
      'a decision there that it happened',
      at('held'),
      happened,
      { state: 'resolved', resolvedAs: 'happened' },
    ],
    [
      'doubt there outranks a decision here',
      didNot,
      at('unknown'),
      { state: 'unknown', resolvedAs: undefined },
    ],
    [
      'what is held there',
      at('rejected'),
      at('held'),
      { state: 'held', heldReason: 'key-age', tainted: true },
    ],
    ['doubt here outranks a no there', at('unknown'), at('rejected'), { state: 'unknown', tainted: true }],
    ['a decision outranks a no', at('rejected'), didNot, { state: 'resolved', resolvedAs: 'did-not-happen' }],
    ['a no outranks nothing at all', at('open'), at('rejected'), { state: 'rejected', tainted: false }],
  ])('%s', (_what, here, there, expected) => {
    const merged = mergeStanding(here, there, 'message');
    if (expected === undefined) expect(merged).toBeUndefined();
    else expect(merged).toMatchObject({ ...expected, attempts: 2, tokenHash: undefined });
  });

  test('a transfer in doubt is held for want of its token', () => {
    expect(mergeStanding(at('rejected'), at('unknown'), 'transfer')).toMatchObject({
      state: 'held',
      heldReason: 'other-token',
    });
  });

  test('may have landed when the first of both may have', () => {
    const [early, late] = [at('unknown', { mayHaveLandedAtMs: 5 }), at('unknown', { mayHaveLandedAtMs: 9 })];
    expect(mergeStanding(late, early, 'message')?.mayHaveLandedAtMs).toBe(5);
    expect(mergeStanding(at('rejected'), late, 'message')?.mayHaveLandedAtMs).toBe(9);
  });

  test('what is neither open nor rejected by one journal’s doubt is never called so', () => {
    const states = [at('open'), at('rejected'), at('unknown'), at('held'), happened, didNot, at('accepted')];
    for (const here of states) {
      for (const there of states) {
        const merged = mergeStanding(here, there, 'message');
        if (merged?.tainted) expect(['open', 'rejected']).not.toContain(merged.state);
        if (merged?.state === 'unknown') expect(merged.tainted).toBe(true);
      }
    }
  });
});
