import { once } from 'node:events';
import { existsSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildJournal, type JournalProgram } from '../helpers/journalProcess.ts';
import { endWith, newPath, nowMs, opened } from '../helpers/journals.ts';

let program: JournalProgram;
beforeAll(async () => {
  program = await buildJournal();
});
afterAll(() => program.remove());

const owning = `
  const journal = openJournal(path);
  journal.begin(intent(1), 'h', 1);
  say(journal.self());
  process.stdin.once('data', () => {
    journal.endAttempt('intent-1', 1, end('accepted'), 2);
    say(String(journal.conclude('intent-1', 'accepted', undefined, 2)?.state));
    journal.close();
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
           const one = intent(${nth} * 1000 + n);
           journal.begin(one, 'h', n);
           journal.endAttempt(one.id, 1, end('accepted'), n);
           journal.conclude(one.id, 'accepted', undefined, n);
         }
         say(journal.hashOf('token'));
         journal.close();`,
      ),
    );
    const hashes = await Promise.all(running.map(({ ended }) => ended()));
    expect(new Set(hashes.flat()).size).toBe(1);
    const journal = opened(path);
    expect(journal.counts()).toEqual({ accepted: 8 * each });
    expect([...journal.select({ limit: 1000 })].every(({ attempts }) => attempts === 1)).toBe(true);
  });

  test('know that an owner lives, also where they call its journal by another name', async () => {
    const path = newPath();
    opened(path);
    const alias = join(dirname(path), 'alias.db');
    symlinkSync(path, alias);
    const owner = program.start(alias, owning);
    const name = await owner.next();
    const journal = opened(path);
    expect(journal.isAlive(name)).toBe(true);
    journal.recordDeath('intent-1', nowMs);
    expect(journal.get('intent-1')?.state).toBe('sending');
    owner.child.stdin?.end('go');
    expect(await owner.ended()).toEqual([name, 'accepted']);
  });

  test('begin one intent once', async () => {
    const path = newPath();
    opened(path);
    const running = Array.from({ length: 4 }, () =>
      program.start(
        path,
        `const journal = openJournal(path);
         say(journal.atomically(() => {
           if (journal.findUnnamed('identity-1')) return 'found';
           journal.begin(intent(1), 'h', 1);
           return 'begun';
         }));
         journal.close();`,
      ),
    );
    const said = (await Promise.all(running.map(({ ended }) => ended()))).flat();
    expect(said.sort()).toEqual(['begun', 'found', 'found', 'found']);
  });

  test('one that writes waits for one that is in the middle of it', async () => {
    const path = newPath();
    const journal = opened(path);
    const slow = program.start(
      path,
      `const journal = openJournal(path);
       journal.atomically(() => {
         journal.begin(intent(1), 'h', 1);
         say('in it');
         Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
       });
       say('out');
       journal.close();`,
    );
    await slow.next();
    const startedMs = performance.now();
    journal.atomically(() => expect(journal.get('intent-1')).toBeDefined());
    expect(performance.now() - startedMs).toBeGreaterThan(100);
    await slow.ended();
  });
});

describe('an owner', () => {
  test('lives while its process does, also while that one is stopped; killed, it is dead at once', async () => {
    const path = newPath();
    const { child, next } = program.start(path, owning);
    const owner = await next();
    const journal = opened(path);
    expect(journal.isAlive(owner)).toBe(true);
    child.kill('SIGSTOP');
    expect(journal.isAlive(owner)).toBe(true);
    journal.recordDeath('intent-1', nowMs);
    expect(journal.get('intent-1')).toMatchObject({ state: 'sending', owner });
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(journal.isAlive(owner)).toBe(false);
    journal.recordDeath('intent-1', nowMs);
    expect(journal.get('intent-1')).toMatchObject({ state: 'unknown', tainted: true, mayHaveLandedAtMs: 1 });
    expect(journal.attemptsOf('intent-1')).toMatchObject([{ phase: 'process-died', verdict: 'unknown' }]);
    expect(existsSync(`${path}.owners/${owner}`)).toBe(false);
    journal.claim('intent-1', nowMs);
    expect(journal.startAttempt('intent-1', 'h', nowMs).attempts).toBe(2);
  });

  test('is not dead for being asked after by many at once', async () => {
    const path = newPath();
    const { child, next } = program.start(path, owning);
    const owner = await next();
    const asking = Array.from({ length: 3 }, () =>
      program.start(
        path,
        `const journal = openJournal(path);
         let dead = 0;
         for (let n = 0; n < 200; n += 1) if (!journal.isAlive('${owner}')) dead += 1;
         say(String(dead));
         journal.close();`,
      ),
    );
    expect((await Promise.all(asking.map(({ ended }) => ended()))).flat()).toEqual(['0', '0', '0']);
    child.kill('SIGKILL');
  });

  test('concludes what is its own', async () => {
    const path = newPath();
    const { child, next, ended } = program.start(path, owning);
    await next();
    child.stdin?.end('go');
    expect(await next()).toBe('accepted');
    await ended();
    expect(opened(path).get('intent-1')).toMatchObject({
      state: 'accepted',
      owner: undefined,
      tainted: false,
    });
  });

  test('that never took its lock, or has no name any more, is dead', () => {
    const journal = opened();
    expect(journal.isAlive('nobody')).toBe(false);
    expect(journal.isAlive(journal.self())).toBe(true);
  });

  test('is dead for others once it has closed its journal', () => {
    const path = newPath();
    const one = opened(path);
    const owner = one.self();
    const other = opened(path);
    expect(other.isAlive(owner)).toBe(true);
    one.close();
    expect(other.isAlive(owner)).toBe(false);
  });

  test('of several intents is found dead for each of them', async () => {
    const path = newPath();
    const { child, next } = program.start(
      path,
      `const journal = openJournal(path);
       for (const n of [1, 2, 3]) { journal.begin(intent(n), 'h', 1); }
       say('begun');
       setInterval(() => {}, 1000);`,
    );
    await next();
    child.kill('SIGKILL');
    await once(child, 'exit');
    const journal = opened(path);
    for (const n of [1, 2, 3]) journal.recordDeath(`intent-${n}`, nowMs);
    expect(journal.counts()).toEqual({ accepted: 0, unknown: 3 });
  });
});

describe('one process that opens the journal twice', () => {
  test('keeps its hold on it when one of the two is closed', async () => {
    const path = newPath();
    const journal = opened(path);
    journal.begin({ ...intentOne(), id: 'first', key: 'first' }, 'h', 1);
    opened(path).close();
    // Were the hold lost, this one would take itself for the last and fold the log away under us.
    await program.start(path, `openJournal(path).close();`).ended();
    expect(existsSync(`${path}-wal`)).toBe(true);
    journal.endAttempt('first', 1, endWith('accepted'), 2);
    expect(journal.conclude('first', 'accepted', undefined, 2)?.state).toBe('accepted');
    await program
      .start(path, `const j = openJournal(path); say(j.get('first').state); j.close();`)
      .ended()
      .then((said) => expect(said).toEqual(['accepted']));
  });
});

function intentOne() {
  return {
    kind: 'message' as const,
    baseUrl: 'https://bots.example.com' as never,
    bot: 'b',
    namedBy: undefined,
    name: undefined,
    identity: 'i',
    fingerprint: 'f',
    payment: undefined,
    body: Buffer.from('{}'),
  };
}
