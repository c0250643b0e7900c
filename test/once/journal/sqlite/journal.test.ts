import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { describe, expect, test } from 'vitest';
import { gathering } from '../../../../src/batch/gathering.ts';
import type { GuardedWork, Selection } from '../../../../src/once/journal/journal.ts';
import { openJournal } from '../../../../src/once/journal/sqlite/openJournal.ts';
import { pageQueries } from '../../../../src/once/journal/sqlite/readVerbs.ts';
import { openFile } from '../../../../src/once/journal/sqlite/sqliteFile.ts';
import {
  DamagedRow,
  intentOf,
  type SqlRow,
  statements,
} from '../../../../src/once/journal/sqlite/statements.ts';
import { closedAfterTest } from '../../../../testing/closedAfterTest.ts';
import { allOf, endWith, inHand, newIntent, newPath, nowMs, opened } from '../../../../testing/journals.ts';

describe('what is asked for is found by an index', () => {
  const database = (): DatabaseSyncInstance => openFile(newPath()).database;

  const planOf = (sql: string, file = database()): string => {
    const rows = file.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[];
    file.close();
    return rows.map(({ detail }) => detail).join('; ');
  };

  test.each(
    // What is asked before counting began is asked to be shown, and once to begin with it; an overview counts all.
    Object.entries(statements).filter(
      ([verb, sql]) => sql.startsWith('SELECT') && !/^(uncounted(Paid)?|overview)$/u.test(verb),
    ),
  )('%s', (_verb, sql) => {
    expect(planOf(sql)).not.toMatch(/SCAN (intents|attempts|decisions)(?! USING (COVERING )?INDEX)/u);
  });

  test('and each is one that a new journal can run', () => {
    const file = database();
    for (const sql of Object.values(statements)) expect(() => file.prepare(sql), sql).not.toThrow();
    file.close();
  });

  test.each(
    Object.entries(statements).filter(([, sql]) => sql.includes('given.key') || sql.includes('given.value')),
  )('%s, of many', (_verb, sql) => {
    expect(planOf(sql)).not.toMatch(/SCAN (intents|attempts|decisions|kept)/u);
  });

  test('paidBefore reads what paid the same, and nothing else that went to the same address', () => {
    const read = planOf(statements.paidBefore).match(/SEARCH intents USING \S+ \S+ \([^)]*\)/gu);
    expect(read).toEqual([
      'SEARCH intents USING INDEX intents_payment (payment=? AND created_at>?)',
      'SEARCH intents USING INDEX intents_late_payment (payment=? AND updated_at>?)',
    ]);
  });

  const byTime = /^SEARCH intents USING COVERING INDEX intents_created \(\(?created_at/u;
  const narrowed = (index: string, condition: string): RegExp =>
    new RegExp(`^SEARCH intents USING (COVERING )?INDEX ${index} \\(${condition}`, 'u');

  test.each<[Partial<Selection>, ...RegExp[]]>([
    [{}, byTime],
    [{ sinceMs: 1, untilMs: 9 }, byTime],
    [{ states: ['accepted'] }, /^SEARCH intents USING INDEX intents_created/u],
    [{ states: ['unknown'] }, narrowed('intents_not_accepted', 'state=')],
    [{ states: ['unknown', 'sending'] }, narrowed('intents_not_accepted', 'state=')],
    [{ kind: 'transfer' }, narrowed('intents_kind', 'kind=\\? AND \\(?created_at')],
    [{ bot: 'b' }, narrowed('intents_bot', 'bot=\\? AND \\(?created_at')],
    [{ to: 'a' }, narrowed('intents_payment', 'payment>\\? AND payment<\\?')],
    [{ batch: 'n' }, narrowed('intents_name', 'name=\\? AND \\(?created_at')],
    [
      { nameStart: 'n' },
      /^SEARCH intents USING INTEGER PRIMARY KEY \(rowid=\?\).* INDEX intents_created/u,
      /SEARCH intents USING COVERING INDEX intents_name \(name=\? AND \(?created_at/u,
      narrowed('intents_name', 'name>\\? AND name<\\?'),
    ],
    [
      { to: 'a', batch: 'n', nameStart: 'n', states: ['held'], bot: 'b', kind: 'transfer', sinceMs: 1 },
      narrowed('intents_not_accepted', 'state='),
      narrowed('intents_name', 'name=\\? AND \\(?created_at'),
    ],
    [{ states: ['held'], bot: 'b', kind: 'message' }, narrowed('intents_not_accepted', 'state=')],
    [{ states: ['accepted'], bot: 'b', kind: 'message' }, narrowed('intents_bot', 'bot=')],
  ])('a selection of %j', (selection, ...plans) => {
    const queries = pageQueries({ limit: 20, ...selection }, 7, 20);
    expect(queries.map(({ sql }) => planOf(sql))).toEqual(plans.map((plan) => expect.stringMatching(plan)));
  });
});

test('the death of an owner is recorded of the intent that was asked for, and of no attempt that ended', async () => {
  const path = newPath();
  const owner = inHand(openJournal(path));
  const [one, other] = [
    await owner.begin(newIntent(), 'h', nowMs),
    await owner.begin(newIntent(), 'h', nowMs),
  ];
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
    tainted: true,
    mayHaveLandedAtMs: nowMs + 2,
  });
  expect(await journal.attemptsOf(one.id)).toMatchObject([
    { verdict: 'limited', endedAtMs: nowMs + 1 },
    { verdict: 'unknown', phase: 'process-died', endedAtMs: nowMs + 3 },
  ]);
  expect((await journal.get(other.id))?.state).toBe('sending');
  expect(await journal.attemptsOf(other.id)).toMatchObject([{ verdict: undefined }]);
});

test.each([8.64e15, -8.64e15])('a time is damage only where no date has it: %i', (ms) => {
  const row = { created_at: 1, updated_at: ms, state: 'open' };
  const read = (change: SqlRow): unknown => intentOf({ ...row, ...change }, () => false);
  expect(read({})).toMatchObject({ updatedAtMs: ms });
  for (const change of [{ updated_at: ms + Math.sign(ms) }, { created_at: 2 * ms }, { state: 'sendine' }])
    expect(() => read(change)).toThrow(DamagedRow);
});

describe('a beginning of names', () => {
  test('is found behind more intents than are looked at one by one', async () => {
    const path = newPath();
    const { database } = openFile(path);
    const filled = `WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 20003)
      INSERT INTO intents (id, kind, base_url, bot, named_by, name, key, identity, fingerprint, body, state, owner,
        created_at, updated_at)
      SELECT n, 'message', 'u', 'b', 'once', iif(n < 4, 'pay-', 'x-') || n, n, n, 'f', x'7b', 'sending', 'o', n, n FROM n`;
    database.exec(filled);
    database.close();
    const journal = opened(path);
    const found = async (nameStart: string, limit: number): Promise<string[]> =>
      (await allOf(journal.select({ nameStart, limit }))).map(({ id }) => id);
    expect(await found('pay-', 9)).toEqual(['3', '2', '1']);
    expect(await found('pay-', 2)).toEqual(['3', '2']);
    expect(await found('x-', 2)).toEqual(['20003', '20002']);
  });
});

describe('a commit', () => {
  test('that waits for something other than the journal is refused, and nothing of it is kept', async () => {
    const journal = opened();
    const intent = newIntent();
    const waiting = journal.commit(async (tx) => {
      await tx.begin(intent, 'h', nowMs);
      await new Promise((resolve) => setTimeout(resolve, 1));
    });
    await expect(waiting).rejects.toThrow('a commit waited for something other than the journal');
    expect(await journal.get(intent.id)).toBeUndefined();
    await journal.begin(intent, 'h', nowMs);
  });

  test('asked for while another one is on begins when that one is over', async () => {
    const journal = opened();
    const order: string[] = [];
    const step = (who: string) =>
      journal.commit(async (tx) => {
        order.push(`${who} begins`);
        for (let nth = 0; nth < 3; nth += 1) await tx.get('nothing');
        order.push(`${who} ends`);
      });
    await Promise.all(['one', 'two', 'three'].map(step));
    expect(order).toEqual(['one', 'two', 'three'].flatMap((who) => [`${who} begins`, `${who} ends`]));
  });

  test('is not seen by a read that was asked for in the same breath', async () => {
    const journal = opened();
    const intent = newIntent();
    const before = [journal.get(intent.id), journal.get(intent.id)];
    const committed = journal.commit(async (tx) => {
      await tx.begin(intent, 'h', nowMs);
      for (let nth = 0; nth < 3; nth += 1) await tx.get('nothing');
      throw new Error('no');
    });
    const after = [journal.get(intent.id), journal.get(intent.id)];
    await expect(committed).rejects.toThrow('no');
    expect(await Promise.all([...before, ...after])).toEqual([undefined, undefined, undefined, undefined]);
  });
});

describe('several works in one commit', () => {
  const begin = (): GuardedWork<unknown> => {
    const intent = newIntent();
    return { guards: {}, work: (tx) => tx.begin(intent, 'h', nowMs) };
  };

  test('are durable by one commit, and each alone by its own', async () => {
    const path = newPath();
    const journal = opened(path);
    await journal.commit(begin().work);
    const before = commitsIn(`${path}-wal`);
    await journal.forMany(gathering).commitTogether([begin(), begin(), begin()]);
    expect(commitsIn(`${path}-wal`) - before).toBe(1);
    for (let nth = 0; nth < 3; nth += 1) await journal.commit(begin().work);
    expect(commitsIn(`${path}-wal`) - before).toBe(4);
  });

  test('fail all where the commit cannot be made', async () => {
    const path = newPath();
    opened(path);
    const journal = closedAfterTest(openJournal(path, 'look'));
    const ends = await journal.forMany(gathering).commitTogether([begin(), begin()]);
    expect(ends).toMatchObject([
      { status: 'rejected', reason: { code: 'journal-not-writable' } },
      { status: 'rejected', reason: { code: 'journal-not-writable' } },
    ]);
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
