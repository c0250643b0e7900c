import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openJournal } from '../../src/once/journal/file/openJournal.ts';
import { SourceFile } from '../../src/once/journal/file/sourceFile.ts';
import type { AttemptEnd } from '../../src/once/journal/journal.ts';
import { importFile } from '../../src/postgres/importFile.ts';
import { buildJournal } from '../once/journal/sqlite/journalProcess.ts';
import { failureOf } from '../support/failure.ts';
import { allOf, baseUrl, done, inHand, newEntry, newPath, nowMs } from '../support/journals.ts';
import {
  lookingAfter,
  newSharedPlace,
  openShared,
  type SharedPlace,
} from '../support/postgres/sharedJournal.ts';

/** As PostgreSQL gives bytes. */
function withBuffers<T extends object>(row: T): T {
  const cells = Object.entries(row).map(([name, cell]) => [
    name,
    cell instanceof Uint8Array ? Buffer.from(cell) : cell,
  ]);
  return Object.fromEntries(cells);
}

/** Imports it as the owner of the tables. */
async function takeAlong(path: string, place: SharedPlace): Promise<number> {
  const source = SourceFile.open(path);
  try {
    await lookingAfter(place, (asking) => importFile(asking, source));
    source.closeFor(place.url, 'ada', nowMs);
    return source.entries;
  } finally {
    source.close();
  }
}

const payment = '["4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLS4gDB4T","sol","1.5"]';

async function filled(): Promise<string> {
  const path = newPath();
  const journal = inHand(openJournal(path));
  const paid = await done(journal, 'accepted', { kind: 'transfer', namedBy: 'once', name: 'rent', payment });
  await journal.keepReceipts(paid, [{ origin: baseUrl, what: 'signature', value: 'sig' }]);
  await done(journal, 'rejected', { namedBy: 'row', name: 'news', rowId: '1' });
  const open = newEntry({ namedBy: 'once', name: 'later' });
  await journal.begin(open, 'hash', nowMs);
  await journal.endAttempt(open.id, 1, unsent, nowMs);
  await journal.conclude(open.id, 'open', undefined, nowMs);
  await journal.close();
  return path;
}

const unsent: AttemptEnd = {
  ...({ phase: 'not-sent', verdict: 'unsent', status: undefined, requestId: undefined } as const),
  ...{ retryAfterMs: undefined, duplicate: false, reply: Buffer.from('a\0b'), headers: {} },
  trouble: { is: 'no-answer' },
};

test('all that a file holds is there, and the file sends nothing more', async () => {
  const path = await filled();
  const place = await newSharedPlace();
  const before = inHand(openJournal(path, 'look'));
  const all = await allOf(before.select({ limit: 9 }));
  const attempts = await Promise.all(all.map(({ id }) => before.attemptsOf(id)));
  const hash = before.hashOf('token');
  await before.close();
  expect(await takeAlong(path, place)).toBe(3);
  const journal = inHand(await openShared(place));
  expect(await allOf(journal.select({ limit: 9 }))).toEqual(all.map(withBuffers));
  expect(await Promise.all(all.map(({ id }) => journal.attemptsOf(id)))).toEqual(
    attempts.map((own) => own.map(withBuffers)),
  );
  const [paid] = all.filter(({ payment: one }) => one === payment);
  expect(await journal.receiptsOf(paid?.id ?? '')).toHaveLength(1);
  expect(journal.hashOf('token')).toBe(hash);
  const [later] = all.filter(({ name }) => name === 'later');
  await journal.claim(later?.id ?? '', nowMs + 1);
  await done(journal, 'accepted');
  expect(await failureOf(() => openJournal(path).close())).toMatchObject({ code: 'journal-moved' });
  const looking = inHand(openJournal(path, 'look'));
  expect([looking.isReadOnly, (await allOf(looking.select({ limit: 9 }))).length]).toEqual([true, 3]);
  await looking.close();
  // Once more: its id is there already.
  expect(await takeAlong(path, place)).toBe(3);
});

/** Imported, and killed before the file was closed for sending. */
async function half(): Promise<{ path: string; place: SharedPlace }> {
  const path = await filled();
  const place = await newSharedPlace();
  const source = SourceFile.open(path);
  await lookingAfter(place, (asking) => importFile(asking, source));
  source.close();
  return { path, place };
}

test('killed between the two commits, it only closes the file when it is run again', async () => {
  const { path, place } = await half();
  await openJournal(path).close();
  expect(await takeAlong(path, place)).toBe(3);
  expect(await failureOf(() => openJournal(path).close())).toMatchObject({ code: 'journal-moved' });
  expect(await allOf((await openShared(place)).reads.select({ limit: 9 }))).toHaveLength(3);
});

test('killed between the two commits, a file that went on sending is not closed when it is run again', async () => {
  const { path, place } = await half();
  const journal = inHand(openJournal(path));
  await done(journal, 'accepted');
  await journal.close();
  expect(await failureOf(() => takeAlong(path, place))).toMatchObject({ kind: 'went-on' });
  await openJournal(path).close();
});

test('nothing is taken into a journal that has an entry, and the file goes on', async () => {
  const path = await filled();
  const place = await newSharedPlace();
  await done(inHand(await openShared(place)), 'accepted');
  expect(await failureOf(() => takeAlong(path, place))).toMatchObject({ code: 'not-allowed-now' });
  await openJournal(path).close();
  expect(await allOf((await openShared(place)).reads.select({ limit: 9 }))).toHaveLength(1);
});

test.each(['unknown', 'held'] as const)(
  'nothing is taken while an entry is %s: it is named',
  async (state) => {
    const path = await filled();
    const journal = inHand(openJournal(path));
    const id = await done(journal, state);
    await journal.close();
    const failure = await failureOf(() => takeAlong(path, { url: '', schema: '', dataFolder: '' }));
    expect(failure).toMatchObject({ code: 'not-allowed-now', message: expect.stringContaining(id) });
    await openJournal(path).close();
  },
);

test('nothing is taken while a process may send through it', async () => {
  const path = await filled();
  const program = await buildJournal();
  const { next, ended, child } = program.start(
    path,
    `const journal = openJournal(path);
     await journal.commit((tx) => tx.begin(entry(1), 'h', 1));
     await journal.commit((tx) => tx.endAttempt('entry-1', 1, end('accepted'), 2));
     await journal.commit((tx) => tx.conclude('entry-1', 'accepted', undefined, 2));
     say('alive');
     process.stdin.once('data', () => journal.close());`,
  );
  await next();
  const failure = await failureOf(() => takeAlong(path, { url: '', schema: '', dataFolder: '' }));
  expect(failure).toMatchObject({ code: 'not-allowed-now', message: expect.stringContaining('1 process') });
  child.stdin?.end('go');
  await ended();
  program.remove();
});

test('what is no journal is not taken', async () => {
  const path = newPath();
  expect(await failureOf(() => takeAlong(path, { url: '', schema: '', dataFolder: '' }))).toMatchObject({
    code: 'no-such-journal',
  });
  expect(existsSync(path)).toBe(false);
});
