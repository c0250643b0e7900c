import { afterAll, beforeAll, expect, test } from 'vitest';
import { failureOf } from '../support/failure.ts';
import { endWith, newEntry } from '../support/journals.ts';
import { type CuttableProxy, startCuttableProxy } from '../support/postgres/cuttableProxy.ts';
import { sharedServer } from '../support/postgres/server.ts';
import { newSharedPlace, openShared } from '../support/postgres/sharedJournal.ts';

let proxy: CuttableProxy;
beforeAll(async () => {
  proxy = await startCuttableProxy((await sharedServer()).port);
});
afterAll(() => proxy.close());

test('who says twice to leave waits for no server that does not answer', async () => {
  const place = await newSharedPlace();
  const [first, second] = [new AbortController(), new AbortController()];
  const journal = await openShared(
    { ...place, url: proxy.through(place.url) },
    { patience: { interrupted: first.signal, leaving: second.signal } },
  );
  const { id } = await journal.commit((tx) => tx.begin(newEntry(), 'hash', 1), { beforeSending: true });
  const held = proxy.when({ from: 'client', has: 'COMMIT' }, 'hold');
  const failing = failureOf(() => journal.commit((tx) => tx.endAttempt(id, 1, endWith('accepted'), 2)));
  await held;
  first.abort();
  second.abort();
  expect(await failing).toMatchObject({ code: 'journal-unreachable' });
});

test('who says twice to leave still has on record what was cut off, where the server answers', async () => {
  const second = new AbortController();
  const journal = await openShared(await newSharedPlace(), {
    patience: { interrupted: second.signal, leaving: second.signal },
  });
  const { id } = await journal.commit((tx) => tx.begin(newEntry(), 'hash', 1), { beforeSending: true });
  second.abort();
  await journal.commit((tx) => tx.endAttempt(id, 1, endWith('unknown'), 2));
  expect((await journal.reads.attemptsOf(id)).map(({ verdict }) => verdict)).toEqual(['unknown']);
});

test('who leaves while the first connection is made waits for no server that does not answer', async () => {
  const place = await newSharedPlace();
  const first = new AbortController();
  proxy.now('hold');
  const opening = failureOf(() =>
    openShared({ ...place, url: proxy.through(place.url) }, { patience: { interrupted: first.signal } }),
  );
  setImmediate(() => first.abort());
  expect(await opening).toMatchObject({ code: 'interrupted' });
  proxy.release();
});

test('who says twice to leave while a connection is made anew waits for none', async () => {
  const place = await newSharedPlace();
  const [first, second] = [new AbortController(), new AbortController()];
  const journal = await openShared(
    { ...place, url: proxy.through(place.url) },
    { patience: { interrupted: first.signal, leaving: second.signal } },
  );
  const { id } = await journal.commit((tx) => tx.begin(newEntry(), 'hash', 1), { beforeSending: true });
  const cut = proxy.when({ from: 'client', has: 'COMMIT' }, 'cut').then(() => proxy.now('hold'));
  const failing = failureOf(() => journal.commit((tx) => tx.endAttempt(id, 1, endWith('accepted'), 2)));
  await cut;
  first.abort();
  second.abort();
  expect(await failing).toMatchObject({ code: 'journal-unreachable' });
  proxy.release();
});
