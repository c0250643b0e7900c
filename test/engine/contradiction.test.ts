import { afterEach, beforeEach, expect, test } from 'vitest';
import { decideOutcome } from '../../src/engine/decide.ts';
import { failureOf } from '../helpers/failure.ts';
import { Workshop } from '../helpers/workshop.ts';

let workshop: Workshop;
beforeEach(() => {
  workshop = new Workshop();
});
afterEach(() => workshop.remove());

// The proof flipped bits in a journal until its list named an intent that its index did not find: botctl
// called that a bug of its own.
test('a journal that lists what it does not find is damaged', async () => {
  expect(await failureOf(() => workshop.resume('listed'))).toMatchObject({ code: 'journal-damaged' });
  const journal = workshop.open();
  const deciding = (): unknown => decideOutcome('listed', workshop.word('happened'), journal);
  expect(await failureOf(deciding)).toMatchObject({ code: 'journal-damaged' });
});
