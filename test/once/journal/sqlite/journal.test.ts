import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openJournal } from '../../../../src/once/journal/file/openJournal.ts';
import type { GuardedWork } from '../../../../src/once/journal/journal.ts';
import { damageJournal } from '../../../support/damageJournal.ts';
import { endWith, inHand, newEntry, newPath, nowMs, opened } from '../../../support/journals.ts';

test('the death of an owner is recorded of the entry that was asked for, and of no attempt that ended', async () => {
  const path = newPath();
  const owner = inHand(openJournal(path));
  const [one, other] = [await owner.begin(newEntry(), 'h', nowMs), await owner.begin(newEntry(), 'h', nowMs)];
  await owner.endAttempt(one.id, 1, endWith('limited'), nowMs + 1);
  await owner.startAttempt(one.id, 'h', nowMs + 2);
  const journal = opened(path);
  await journal.recordDeath(one.id, nowMs + 3);
  expect((await journal.get(one.id))?.state).toBe('sending');
  const left = join(`${path}.owners`, owner.self());
  await owner.close();
  // As a killed process leaves it.
  writeFileSync(left, '');
  await journal.recordDeath(one.id, nowMs + 3);
  expect(existsSync(left)).toBe(false);
  expect(await journal.get(one.id)).toMatchObject({
    state: 'unknown',
    wasInDoubt: true,
    inDoubtSinceMs: nowMs + 2,
  });
  expect(await journal.attemptsOf(one.id)).toMatchObject([
    { verdict: 'limited', endedAtMs: nowMs + 1 },
    { verdict: 'unknown', phase: 'process-died', endedAtMs: nowMs + 3 },
  ]);
  expect((await journal.get(other.id))?.state).toBe('sending');
  expect(await journal.attemptsOf(other.id)).toMatchObject([{ verdict: undefined }]);
});

test.each([8.64e15, -8.64e15])('a time is damage only where no date has it: %i', async (ms) => {
  const path = newPath();
  const { id } = await opened(path).begin(newEntry(), 'h', nowMs);
  const read = (change: string): Promise<unknown> => {
    damageJournal(path, `UPDATE entries SET ${change}`);
    return opened(path).get(id);
  };
  expect(await read(`updated_at = ${ms}`)).toMatchObject({ updatedAtMs: ms });
  for (const change of [`updated_at = ${ms + Math.sign(ms)}`, `updated_at = 1, created_at = ${2 * ms}`])
    await expect(read(change)).rejects.toMatchObject({ code: 'journal-damaged' });
});

describe('a commit', () => {
  test('that waits for something other than the journal is refused, and nothing of it is kept', async () => {
    const journal = opened();
    const entry = newEntry();
    const waiting = journal.commit(async (tx) => {
      await tx.begin(entry, 'h', nowMs);
      await new Promise((resolve) => setTimeout(resolve, 1));
    });
    await expect(waiting).rejects.toThrow('a commit waited for something other than the journal');
    expect(await journal.get(entry.id)).toBeUndefined();
    await journal.begin(entry, 'h', nowMs);
  });
});

describe('several works in one commit', () => {
  const begin = (): GuardedWork<unknown> => {
    const entry = newEntry();
    return { guards: {}, work: (tx) => tx.begin(entry, 'h', nowMs) };
  };

  test('are durable by one commit, and each alone by its own', async () => {
    const path = newPath();
    const journal = opened(path);
    await journal.commit(begin().work);
    const before = commitsIn(`${path}-wal`);
    await journal.commitTogether([begin(), begin(), begin()]);
    expect(commitsIn(`${path}-wal`) - before).toBe(1);
    for (let nth = 0; nth < 3; nth += 1) await journal.commit(begin().work);
    expect(commitsIn(`${path}-wal`) - before).toBe(4);
  });
});

/** Each frame of the log that ends a commit says how long the database is then; no other frame does. */
function commitsIn(log: string): number {
  const bytes = readFileSync(log);
  let commits = 0;
  for (let at = 32; at + 24 <= bytes.length; at += 24 + 4096) {
    const isCurrent = bytes.subarray(at + 8, at + 16).equals(bytes.subarray(16, 24));
    if (isCurrent && bytes.readUInt32BE(at + 4) > 0) commits += 1;
  }
  return commits;
}
