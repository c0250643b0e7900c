import { expect, test } from 'vitest';
import { refuseChanged, shownNow } from '../../../src/once/engine/asShown.ts';
import type { Decision, Entry } from '../../../src/once/journal/journal.ts';

const entry = { id: 'a', fingerprint: 'f', state: 'sending', ownerLives: false, attempts: 1 } as Entry;
const reads = (change: Partial<Entry> = {}, decisions = 1) => ({
  get: async () => ({ ...entry, ...change }),
  decisionsOf: async () => Array.from({ length: decisions }, () => ({}) as Decision),
});

test.each<[string, Partial<Entry>, number?]>([
  ['content', { fingerprint: 'g' }],
  ['state', { state: 'held' }],
  ['state, by a process that lives', { ownerLives: true }],
  ['attempts', { state: 'unknown', attempts: 2 }],
  ['decisions', {}, 2],
])('what was shown has changed in its %s', async (_what, change, decisions) => {
  const shown = await shownNow('a', reads());
  await expect(refuseChanged(shown, entry, reads(change, decisions))).rejects.toMatchObject({
    kind: 'changed-since-shown',
    fields: { id: 'a' },
    code: 'held',
  });
});

test('what is decided between the two looks counts as a change', async () => {
  const looks: string[] = [];
  const { get, decisionsOf } = reads();
  await shownNow('a', {
    decisionsOf: () => {
      looks.push('decisions');
      return decisionsOf();
    },
    get: () => {
      looks.push('entry');
      return get();
    },
  });
  expect(looks).toEqual(['decisions', 'entry']);
});
