import { describe, expect, test } from 'vitest';
import { keyAgeMs, tooOldToSend } from '../../../src/once/engine/plan.ts';
import { clockSlack, keyAges } from './design.ts';

const start = 1_800_000_000_000;
const landed = (kind: 'message' | 'transfer') => ({
  kind,
  createdAtMs: start,
  updatedAtMs: start,
  mayHaveLandedAtMs: start,
});

describe('the age of a key', () => {
  test.each(['message', 'transfer'] as const)(
    'of a %s is what the design says, to the millisecond',
    (kind) => {
      expect(keyAgeMs(kind, undefined)).toBe(keyAges[kind]);
      expect(tooOldToSend(landed(kind), undefined, start + keyAges[kind])).toBeUndefined();
      expect(tooOldToSend(landed(kind), undefined, start + keyAges[kind] + 1)).toBe('key-age');
    },
  );

  test('is set by the profile for transfers only', () => {
    expect(tooOldToSend(landed('transfer'), 1000, start + 1001)).toBe('key-age');
    expect(tooOldToSend(landed('transfer'), 0, start)).toBeUndefined();
    expect(tooOldToSend(landed('message'), 1000, start + 1001)).toBeUndefined();
  });

  test('does not exist where nothing may have landed', () => {
    const open = { ...landed('transfer'), mayHaveLandedAtMs: undefined };
    expect(tooOldToSend(open, undefined, start + 1e12)).toBeUndefined();
    expect(tooOldToSend(open, undefined, 0)).toBeUndefined();
  });

  test('cannot be told by a clock more than 5 minutes behind any of the intent’s own times', () => {
    expect(tooOldToSend(landed('message'), undefined, start - clockSlack)).toBeUndefined();
    expect(tooOldToSend(landed('message'), undefined, start - clockSlack - 1)).toBe('clock');
    const later = start + 600_000;
    for (const time of ['createdAtMs', 'updatedAtMs', 'mayHaveLandedAtMs'] as const) {
      expect(tooOldToSend({ ...landed('transfer'), [time]: later }, undefined, start)).toBe('clock');
    }
  });
});
