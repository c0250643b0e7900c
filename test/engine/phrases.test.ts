import { expect, test } from 'vitest';
import { lasting } from '../../src/engine/phrases.ts';

test.each([
  [-5, '0 s'],
  [1, '1 s'],
  [119_000, '119 s'],
  [120_000, '2 min 0 s'],
  [3_599_001, '1 h 0 min'],
  [3_600_000, '1 h 0 min'],
  [93_660_000, '26 h 1 min'],
])('%i ms last %s', (ms, said) => {
  expect(lasting(ms)).toBe(said);
});
