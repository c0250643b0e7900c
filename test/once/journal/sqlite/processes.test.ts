import { once } from 'node:events';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { takeLock } from '../../../../src/machine/fileLock.ts';
import { ProcessOwners } from '../../../../src/once/journal/file/ownFiles.ts';
import { allOf, countStates, newPath, nowMs, opened } from '../../../support/journals.ts';
import { buildJournal, type JournalProgram } from './journalProcess.ts';

let program: JournalProgram;
beforeAll(async () => {
  program = await buildJournal();
});
afterAll(() => program.remove());

const owning = `
  const journal = openJournal(path);
  await journal.commit((tx) => tx.begin(entry(1), 'h', 1));
  say(journal.self());
  process.stdin.once('data', async () => {
    await journal.commit((tx) => tx.endAttempt('entry-1', 1, end('accepted'), 2));
    const isOwn = await journal.commit((tx) => tx.conclude('entry-1', 'accepted', undefined, 2));
    say(String(isOwn));
    await journal.close();
  });`;

describe('several processes', () => {
  test('make a new journal together, and lose nothing of what they write', async () => {
    const path = newPath();
    const each = 15;
    const running = Array.from({ length: 8 }, (_, nth) =>
      program.start(
        path,
        `const journal = openJournal(path);
         for (let n = 0; n < ${each}; n += 1) {
           const one = entry(${nth} * 1000 + n);
           await journal.commit((tx) => tx.begin(one, 'h', n));
           await journal.commit((tx) => tx.endAttempt(one.id, 1, end('accepted'), n));
           await journal.commit((tx) => tx.conclude(one.id, 'accepted', undefined, n));
         }
         say(journal.hashOf('token'));
         await journal.close();`,
      ),
    );
    const hashes = await Promise.all(running.map(({ ended }) => ended()));
    expect(new Set(hashes.flat()).size).toBe(1);
    const journal = opened(path);
    expect(await countStates(journal)).toEqual({ accepted: 8 * each });
    const all = await allOf(journal.select({ limit: 1000 }));
    expect(all.every(({ attempts }) => attempts === 1)).toBe(true);
  });

  test('one that waited while another set the journal up goes on where that one was killed', async () => {
    const path = newPath();
    mkdirSync(dirname(path));
    writeFileSync(path, '');
    const lock = takeLock(`${path}.setup`, 0);
    const waiting = program.start(
      path,
      `say('waits');
       const journal = openJournal(path);
       const begun = await journal.commit((tx) => tx.begin(entry(1), 'h', 1));
       say(String(begun.attempts));
       await journal.close();`,
    );
    expect(await waiting.next()).toBe('waits');
    const half = new DatabaseSync(path);
    half.exec('PRAGMA journal_mode = WAL; PRAGMA application_id = 0x62746a6c;');
    half.close();
    lock?.release();
    expect(await waiting.ended()).toEqual(['waits', '1']);
  });

  test('know that an owner lives, also where they call its journal by another name', async () => {
    const path = newPath();
    opened(path);
    const alias = join(dirname(path), 'alias.db');
    symlinkSync(path, alias);
    const owner = program.start(alias, owning);
    const name = await owner.next();
    const journal = opened(path);
    expect((await journal.get('entry-1'))?.ownerLives).toBe(true);
    await journal.recordDeath('entry-1', nowMs);
    expect((await journal.get('entry-1'))?.state).toBe('sending');
    owner.child.stdin?.end('go');
    expect(await owner.ended()).toEqual([name, 'true']);
  });

  test('one that writes waits for one that is in the middle of it', async () => {
    const path = newPath();
    const journal = opened(path);
    const slow = program.start(
      path,
      `const journal = openJournal(path);
       await journal.commit(async (tx) => {
         await tx.begin(entry(1), 'h', 1);
         say('in it');
         Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
       });
       say('out');
       await journal.close();`,
    );
    await slow.next();
    // Nobody sees it before the other one has committed.
    await journal.commit(async (tx) => expect(await tx.get('entry-1')).toBeDefined());
    await slow.ended();
  });
});

describe('an owner', () => {
  test('lives while its process does, also while that one is stopped; killed, it is dead at once', async () => {
    const path = newPath();
    const { child, next } = program.start(path, owning);
    const owner = await next();
    const journal = opened(path);
    expect((await journal.get('entry-1'))?.ownerLives).toBe(true);
    child.kill('SIGSTOP');
    expect((await journal.get('entry-1'))?.ownerLives).toBe(true);
    await journal.recordDeath('entry-1', nowMs);
    expect(await journal.get('entry-1')).toMatchObject({ state: 'sending', owner });
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect((await journal.get('entry-1'))?.ownerLives).toBe(false);
    await journal.recordDeath('entry-1', nowMs);
    expect(await journal.get('entry-1')).toMatchObject({
      state: 'unknown',
      wasInDoubt: true,
      inDoubtSinceMs: 1,
    });
    expect(await journal.attemptsOf('entry-1')).toMatchObject([
      { phase: 'process-died', verdict: 'unknown', trouble: { is: 'process-died' } },
    ]);
    expect(existsSync(`${path}.owners/${owner}`)).toBe(false);
    await journal.claim('entry-1', nowMs);
    expect((await journal.startAttempt('entry-1', 'h', nowMs)).attempts).toBe(2);
  });

  test('is not dead for being asked after by many at once', async () => {
    const path = newPath();
    const { child, next } = program.start(path, owning);
    await next();
    const asking = Array.from({ length: 3 }, () =>
      program.start(
        path,
        `const journal = openJournal(path);
         let dead = 0;
         for (let n = 0; n < 200; n += 1) if (!(await journal.reads.get('entry-1'))?.ownerLives) dead += 1;
         say(String(dead));
         await journal.close();`,
      ),
    );
    expect((await Promise.all(asking.map(({ ended }) => ended()))).flat()).toEqual(['0', '0', '0']);
    child.kill('SIGKILL');
  });

  test('that never took its lock, or has no name any more, is dead', async () => {
    const owners = new ProcessOwners(newPath());
    expect(owners.isAlive('nobody')).toBe(false);
    expect(owners.isAlive(owners.self())).toBe(true);
    owners.close();
  });
});
