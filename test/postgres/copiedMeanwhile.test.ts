import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openJournal } from '../../src/once/journal/file/openJournal.ts';
import { SourceFile } from '../../src/once/journal/file/sourceFile.ts';
import { backUp } from '../../src/once/journal/file/upkeep.ts';
import type { NewIntent } from '../../src/once/journal/journal.ts';
import { lockOfWriters } from '../../src/postgres/base.ts';
import { CopyTarget } from '../../src/postgres/copyTarget.ts';
import { acceptSharedLoss, findSharedLoss } from '../../src/postgres/upkeep.ts';
import {
  allOf,
  done,
  endWith,
  inHand,
  type JournalInHand,
  newFolder,
  newIntent,
  newPath,
  nowMs,
  opened,
} from '../../testing/journals.ts';
import { copy, fileOf, notesOf } from '../../testing/postgres/copies.ts';
import {
  lookingAfter,
  newSharedPlace,
  onServer,
  openShared,
  type SharedPlace,
} from '../../testing/postgres/sharedJournal.ts';
import { silence, upForLong } from '../../testing/postgres/silence.ts';

/** As it is thrown, without its words. */
const failureOf = (work: () => Promise<unknown>): Promise<unknown> =>
  work().then(
    () => 'nothing was thrown',
    (thrown: unknown) => thrown,
  );

/** Three pages, of which one is copied. */
async function halfCopied(place: SharedPlace): Promise<string> {
  const [path, stop] = [await fileOf(450), new AbortController()];
  const copying = copy(path, place, { interrupted: stop.signal, onPage: () => stop.abort() });
  expect(await failureOf(() => copying)).toMatchObject({ kind: 'copy-interrupted' });
  return path;
}

/** What the service was asked by one machine, in a file, and by another one, through the server. */
async function fileWith(verdict: 'accepted' | 'rejected', change: Partial<NewIntent>): Promise<string> {
  const path = newPath();
  const journal = inHand(openJournal(path));
  await done(journal, verdict, change);
  await journal.close();
  return path;
}

/** Another machine sends through it, and ends. */
async function sentThrough(place: SharedPlace, change: Partial<NewIntent>): Promise<void> {
  const journal = inHand(await openShared(place));
  await done(journal, 'rejected', change);
  await journal.close();
}

/** What was rejected is sent once more, and accepted. */
async function sentAgain(journal: JournalInHand): Promise<void> {
  const [{ id } = { id: '' }] = await allOf(journal.reads.select({ limit: 1 }));
  await journal.claim(id, nowMs + 1);
  await journal.startAttempt(id, 'h', nowMs + 1);
  await journal.endAttempt(id, 2, endWith('accepted'), nowMs + 2);
  await journal.conclude(id, 'accepted', undefined, nowMs + 2);
  await journal.close();
}

const once = { namedBy: 'once', name: 'n', key: 'one key' } as const;

test('nothing is sent by who had opened the shared journal before, until the file is there whole', async () => {
  const place = await newSharedPlace();
  await sentThrough(place, {});
  const journal = inHand(await openShared(place));
  const path = await halfCopied(place);
  expect(await failureOf(() => journal.begin(newIntent(), 'h', nowMs))).toMatchObject({
    kind: 'copy-not-whole',
    fields: { path },
  });
  await copy(path, place);
  await journal.begin(newIntent(), 'h', nowMs);
  const begun = await onServer(place, (client) =>
    client.query(`SELECT count(*)::int FROM losses WHERE what = 'copying'`),
  );
  expect(begun.rows).toEqual([{ count: 1 }]);
});

test('nothing is sent by who knows another salt: what has no name would not be found again', async () => {
  const place = await newSharedPlace();
  const journal = inHand(await openShared(place));
  await copy(await fileOf(1), place);
  const refused = { kind: 'salt-replaced', code: 'fenced', fields: { place: journal.place } };
  expect(await failureOf(() => journal.begin(newIntent(), 'h', nowMs))).toMatchObject(refused);
  await inHand(await openShared(place)).begin(newIntent(), 'h', nowMs);
});

test('nothing is sent by who was silent for too long when the copy began', async () => {
  const place = await newSharedPlace();
  await upForLong(place.url, place.schema);
  const journal = inHand(await openShared(place));
  const id = await done(journal, 'rejected');
  await silence(place.url, journal.self(), place.schema);
  const path = await halfCopied(place);
  for (const sending of [
    () => journal.begin(newIntent(), 'h', nowMs),
    () => journal.startAttempt(id, 'h', nowMs),
  ])
    expect(await failureOf(sending)).toMatchObject({ kind: 'copy-not-whole', fields: { path } });
});

test('what came back is recorded all the same', async () => {
  const place = await newSharedPlace();
  await upForLong(place.url, place.schema);
  const journal = inHand(await openShared(place));
  const { id } = await journal.begin(newIntent(), 'h', nowMs);
  await silence(place.url, journal.self(), place.schema);
  await halfCopied(place);
  const [reply, next] = await journal.commitTogether<unknown>([
    { guards: {}, work: (tx) => tx.endAttempt(id, 1, endWith('unknown'), nowMs) },
    { guards: { beforeSending: true }, work: (tx) => tx.begin(newIntent(), 'h', nowMs) },
  ]);
  expect([reply?.status, next?.status]).toEqual(['fulfilled', 'rejected']);
  await journal.conclude(id, 'unknown', undefined, nowMs);
  expect(await journal.get(id)).toMatchObject({ state: 'unknown' });
});

test('a claim that is being committed when the copy begins is waited for, and speaks against it', async () => {
  const place = await newSharedPlace();
  const [journal, path] = [await openShared(place), await fileOf(1)];
  let goOn = (): void => {};
  const gate = new Promise<void>((open) => {
    goOn = open;
  });
  let hasAsked = (): void => {};
  const asked = new Promise<void>((yes) => {
    hasAsked = yes;
  });
  const claiming = journal.commit(
    async (tx) => {
      await tx.begin(newIntent(), 'h', nowMs);
      hasAsked();
      await gate;
    },
    { beforeSending: true },
  );
  await asked;
  const copying = failureOf(() => copy(path, place));
  await expect.poll(() => waitersOn(place)).toBe(1);
  goOn();
  await claiming;
  expect(await copying).toMatchObject({ kind: 'owners-alive' });
  await done(opened(path), 'accepted');
  await openShared(place);
});

async function waitersOn(place: SharedPlace): Promise<number> {
  const sql = `SELECT count(*)::int AS waiting FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  return (await onServer(place, (client) => client.query(sql))).rows[0]?.waiting;
}

test('what is sent by the same key while a person is asked is no part of the copy', async () => {
  const place = await newSharedPlace();
  await sentThrough(place, {});
  const path = await fileWith('accepted', once);
  const confirm = () => sentThrough(place, once);
  expect(await failureOf(() => copy(path, place, { confirm }))).toMatchObject({
    kind: 'bodies-differ',
    fields: { shown: [{ name: 'n' }] },
  });
  await done(opened(path), 'accepted');
  await openShared(place);
});

test('what is left in doubt in the file while a person is asked keeps the file open', async () => {
  const [place, path] = [await newSharedPlace(), await fileOf(1)];
  const confirm = async (): Promise<void> => {
    const journal = inHand(openJournal(path));
    await done(journal, 'unknown');
    await journal.close();
  };
  expect(await failureOf(() => copy(path, place, { confirm }))).toMatchObject({ kind: 'unsettled' });
  await done(opened(path), 'accepted');
  await openShared(place);
});

test('what was sent again through the server, since it was copied, is known to a newer file', async () => {
  const place = await newSharedPlace();
  const backup = join(newFolder(), 'backup.db');
  const path = await fileWith('rejected', once);
  await backUp(path, backup);
  await copy(path, place);
  const shared = inHand(await openShared(place));
  await sentAgain(shared);
  const newer = opened(backup);
  await done(newer, 'accepted');
  await newer.close();
  expect(await copy(backup, place)).toMatchObject({ added: 1, known: 1 });
});

test('an empty journal that is used while a person is asked keeps its own salt', async () => {
  const place = await newSharedPlace();
  const path = await fileWith('accepted', once);
  const confirm = () => sentThrough(place, {});
  expect(await copy(path, place, { confirm })).toEqual({ added: 1, known: 0, keepsTokens: false });
});

test('what has come to stand otherwise between two pages ends the copy, unfinished', async () => {
  const place = await newSharedPlace();
  const path = await fileOf(450);
  const others = inHand(await openShared(place));
  const last = opened(path);
  const key = 'key of the last';
  await done(last, 'accepted', { key });
  await last.close();
  const unguarded = async (): Promise<void> => {
    const { id } = await others.commit((tx) => tx.begin(newIntent({ key }), 'h', nowMs));
    await others.endAttempt(id, 1, endWith('rejected'), nowMs);
  };
  let pages = 0;
  const copying = failureOf(() =>
    copy(path, place, {
      onPage: () => {
        pages += 1;
        if (pages === 1) waiting = unguarded();
      },
    }),
  );
  let waiting: Promise<void> | undefined;
  expect(await copying).toMatchObject({ kind: 'sent-there-now' });
  await waiting;
  expect(await failureOf(() => openShared(place))).toMatchObject({ kind: 'copy-not-whole' });
});

test('what runs out its lease in mid-send is not let go on by its own renewal while a copy is unfinished', async () => {
  const place = await newSharedPlace();
  await upForLong(place.url, place.schema);
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const journal = inHand(await openShared(place));
  await journal.begin(newIntent(), 'h', nowMs);
  await silence(place.url, journal.self(), place.schema);
  await halfCopied(place);
  vi.advanceTimersByTime(15_000);
  await expect.poll(() => journal.trouble()).toEqual({ is: 'fenced' });
});

test('a copy that is refused ends no other unfinished copy of the same journal', async () => {
  const place = await newSharedPlace();
  const backup = join(newFolder(), 'backup.db');
  const path = await fileOf(450);
  await backUp(path, backup);
  const open = opened(path);
  await done(open, 'accepted');
  await open.close();
  const stop = new AbortController();
  const first = copy(path, place, { interrupted: stop.signal, onPage: () => stop.abort() });
  await failureOf(() => first);
  const unfinished = { kind: 'copy-not-whole', fields: { path } };
  // It lacks what was sent since.
  expect(await failureOf(() => copy(backup, place))).toMatchObject(unfinished);
  expect(await failureOf(() => openShared(place))).toMatchObject(unfinished);
  expect(await copy(path, place)).toMatchObject({ added: 251, known: 200 });
});

test('a backup lacks what was sent through the file while a person was asked', async () => {
  const place = await newSharedPlace();
  const backup = join(newFolder(), 'backup.db');
  const [path, stop] = [await fileOf(250), new AbortController()];
  await backUp(path, backup);
  const confirm = async (): Promise<void> => {
    const journal = inHand(openJournal(path));
    await done(journal, 'accepted');
    await journal.close();
  };
  const first = copy(path, place, { confirm, interrupted: stop.signal, onPage: () => stop.abort() });
  expect(await failureOf(() => first)).toMatchObject({ kind: 'copy-interrupted' });
  expect(await failureOf(() => copy(backup, place))).toMatchObject({ kind: 'copy-not-whole' });
  expect(await copy(path, place)).toMatchObject({ added: 51, known: 200 });
});

test('a backup that has all of it finishes a copy whose file is lost', async () => {
  const place = await newSharedPlace();
  const backup = join(newFolder(), 'backup.db');
  const path = await fileOf(450);
  await backUp(path, backup);
  const stop = new AbortController();
  const first = copy(path, place, { interrupted: stop.signal, onPage: () => stop.abort() });
  await failureOf(() => first);
  expect(await copy(backup, place)).toMatchObject({ added: 250, known: 200 });
  await openShared(place);
});

test('what was sent from a backup of a file that is there already is no part of the copy', async () => {
  const place = await newSharedPlace();
  const backup = join(newFolder(), 'backup.db');
  const path = await fileWith('rejected', once);
  await backUp(path, backup);
  await copy(path, place);
  const journal = opened(backup);
  await sentAgain(journal);
  expect(await failureOf(() => copy(backup, place))).toMatchObject({ kind: 'bodies-differ' });
});

test('a copy that is whole, and was not noted so in its file, stops nobody when it is run again', async () => {
  const place = await newSharedPlace();
  const path = await fileOf(3);
  vi.spyOn(SourceFile.prototype, 'noteWhole').mockImplementationOnce(() => {
    throw new Error('killed');
  });
  expect(await failureOf(() => copy(path, place))).toMatchObject({ message: 'killed' });
  const journal = inHand(await openShared(place));
  await journal.begin(newIntent(), 'h', nowMs);
  expect(openingOf(path)).toMatchObject({ kind: 'moved', fields: { isWhole: false } });
  expect(await copy(path, place)).toEqual({ added: 0, known: 3, keepsTokens: true });
  expect(openingOf(path)).toMatchObject({ kind: 'moved', fields: { isWhole: true } });
  await journal.begin(newIntent(), 'h', nowMs);
});

const openingOf = (path: string): unknown => {
  try {
    return openJournal(path);
  } catch (error) {
    return error;
  }
};

test('no salt is replaced while a file that brought it is not there whole', async () => {
  const place = await newSharedPlace();
  const [stop, path] = [new AbortController(), await fileOf(1)];
  stop.abort();
  await failureOf(() => copy(path, place, { interrupted: stop.signal }));
  await upForLong(place.url, place.schema);
  await silence(place.url, undefined, place.schema);
  expect(await copy(await fileOf(1), place)).toMatchObject({ added: 1, keepsTokens: false });
  expect(await copy(path, place)).toMatchObject({ added: 1, keepsTokens: true });
});

test('a copy whose loss was accepted too late is whole, and ends nobody who sends', async () => {
  const place = await newSharedPlace();
  const path = await halfCopied(place);
  await lookingAfter(place, async (asking) => {
    const found = await findSharedLoss(asking);
    await copy(path, place);
    await sentThrough(place, {});
    const journal = inHand(await openShared(place));
    const { id } = await journal.begin(newIntent(), 'h', nowMs);
    expect(found && (await acceptSharedLoss(asking, found, 'ada'))).toBe(false);
    await journal.startAttempt(id, 'h', nowMs);
  });
});

test('a copy of which the loss is accepted while it is at work goes on with no further page', async () => {
  const place = await newSharedPlace();
  const path = await fileOf(650);
  let accepting: Promise<void> | undefined;
  const copying = failureOf(() =>
    copy(path, place, {
      onPage: (pageDone) => {
        if (pageDone === 200) accepting = acceptLoss(place);
      },
    }),
  );
  expect(await copying).toMatchObject({ kind: 'copy-not-whole' });
  await accepting;
  await openShared(place);
  const { rows } = await onServer(place, (client) => client.query('SELECT count(*)::int FROM intents'));
  expect(rows[0]?.count).toBeLessThan(650);
});

test('a copy of which the loss is accepted after its last page is not called whole', async () => {
  const place = await newSharedPlace();
  const path = await fileOf(3);
  const { finish } = CopyTarget.prototype;
  vi.spyOn(CopyTarget.prototype, 'finish').mockImplementationOnce(async function (
    this: CopyTarget,
    ...given
  ) {
    await acceptLoss(place);
    return finish.apply(this, given);
  });
  expect(await failureOf(() => copy(path, place))).toMatchObject({ kind: 'copy-not-whole' });
  expect(openingOf(path)).toMatchObject({ kind: 'moved', fields: { isWhole: false } });
  expect(await copy(path, place)).toMatchObject({ added: 0, known: 3 });
});

test('a loss is accepted between two commits of a copy, and not within one', async () => {
  const place = await newSharedPlace();
  await halfCopied(place);
  const accepting = await onServer(place, async (client) => {
    await client.query('BEGIN');
    await client.query(lockOfWriters(place.schema));
    const waiting = acceptLoss(place);
    await expect.poll(() => waitersOn(place)).toBe(1);
    await client.query('COMMIT');
    return { waiting };
  });
  await accepting.waiting;
  await openShared(place);
});

const acceptLoss = (place: SharedPlace): Promise<void> =>
  lookingAfter(place, async (asking) => {
    const found = await findSharedLoss(asking);
    if (found === undefined) throw new Error('nothing is lost');
    await acceptSharedLoss(asking, found, 'ada');
  });

test('this machine notes what was copied', async () => {
  const place = await newSharedPlace();
  const path = await fileOf(3);
  await copy(path, place);
  expect(notesOf(place)).toMatchObject([{ what: 'attempt' }]);
  await openShared(place);
  await onServer(place, (client) =>
    client.query(`ALTER TABLE intents DISABLE TRIGGER ALL; ALTER TABLE attempts DISABLE TRIGGER ALL;
      DELETE FROM attempts; DELETE FROM intents;
      ALTER TABLE intents ENABLE TRIGGER ALL; ALTER TABLE attempts ENABLE TRIGGER ALL`),
  );
  for (const using of [() => openShared(place), async () => copy(await fileOf(1), place)])
    expect(await failureOf(using)).toMatchObject({ code: 'journal-lost' });
});
