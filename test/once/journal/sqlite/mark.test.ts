import { execFileSync, spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import {
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { describe, expect, test, vi } from 'vitest';
import type { Failure } from '../../../../src/once/failures.ts';
import type { Loss } from '../../../../src/once/journal/facts.ts';
import { lookAtJournal } from '../../../../src/once/journal/file/lookOnly.ts';
import { lastAcceptedLost, Mark } from '../../../../src/once/journal/file/mark.ts';
import { openFile } from '../../../../src/once/journal/file/opening.ts';
import { openJournal } from '../../../../src/once/journal/file/openJournal.ts';
import { acceptLoss, findLoss } from '../../../../src/once/journal/file/upkeep.ts';
import type { Transaction } from '../../../../src/once/journal/journal.ts';
import { failureOf } from '../../../../testing/failure.ts';
import {
  allOf,
  countStates,
  done,
  inHand,
  newFolder,
  newIntent,
  newPath,
  nowMs,
  opened,
} from '../../../../testing/journals.ts';

const beside = ['', '-wal', '.mark'] as const;

/**
 * A journal as a killed process left it: its log is not folded. In a folder of its own, because this process keeps
 * the one that it was made in open.
 */
async function leftJournal(intents = 5): Promise<string> {
  const path = newPath();
  const journal = inHand(openJournal(path));
  for (let nth = 0; nth < intents; nth += 1) await done(journal, 'accepted', {}, nowMs + nth);
  const left = join(newFolder(), 'journal.db');
  for (const suffix of beside) copyFileSync(`${path}${suffix}`, `${left}${suffix}`);
  await journal.close();
  return left;
}

/** It is opened with all that it holds, and its mark is raised for what comes next. */
async function takesOneMore(path: string, accepted: number): Promise<void> {
  const journal = opened(path);
  expect(await countStates(journal)).toEqual(accepted === 0 ? {} : { accepted });
  await done(journal, 'accepted');
  const found = Mark.open(path, 'r');
  if (found.is !== 'mark') throw new Error('there is no mark');
  expect(found.mark.highest).toMatchObject({ intents: accepted + 1 });
  found.mark.close();
}

function contents(path: string): string[] {
  return (
    readdirSync(dirname(path))
      .filter((name) => !name.endsWith('-shm') && !name.endsWith('.setup'))
      .map((name) => ({ name, bytes: readFileSync(join(dirname(path), name)) }))
      // SQLite makes one to look into, where it is missing.
      .filter(({ name, bytes }) => !(name.endsWith('-wal') && bytes.length === 0))
      .map(({ name, bytes }) => `${name}: ${hash('sha256', bytes)}`)
  );
}

function lossesIn(path: string): unknown[] {
  const database = new DatabaseSync(path, { readOnly: true });
  const losses = database.prepare('SELECT what, first_lost AS first, last_lost AS last FROM losses').all();
  database.close();
  return losses;
}

function overwrite(path: string, at: number, change: (byte: number) => number): void {
  const bytes = readFileSync(path);
  bytes.writeUInt8(change(bytes.readUInt8(at)), at);
  writeFileSync(path, bytes);
}

const frameBytes = 4096 + 24;
const logHeaderBytes = 32;

describe('a journal that holds all that it ever held', () => {
  test('is opened as before, again and again', async () => {
    const path = await leftJournal();
    for (let times = 0; times < 3; times += 1) {
      const journal = opened(path);
      const id = await done(journal, 'unknown');
      await journal.decide(id, {
        kind: 'happened',
        who: 'w',
        atMs: nowMs,
        reason: 'r',
        signature: undefined,
      });
    }
    expect(findLoss(path)).toBeUndefined();
  });

  test('whose set-up was killed after any of its steps is set up by the next', async () => {
    const path = newPath();
    await openJournal(path).close();
    const whole = newFolder();
    for (const suffix of beside) copyFileSync(`${path}${suffix}`, join(whole, `journal.db${suffix}`));
    const noted = join(newFolder(), 'journal.db');
    copyFileSync(join(whole, 'journal.db'), noted);
    copyFileSync(join(whole, 'journal.db.mark'), `${noted}.mark.new`);
    await takesOneMore(noted, 0);
    const drafted = join(newFolder(), 'journal.db');
    copyFileSync(join(whole, 'journal.db'), drafted);
    const database = new DatabaseSync(drafted);
    database.exec(`DELETE FROM meta WHERE name = 'mark'; PRAGMA wal_checkpoint(TRUNCATE)`);
    database.close();
    copyFileSync(join(whole, 'journal.db.mark'), `${drafted}.mark.new`);
    await takesOneMore(drafted, 0);
  });

  test('says in its mark what is committed, and never less than before', async () => {
    const path = newPath();
    const journal = opened(path);
    for (let nth = 0; nth < 200; nth += 1) await done(journal, nth % 3 === 0 ? 'unknown' : 'accepted');
    const found = Mark.open(path, 'r');
    if (found.is !== 'mark') throw new Error('there is no mark');
    expect(found.mark.highest).toEqual({ intents: 200, attempts: 200, decisions: 0 });
    found.mark.close();
  });

  test('is still whole when a slot of its mark is torn', async () => {
    const path = await leftJournal(100);
    overwrite(`${path}.mark`, 60, (byte) => byte ^ 1);
    expect(findLoss(path)).toBeUndefined();
  });
});

type Hurt = {
  readonly what: string;
  readonly hurt: (path: string) => void | Promise<void>;
  readonly says: RegExp;
  readonly loss: Partial<Loss>;
  readonly accepted: readonly unknown[];
};

const five = [
  { what: 'intents', first: 1, last: 5 },
  { what: 'attempts', first: 1, last: 5 },
];

const hurts: readonly Hurt[] = [
  {
    what: 'one flipped bit in the log',
    hurt: (path) => overwrite(`${path}-wal`, logHeaderBytes + 40, (byte) => byte ^ 4),
    says: /has lost 5 entries and 5 requests/u,
    loss: { is: 'rows' },
    accepted: five,
  },
  {
    what: 'the log cut in its middle',
    hurt: (path) => {
      const frames = (statSync(`${path}-wal`).size - logHeaderBytes) / frameBytes;
      truncateSync(`${path}-wal`, logHeaderBytes + Math.floor(frames / 2) * frameBytes);
    },
    says: /has lost [1-4] entr(?:y|ies) and [1-4] requests?/u,
    loss: { is: 'rows' },
    accepted: expect.anything() as never,
  },
  {
    what: 'the log’s header broken',
    hurt: (path) => overwrite(`${path}-wal`, 9, (byte) => byte ^ 0x80),
    says: /has lost 5 entries and 5 requests/u,
    loss: { is: 'rows' },
    accepted: five,
  },
  {
    what: 'the log removed',
    hurt: (path) => rmSync(`${path}-wal`),
    says: /has lost 5 entries and 5 requests/u,
    loss: { is: 'rows' },
    accepted: five,
  },
  {
    what: 'an older backup put back',
    hurt: async (path) => {
      const older = await leftJournal(0);
      for (const suffix of ['', '-wal']) copyFileSync(`${older}${suffix}`, `${path}${suffix}`);
    },
    says: /journal\.db\.mark beside it is from another journal/u,
    loss: { is: 'mark', found: 'anothers' },
    accepted: five,
  },
  {
    what: 'a journal.db alone, its log and its mark left behind',
    hurt: (path) => {
      for (const suffix of ['-wal', '.mark']) rmSync(`${path}${suffix}`);
    },
    says: /journal\.db\.mark beside it is missing/u,
    loss: { is: 'mark', found: 'missing' },
    accepted: [],
  },
  {
    what: 'a damaged mark',
    hurt: (path) => overwrite(`${path}.mark`, 20, (byte) => byte ^ 1),
    says: /journal\.db\.mark beside it is damaged/u,
    loss: { is: 'mark', found: 'damaged' },
    accepted: [],
  },
  {
    what: 'a journal whose set-up was interrupted in the place of a later one',
    hurt: async (path) => {
      const other = await leftJournal(0);
      rmSync(`${path}-wal`);
      copyFileSync(other, path);
      const database = new DatabaseSync(path);
      database.exec(`DELETE FROM meta WHERE name = 'mark'`);
      database.close();
    },
    says: /is older than the file .*journal\.db\.mark beside it; that journal had 5 entries and 5 requests/u,
    loss: { is: 'journal', found: 'older' },
    accepted: five,
  },
  {
    what: 'journal.db removed from beside its log and its mark',
    hurt: (path) => rmSync(path),
    says: /is gone or empty, but .* that journal had 5 entries and 5 requests/u,
    loss: { is: 'journal', found: 'gone' },
    accepted: five,
  },
  {
    what: 'journal.db and its log removed from beside its mark',
    hurt: (path) => {
      for (const suffix of ['', '-wal']) rmSync(`${path}${suffix}`);
    },
    says: /is gone or empty, but .* that journal had 5 entries and 5 requests/u,
    loss: { is: 'journal', found: 'gone' },
    accepted: five,
  },
  {
    what: 'journal.db and its mark removed from beside its log',
    hurt: (path) => {
      for (const suffix of ['', '.mark']) rmSync(`${path}${suffix}`);
    },
    says: /is gone or empty, but/u,
    loss: { is: 'journal', found: 'gone', rows: [] },
    accepted: [],
  },
  {
    what: 'journal.db emptied',
    hurt: (path) => truncateSync(path, 0),
    says: /is gone or empty, but .* that journal had 5 entries and 5 requests/u,
    loss: { is: 'journal', found: 'gone' },
    accepted: five,
  },
  {
    what: 'journal.db emptied, and its mark damaged',
    hurt: (path) => {
      truncateSync(path, 0);
      truncateSync(`${path}.mark`, 30);
    },
    says: /is gone or empty, but/u,
    loss: { is: 'journal', found: 'gone', rows: [] },
    accepted: [],
  },
];

describe('a journal that has lost something', () => {
  test.each(hurts)('is refused, and left unchanged: $what', async ({ hurt, says }) => {
    const path = await leftJournal();
    await hurt(path);
    const before = contents(path);
    const refused = await failureOf(() => openJournal(path).close());
    expect(refused).toMatchObject({ code: 'journal-lost', details: { next: [['journal', 'accept-loss']] } });
    expect(refused.message).toMatch(says);
    expect(contents(path)).toEqual(before);
    expect(existsSync(`${path}.setup`)).toBe(!/has lost|is older/u.test(refused.message));
  });

  test.each(hurts)(
    'is used again once the loss is accepted, and counts on above it: $what',
    async ({ hurt, loss, accepted }) => {
      const path = await leftJournal();
      await hurt(path);
      expect(findLoss(path)).toMatchObject(loss);
      expect(acceptLoss(path, 'ada@here', nowMs).rows).toEqual(accepted);
      expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(lossesIn(path)).toEqual(
        accepted.length === 0 ? [{ what: 'mark', first: null, last: null }] : accepted,
      );
      expect(findLoss(path)).toBeUndefined();
      const journal = opened(path);
      await done(journal, 'accepted');
      await journal.close();
      expect(findLoss(path)).toBeUndefined();
      const found = Mark.open(path, 'r');
      if (found.is !== 'mark') throw new Error('there is no mark');
      const { intents } = found.mark.highest;
      expect(intents).toEqual(accepted === five ? 6 : expect.any(Number));
      expect(found.mark.highest).toEqual({ intents, attempts: intents, decisions: 0 });
      found.mark.close();
    },
  );

  test('can still be read, but not written', async () => {
    const path = await leftJournal();
    rmSync(`${path}-wal`);
    const journal = inHand(openJournal(path, 'look'));
    expect(journal.lost?.fields).toEqual({ path, loss: { is: 'rows', rows: five } });
    expect(await allOf(journal.select({ limit: 10 }))).toEqual([]);
    expect((await failureOf(() => done(journal, 'accepted'))).code).toBe('journal-not-writable');
    expect(journal.isReadOnly).toBe(true);
    await journal.close();
  });

  test('is read with its log where only its mark is lost', async () => {
    const path = await leftJournal();
    rmSync(`${path}.mark`);
    const journal = openJournal(path, 'look');
    expect(await countStates(journal.reads)).toEqual({ accepted: 5 });
    await journal.close();
  });

  test('keeps the log as it was when its loss is accepted', async () => {
    const path = await leftJournal();
    overwrite(`${path}-wal`, logHeaderBytes + 40, (byte) => byte ^ 4);
    const log = readFileSync(`${path}-wal`);
    expect(acceptLoss(path, 'ada@here', nowMs).keptLog).toBe(`${path}-wal.lost`);
    expect(readFileSync(`${path}-wal.lost`).equals(log)).toBe(true);
  });
});

/** As it lies on the disk now, in a folder that this process has not opened yet. */
function copied(path: string): string {
  const copy = join(newFolder(), 'journal.db');
  for (const suffix of beside) copyFileSync(`${path}${suffix}`, `${copy}${suffix}`);
  return copy;
}

describe('an older journal.db under a newer log', () => {
  /** Three commands, each of which moved its log into the database and left a new log. */
  async function usedThrice(): Promise<readonly string[]> {
    const paths = [await leftJournal()];
    for (let nth = 1; nth < 3; nth += 1) {
      const path = copied(paths.at(-1) ?? '');
      const journal = inHand(openJournal(path));
      for (let row = 0; row < 60; row += 1) await done(journal, 'accepted');
      await journal.close();
      await done(opened(path), 'accepted');
      paths.push(copied(path));
    }
    await done(opened(copied(paths[2] ?? '')), 'accepted');
    return paths;
  }

  test('is refused: what was moved into the newer one in between is missing', async () => {
    const [older = '', , newer = ''] = await usedThrice();
    const path = copied(newer);
    opened(path);
    const mixed = copied(path);
    copyFileSync(older, mixed);
    const refused = await failureOf(() => openJournal(mixed));
    expect(refused.message).toContain('is older than the log');
    expect(refused.code).toBe('journal-lost');
  });

  test('is read, and used again once the loss is accepted, without that log', async () => {
    const [older = '', , newer = ''] = await usedThrice();
    const path = copied(newer);
    opened(path);
    const mixed = copied(path);
    copyFileSync(older, mixed);
    const log = readFileSync(`${mixed}-wal`);
    const alone = copied(older);
    rmSync(`${alone}-wal`);
    const left = openJournal(alone, 'look');
    const journal = openJournal(mixed, 'look');
    expect(await countStates(journal.reads)).toEqual(await countStates(left.reads));
    await left.close();
    await journal.close();
    const { rows, keptLog } = acceptLoss(mixed, 'ada@here', nowMs);
    expect(rows).toMatchObject([{ what: 'intents' }, { what: 'attempts' }]);
    expect(readFileSync(keptLog ?? '').equals(log)).toBe(true);
    await done(opened(mixed), 'accepted');
    const database = new DatabaseSync(mixed, { readOnly: true });
    expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    database.close();
  });

  test('is told by what the mark said before journal.db was read: another process may move its log meanwhile', async () => {
    const path = await leftJournal();
    const [mine, others] = [Mark.open(path, 'r'), Mark.open(path, 'r+')];
    if (mine.is !== 'mark' || others.is !== 'mark') throw new Error('there is no mark');
    const { base } = mine.mark;
    others.mark.noteBase(base + 1);
    expect(mine.mark.base).toBe(base);
    for (const { mark } of [mine, others]) mark.close();
  });

  test('a whole copy, as VACUUM INTO makes it, is taken for what it is', async () => {
    const path = await leftJournal(30);
    const database = new DatabaseSync(path);
    const copy = join(newFolder(), 'journal.db');
    database.exec(`VACUUM INTO '${copy}'`);
    database.close();
    copyFileSync(`${path}.mark`, `${copy}.mark`);
    await takesOneMore(copy, 30);
    await takesOneMore(copied(copy), 31);
  });

  test('is no older one where no log is beside it, however far the mark had come', async () => {
    const [alone, path] = [await leftJournal(0), await leftJournal()];
    writeFileSync(`${alone}-wal`, '');
    for (const one of [alone, path]) {
      const found = Mark.open(one, 'r+');
      if (found.is === 'mark') found.mark.noteBase(9999);
    }
    await takesOneMore(alone, 0);
    expect((await failureOf(() => openJournal(path))).message).toContain('is older than the log');
    const database = new DatabaseSync(path);
    database.exec('PRAGMA user_version = 99; PRAGMA wal_checkpoint');
    expect(() => openJournal(path, 'look')).toThrow(expect.objectContaining({ kind: 'newer' }));
    database.close();
  });

  test('is none where its own log has what its first page does not', async () => {
    const path = await leftJournal(60);
    overwrite(path, 68, (byte) => byte ^ 1);
    await takesOneMore(path, 60);
  });
});

test('a copy made with .dump is told as what it is', async () => {
  const database = new DatabaseSync(await leftJournal());
  const tables = database
    .prepare(`SELECT sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
    .all() as {
    sql: string;
  }[];
  database.close();
  const path = join(newFolder(), 'journal.db');
  const copy = new DatabaseSync(path);
  for (const { sql } of tables) copy.exec(sql);
  copy.close();
  const refused = await failureOf(() => openJournal(path));
  expect(refused.message).toContain('is a copy made with .dump');
  expect(refused.details.hint).toContain('VACUUM INTO');
});

test('a flipped bit in an index does not make the same a new one', async () => {
  const path = await leftJournal();
  await done(opened(path), 'accepted', { identity: 'twin-identity' });
  const database = new DatabaseSync(path);
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
  const bytes = readFileSync(path);
  const answers = new Set<string>();
  for (let at = bytes.indexOf('twin-'); at >= 0; at = bytes.indexOf('twin-', at + 1)) {
    const hurt = copied(path);
    overwrite(hurt, at + 2, (byte) => byte ^ 2);
    try {
      answers.add((await opened(hurt).findUnnamed('twin-identity')) === undefined ? 'nothing' : 'found');
    } catch (error) {
      answers.add((error as Failure).code);
    }
  }
  expect([...answers].sort()).toEqual(['found', 'journal-damaged']);
});

test('a flipped bit in the salt is damage: no token would be known again', async () => {
  const path = await leftJournal();
  const database = new DatabaseSync(path);
  database.exec(
    `UPDATE meta SET value = randomblob(32) WHERE name = 'salt'; PRAGMA wal_checkpoint(TRUNCATE)`,
  );
  database.close();
  expect((await failureOf(() => openJournal(path))).code).toBe('journal-damaged');
});

test('an emptied journal.db is looked at without losing the log beside it', async () => {
  const path = await leftJournal();
  truncateSync(path, 0);
  const log = readFileSync(`${path}-wal`);
  expect(lookAtJournal(path).isJournal).toBe(false);
  expect(readFileSync(`${path}-wal`).equals(log)).toBe(true);
});

describe('what root makes beside a user’s journal (skipped where this is not root)', () => {
  test.skipIf(process.getuid?.() !== 0).each(['used', 'empty'])('belongs to that user: %s', async (which) => {
    const path = which === 'used' ? await leftJournal() : join(newFolder(), 'journal.db');
    if (which === 'empty') writeFileSync(path, '');
    for (const name of readdirSync(dirname(path))) chownSync(join(dirname(path), name), 1, 1);
    chownSync(dirname(path), 1, 1);
    const journal = opened(path);
    await journal.begin(newIntent(), 'h', nowMs);
    const others = readdirSync(dirname(path), { recursive: true })
      .map((name) => join(dirname(path), String(name)))
      .filter((name) => statSync(name).uid !== 1);
    expect(others).toEqual([]);
  });

  test.skipIf(process.getuid?.() !== 0)('is not given away by anybody else', async () => {
    const path = await leftJournal();
    chownSync(path, 1, 1);
    vi.spyOn(process, 'getuid').mockReturnValue(1000);
    await opened(path).begin(newIntent(), 'h', nowMs);
    vi.restoreAllMocks();
    expect(statSync(`${path}.owners`).uid).toBe(0);
  });
});

test('an older database is told by the change counter that SQLite writes into its first page', async () => {
  const path = await leftJournal();
  const counter = readFileSync(path).readUInt32BE(24);
  const found = Mark.open(path, 'r+');
  if (found.is === 'mark') found.mark.noteBase(counter + 1);
  expect((await failureOf(() => openJournal(path).close())).message).toContain('is older than the log');
  if (found.is === 'mark') found.mark.noteBase(counter);
  expect(findLoss(path)).toBeUndefined();
});

test('a commit that began nothing writes no mark', async () => {
  const journal = opened();
  const raised = vi.spyOn(Mark.prototype, 'raise');
  const { id } = newIntent();
  await journal.commit((tx) => tx.get(id));
  expect(raised).not.toHaveBeenCalled();
  await journal.begin(newIntent(), 'h', nowMs);
  expect(raised).toHaveBeenCalledOnce();
  raised.mockRestore();
});

test('a loss that cannot be recorded says why, also where SQLite has rolled back by itself', async () => {
  const path = await leftJournal();
  rmSync(`${path}.mark`);
  const database = new DatabaseSync(path);
  database.exec(`CREATE TRIGGER full BEFORE INSERT ON losses BEGIN SELECT RAISE(ROLLBACK, 'no room'); END`);
  database.close();
  expect(() => acceptLoss(path, 'ada@here', nowMs)).toThrow('no room');
});

describe('what can never be a journal is refused untouched', () => {
  test('a file with a second name', async () => {
    const path = await leftJournal();
    linkSync(path, `${path}.other`);
    for (const name of [path, `${path}.other`]) {
      const refused = await failureOf(() => openJournal(name));
      expect(refused.code).toBe('journal-unusable');
      expect(refused.message).toContain('hard link');
    }
    expect((await failureOf(() => acceptLoss(path, 'ada@here', nowMs))).code).toBe('journal-unusable');
    expect(existsSync(`${path}.other.mark`)).toBe(false);
  });

  test('a folder', async () => {
    const folder = newFolder();
    const { mode } = statSync(folder);
    const refused = await failureOf(() => openJournal(folder));
    expect([refused.code, refused.message]).toEqual([
      'journal-unusable',
      expect.stringContaining('a folder'),
    ]);
    expect(statSync(folder).mode).toBe(mode);
  });

  test('a pipe', async () => {
    const path = join(newFolder(), 'pipe');
    execFileSync('mkfifo', [path]);
    expect(() => openJournal(path)).toThrow(expect.objectContaining({ fields: { path, is: 'other' } }));
  });

  test('a device, also for root, whose mode stays', async () => {
    // One of our own, where that can be made: a mistake in the code must not change the machine's.
    const own = join(newFolder(), 'device');
    const device = spawnSync('mknod', [own, 'c', '1', '3']).status === 0 ? own : '/dev/null';
    const { mode } = statSync(device);
    const refused = await failureOf(() => openJournal(device));
    expect([refused.code, refused.message]).toEqual([
      'journal-unusable',
      expect.stringContaining('a device'),
    ]);
    expect(statSync(device).mode).toBe(mode);
    expect(existsSync(`${device}.mark`)).toBe(false);
  });
});

describe('a mark that cannot be raised', () => {
  test('stops what was to be sent, although it is committed', async () => {
    const path = newPath();
    const journal = opened(path);
    const other = Mark.open(path, 'r');
    if (other.is !== 'mark') throw new Error('there is no mark');
    const raise = other.mark.raise.bind(other.mark);
    expect(() => raise({ intents: 1, attempts: 1, decisions: 0 })).toThrow();
    other.mark.close();
    truncateSync(`${path}.mark`, 40);
    const failure = await failureOf(() => done(journal, 'accepted'));
    expect(failure.code).toBe('journal-not-writable');
    expect(failure.message).toContain('journal.db.mark beside the journal cannot be written');
    expect(failure.message).toContain('the disk is full');
    const [one, two] = [newIntent(), newIntent()];
    const works = [one, two].map((intent) => ({
      guards: { beforeSending: true },
      work: (tx: Transaction) => tx.begin(intent, 'h', nowMs),
    }));
    const rejected = { status: 'rejected', reason: { kind: 'mark-not-writable' } };
    expect(await journal.commitTogether(works)).toMatchObject([rejected, rejected]);
    expect(await journal.attemptsOf(one.id)).toHaveLength(1);
  });

  test('or not even opened, stops it too', async () => {
    const path = await leftJournal();
    rmSync(`${path}.mark`);
    symlinkSync(`${path}.mark`, `${path}.mark`);
    expect((await failureOf(() => openJournal(path))).code).toBe('journal-not-writable');
  });

  test('copies of the whole folder are journals of their own', async () => {
    const path = await leftJournal();
    const folder = newFolder();
    cpSync(dirname(path), folder, { recursive: true });
    await takesOneMore(join(folder, 'journal.db'), 5);
    await takesOneMore(path, 5);
  });
});

test('of several losses of one kind the last number counts', () => {
  const { database, mark } = openFile(newPath());
  const lose = database.prepare(
    `INSERT INTO losses (what, first_lost, last_lost, who, at) VALUES ('intents', ?, ?, 'ada', 0)`,
  );
  for (const [first, last] of [
    [2, 6],
    [8, 9],
    [7, 7],
  ] as const)
    lose.run(first, last);
  expect(lastAcceptedLost(database)).toEqual({ intents: 9, attempts: 0, decisions: 0 });
  database.close();
  mark?.close();
});
