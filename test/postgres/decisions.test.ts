import { expect, test } from 'vitest';
import { resolveIntent } from '../../src/once/engine/resume.ts';
import type { Decision, Journal } from '../../src/once/journal/journal.ts';
import { endWith, newIntent } from '../../testing/journals.ts';
import { newSharedPlace, openShared } from '../../testing/postgres/sharedJournal.ts';

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
        newIntent({ kind: 'transfer', payment: '["ada","sol","1"]', namedBy: 'once', name: 'n' }),
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

test('of two operators who decide at the same time, one hears what the other said', async () => {
  const place = await newSharedPlace();
  const [one, other] = [await openShared(place), await openShared(place)];
  for (let round = 0; round < 10; round += 1) {
    const id = await unknown(one);
    const ends = await Promise.allSettled([
      resolveIntent(id, decided('happened'), one),
      resolveIntent(id, decided('did-not-happen'), other),
    ]);
    expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  }
});
