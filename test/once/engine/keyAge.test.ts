import { describe, expect, test } from 'vitest';
import { keyAgesMs, tooOldToSend } from '../../../src/once/engine/plan.ts';
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
      expect(keyAgesMs[kind]).toBe(keyAges[kind]);
      expect(tooOldToSend(landed(kind), start + keyAges[kind])).toBeUndefined();
      expect(tooOldToSend(landed(kind), start + keyAges[kind] + 1)).toBe('key-age');
    },
  );

  test('does not exist where nothing may have landed', () => {
    const open = { ...landed('transfer'), mayHaveLandedAtMs: undefined };
    expect(tooOldToSend(open, start + 1e12)).toBeUndefined();
    expect(tooOldToSend(open, 0)).toBeUndefined();
  });

  test('cannot be told by a clock more than 5 minutes behind any of the intent’s own times', () => {
    expect(tooOldToSend(landed('message'), start - clockSlack)).toBeUndefined();
    expect(tooOldToSend(landed('message'), start - clockSlack - 1)).toBe('clock');
    const later = start + 600_000;
    for (const time of ['createdAtMs', 'updatedAtMs', 'mayHaveLandedAtMs'] as const) {
      expect(tooOldToSend({ ...landed('transfer'), [time]: later }, start)).toBe('clock');
    }
  });
});
