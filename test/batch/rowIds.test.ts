import { expect, test } from 'vitest';
import { consecutiveIds } from '../../src/batch/sheet.ts';

function idsFrom(uuid: string, count: number): string[] {
  const next = consecutiveIds(() => uuid);
  return Array.from({ length: count }, next);
}

test('the ids of a batch follow one another from a random one', () => {
  expect(idsFrom('00a3f9c1-e07f-4111-8111-111111111111', 3)).toEqual([
    '00a3f9c1e07f',
    '00a3f9c1e080',
    '00a3f9c1e081',
  ]);
});

test('after the last possible id comes the first', () => {
  expect(idsFrom('ffffffff-ffff-4111-8111-111111111111', 2)).toEqual(['ffffffffffff', '000000000000']);
});
