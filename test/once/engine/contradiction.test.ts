import { afterEach, beforeEach, expect, test } from 'vitest';
import { resolveIntent } from '../../../src/once/engine/resume.ts';
import type { Shown } from '../../../src/once/engine/shown.ts';
import { failureOf } from '../../../testing/failure.ts';
import { ScriptedEngine } from '../../../testing/scriptedEngine.ts';

let scripted: ScriptedEngine;
beforeEach(() => {
  scripted = new ScriptedEngine();
});
afterEach(() => scripted.remove());

// The proof flipped bits in a journal until its list named an intent that its index did not find: botctl
// called that a bug of its own.
test('a journal that lists what it does not find is damaged', async () => {
  expect(await failureOf(() => scripted.resume('listed'))).toMatchObject({ code: 'journal-damaged' });
  const journal = scripted.open();
  expect(await failureOf(() => scripted.shown('listed'))).toMatchObject({ code: 'journal-damaged' });
  const listed = { intent: { id: 'listed' }, decisions: 0 } as Shown;
  const deciding = (): unknown => resolveIntent(listed, scripted.word('happened'), journal);
  expect(await failureOf(deciding)).toMatchObject({ code: 'journal-damaged' });
});
