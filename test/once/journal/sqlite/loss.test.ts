// What a journal in a file may lose, and what is noticed of it.
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openJournal } from '../../../../src/once/journal/file/openJournal.ts';
import { acceptLoss, lossToAccept } from '../../../../src/once/journal/file/upkeep.ts';
import { Note } from '../../../../src/once/journal/note.ts';
import { failureOf } from '../../../support/failure.ts';
import {
  countStates,
  done,
  inHand,
  newEntry,
  newFolder,
  newPath,
  nowMs,
  opened,
} from '../../../support/journals.ts';

const notedBeside = (path: string) => new Note(`${path}.note`).noted();

/** As a process leaves them that was killed. */
function killed(used: string): string {
  const path = join(newFolder(), 'journal.db');
  for (const end of ['', '-wal', '.note'])
    if (existsSync(`${used}${end}`)) copyFileSync(`${used}${end}`, `${path}${end}`);
  return path;
}

async function used(): Promise<string> {
  const path = newPath();
  const journal = inHand(openJournal(path));
  await done(journal, 'accepted');
  await journal.close();
  return path;
}

async function refused(path: string): Promise<unknown> {
  const failure = await failureOf(() => openJournal(path).close());
  expect(failure.code).toBe('journal-lost');
  return lossToAccept(path).loss;
}

describe('noted after the commit, before anybody is told', () => {
  test('are attempts and decisions, and nothing that was rolled back', async () => {
    const path = newPath();
    const journal = opened(path);
    const entry = newEntry();
    await journal.begin(entry, 'h', nowMs);
    expect(notedBeside(path)).toEqual([{ entry: entry.id, number: 1, atMs: nowMs }]);
    const failing = journal.commit(async (tx) => {
      await tx.begin(newEntry(), 'h', nowMs + 1);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(notedBeside(path)).toEqual([{ entry: entry.id, number: 1, atMs: nowMs }]);
    await journal.conclude(entry.id, 'open', undefined, nowMs + 2);
    await journal.decide(entry.id, {
      ...{ kind: 'did-not-happen', who: 'ada', atMs: nowMs + 3, reason: 'seen', signature: undefined },
    });
    expect(notedBeside(path)).toEqual([{ entry: entry.id, number: 0, atMs: nowMs + 3 }]);
  });

  test('are all of what is sent: where nothing can be noted, the commit is not believed', async () => {
    const path = await used();
    const journal = opened(path);
    rmSync(`${path}.note`);
    mkdirSync(`${path}.note`);
    const begun = { guards: {}, work: () => journal.begin(newEntry(), 'h', nowMs) };
    expect(await failureOf(() => begun.work())).toMatchObject({ code: 'journal-not-writable' });
    expect(await countStates(journal)).toEqual({ accepted: 1, sending: 1 });
  });
});

describe('is refused, and can be read', () => {
  test('a journal whose log was removed', async () => {
    const path = newPath();
    const journal = opened(path);
    await done(journal, 'accepted');
    const left = killed(path);
    rmSync(`${left}-wal`);
    const loss = await refused(left);
    expect(loss).toMatchObject({ isGone: false, missing: [{ number: 1 }] });
    const looking = inHand(openJournal(left, 'look'));
    expect([looking.isReadOnly, await countStates(looking)]).toEqual([true, {}]);
    await looking.close();
  });

  test('an older backup in the place of a journal', async () => {
    const path = await used();
    const backup = readFileSync(path);
    const journal = inHand(openJournal(path));
    await done(journal, 'unknown');
    await journal.close();
    writeFileSync(path, backup);
    expect(await refused(path)).toMatchObject({ isGone: false });
    const looking = inHand(openJournal(path, 'look'));
    expect(await countStates(looking)).toEqual({ accepted: 1 });
    await looking.close();
  });

  test('a journal that is gone or emptied, and another in its place', async () => {
    const path = await used();
    copyFileSync(await used(), path);
    expect(await refused(path)).toMatchObject({ isGone: false });
    writeFileSync(path, '');
    expect(await refused(path)).toMatchObject({ isGone: true });
    rmSync(path);
    expect(await refused(path)).toMatchObject({ isGone: true });
    expect(existsSync(path)).toBe(false);
  });
});

describe('once it is accepted', () => {
  test('a loss is on record, nothing is noted of it, and the journal goes on', async () => {
    const path = await used();
    copyFileSync(await used(), path);
    const { loss } = lossToAccept(path);
    if (loss === undefined) throw new Error('nothing is lost');
    expect(acceptLoss(path, loss, 'ada', nowMs)).toBeUndefined();
    expect([notedBeside(path), lossToAccept(path).loss]).toEqual([[], undefined]);
    const journal = opened(path);
    await done(journal, 'unknown');
    expect(await countStates(journal)).toEqual({ accepted: 1, unknown: 1 });
  });

  test('a journal that is gone is made again, and its log is kept', async () => {
    const path = newPath();
    await done(opened(path), 'unknown');
    const left = killed(path);
    rmSync(left);
    const log = readFileSync(`${left}-wal`);
    const { loss } = lossToAccept(left);
    if (loss === undefined) throw new Error('nothing is lost');
    expect(acceptLoss(left, loss, 'ada', nowMs)).toBe(`${left}-wal.lost`);
    expect(readFileSync(`${left}-wal.lost`).equals(log)).toBe(true);
    expect(await countStates(opened(left))).toEqual({});
    expect(existsSync(dirname(left))).toBe(true);
  });
});
