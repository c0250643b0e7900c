import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unitsOf } from '../../src/once/intent/amount.ts';
import { openFile } from '../../src/once/journal/file/opening.ts';
import type { Reads, Transaction } from '../../src/once/journal/journal.ts';
import { dayMs, type Policies } from '../../src/policy/policy.ts';
import { spendWithin } from '../../src/policy/spend.ts';
import { done, endWith, newIntent, newPath, nowMs, opened } from '../../testing/journals.ts';
import { describeSpending, people } from './spendingModel.ts';

describeSpending(
  'in SQLite',
  {
    newPlace: async () => newPath(),
    open: async (path) => opened(path),
    declareDead: async (path, owner) => {
      const { database } = openFile(path);
      const sending = '(SELECT seq FROM intents WHERE owner = :owner)';
      const died = `UPDATE attempts SET verdict = 'unknown', phase = 'process-died', ended_at = 1`;
      database.prepare(`${died} WHERE verdict IS NULL AND intent IN ${sending}`).run({ owner });
      database
        .prepare(`UPDATE intents SET state = 'unknown', owner = NULL WHERE owner = :owner`)
        .run({ owner });
      database.close();
    },
  },
  Number(process.env.BOTCTL_RUNS ?? 100),
);

/** Of no entry on record. */
const anew = { intent: undefined, proposes: false, isShared: false };

test('in SQLite: two that claim in turns each count what the other spends, gives back and sums up', async () => {
  const policies: Policies = [
    {
      source: 'the policy',
      limits: new Map([['SOL', { day: unitsOf('400') }]]),
      recipients: new Map(people.map((address, n) => [`p${n}`, address])),
      onlyRecipients: false,
    },
  ];
  const turn = fc.record({
    who: fc.nat(1),
    to: fc.nat(1),
    amount: fc.integer({ min: 1, max: 9 }),
    fails: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { minLength: 150, maxLength: 200 }), async (turns) => {
      const place = newPath();
      const both = [opened(place), opened(place)] as const;
      const exact = [0n, 0n];
      for (const { who, to, amount, fails } of turns) {
        const journal = both[who] ?? both[0];
        const recipient = people[to] ?? '';
        const payment = JSON.stringify([recipient, 'sol', String(amount)]);
        const intent = newIntent({ kind: 'transfer', namedBy: 'once', name: 'n', payment });
        const spend = { to: recipient, asset: 'SOL', spellings: ['sol'], units: unitsOf(String(amount)) };
        const said = await journal.commit(
          async (tx) => {
            const word = await spendWithin(policies, { spend, ...anew }, tx, nowMs);
            if (word.is === 'allowed') await tx.begin(intent, 'hash', nowMs);
            return word.is;
          },
          { beforeSending: true },
        );
        expect(said).toBe(
          exact.reduce((a, b) => a + b) + spend.units <= unitsOf('400') ? 'allowed' : 'refused',
        );
        if (said !== 'allowed') continue;
        if (fails) {
          await journal.endAttempt(intent.id, 1, endWith('rejected'), nowMs);
          await journal.conclude(intent.id, 'rejected', undefined, nowMs);
        } else exact[to] = (exact[to] ?? 0n) + spend.units;
      }
      for (const journal of both)
        expect((await journal.spending('SOL', nowMs - dayMs)).units).toBe(exact.reduce((a, b) => a + b));
      await Promise.all(both.map((journal) => journal.close()));
    }),
    { numRuns: 5 },
  );
});

test('in SQLite: sums go on where any process left them, and are of what was committed', async () => {
  const path = newPath();
  const both = [opened(path), opened(path)] as const;
  const [ada = '', bob = ''] = people;
  const exact = new Map(people.map((one) => [one, 0]));
  const begun: { id: string; to: string }[] = [];
  const read = async (reads: Pick<Reads, 'spending'>): Promise<void> => {
    const { units } = await reads.spending('SOL', nowMs - dayMs);
    const all = [...exact.values()].reduce((a, b) => a + b);
    expect(units).toBe(unitsOf(String(all)));
  };
  const change = (who: 0 | 1, work: (tx: Transaction) => Promise<void>): Promise<void> =>
    both[who].commit(async (tx) => {
      await read(tx);
      await work(tx);
    });
  const begin = (to: string, many: number) => async (tx: Transaction) => {
    for (let nth = 0; nth < many; nth += 1) {
      const payment = JSON.stringify([to, 'sol', '1']);
      const intent = newIntent({ kind: 'transfer', namedBy: 'once', name: 'n', payment });
      await tx.begin(intent, 'hash', nowMs);
      begun.push({ id: intent.id, to });
    }
    exact.set(to, (exact.get(to) ?? 0) + many);
  };
  const reject = (many: number) => async (tx: Transaction) => {
    for (const { id, to } of begun.splice(0, many)) {
      await tx.endAttempt(id, 1, endWith('rejected'), nowMs);
      await tx.conclude(id, 'rejected', undefined, nowMs);
      exact.set(to, (exact.get(to) ?? 0) - 1);
    }
  };
  for (const journal of both) await read(journal.reads);
  await change(0, begin(ada, 1));
  await change(0, reject(1));
  for (const who of [0, 1, 0, 1] as const) {
    await change(who, begin(who === 0 ? ada : bob, 70));
    for (const journal of both) await read(journal.reads);
    const kept = [new Map(exact), [...begun]] as const;
    const undone = both[who].commit(async (tx) => {
      await begin(ada, 3)(tx);
      await read(tx);
      throw new Error('no');
    });
    await expect(undone).rejects.toThrow('no');
    for (const [to, units] of kept[0]) exact.set(to, units);
    begun.splice(0, begun.length, ...kept[1]);
  }
  // No intent is added from here on: only what is given back moves the sums.
  await change(0, async () => {});
  const [kept, left] = [new Map(exact), [...begun]];
  const undone = both[0].commit(async (tx) => {
    await begin(ada, 3)(tx);
    await read(tx);
    throw new Error('no');
  });
  await expect(undone).rejects.toThrow('no');
  for (const [to, units] of kept) exact.set(to, units);
  begun.splice(0, begun.length, ...left);
  await read(both[0].reads);
  await change(0, reject(70));
  await change(1, async () => {});
  for (const journal of [...both, opened(path)]) await read(journal.reads);
});

test('in SQLite: a damaged payment that is too old to count stops nothing', async () => {
  const journal = opened();
  const paid = { kind: 'transfer', payment: JSON.stringify([people[0], 'sol', '2']) } as const;
  await done(journal, 'accepted', { ...paid, payment: 'damaged' }, nowMs - 2 * dayMs);
  await done(journal, 'accepted', paid);
  expect(await journal.spending('SOL', nowMs - dayMs)).toEqual({ units: unitsOf('2') });
});
