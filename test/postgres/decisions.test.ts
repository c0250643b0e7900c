import { expect, test } from 'vitest';
import { shownNow } from '../../src/once/engine/asShown.ts';
import { resolveEntry } from '../../src/once/engine/resume.ts';
import type { Decision, Journal } from '../../src/once/journal/journal.ts';
import { endWith, newEntry } from '../support/journals.ts';
import { newSharedPlace, openShared } from '../support/postgres/sharedJournal.ts';

const decided = (kind: Decision['kind']): Decision => ({
  kind,
  who: 'ada',
  atMs: 2,
  reason: 'seen',
  signature: undefined,
});

async function unknown(journal: Journal): Promise<string> {
  const { id } = await journal.commit(
    (tx) =>
      tx.begin(
        newEntry({ kind: 'transfer', payment: '["ada","sol","1"]', namedBy: 'once', name: 'n' }),
        'hash',
        1,
      ),
    { beforeSending: true },
  );
  await journal.commit(async (tx) => {
    await tx.endAttempt(id, 1, endWith('unknown'), 1);
    await tx.conclude(id, 'unknown', undefined, 1);
  });
  return id;
}

test('of two operators who decide the same at the same time, the word of one is kept', async () => {
  const place = await newSharedPlace();
  const [one, other] = [await openShared(place), await openShared(place)];
  const id = await unknown(one);
  const shown = await shownNow(id, one.reads);
  const words = ['ada', 'bob'].map((who) => ({ ...decided('happened'), who }));
  const ends = await Promise.all(
    [one, other].map((journal, n) => resolveEntry(shown, words[n] ?? decided('happened'), journal)),
  );
  expect(ends).toMatchObject([{ resolvedAs: 'happened' }, { resolvedAs: 'happened' }]);
  expect(await one.reads.decisionsOf(id)).toHaveLength(1);
});
