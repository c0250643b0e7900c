import fc from 'fast-check';
import { expect, test } from 'vitest';
import { spendWithin } from '../../../src/once/engine/spend.ts';
import { unitsOf } from '../../../src/once/intent/amount.ts';
import { openFile } from '../../../src/once/journal/sqlite/sqliteFile.ts';
import type { Policies } from '../../../src/once/policy/policy.ts';
import { endWith, newIntent, newPath, nowMs, opened } from '../../../testing/journals.ts';
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
    // Whoever sends has it count.
    startCounting: async () => {},
  },
  Number(process.env.BOTCTL_RUNS ?? 100),
);

test('in SQLite: two that claim in turns each count what the other spends, gives back and sums up', async () => {
  const policies: Policies = [
    {
      source: 'the policy',
      journal: undefined,
      limits: new Map([['SOL', { day: unitsOf('400'), recipientDay: unitsOf('400') }]]),
      recipients: new Map(people.map((address, n) => [`p${n}`, address])),
      onlyRecipients: false,
      approveAbove: new Map(),
      freshJournal: 'allow',
    },
  ];
  const scope = { asset: 'SOL', sinceHour: Math.floor(nowMs / 3_600_000) - 24 };
  const sum = (units: ReadonlyMap<number, bigint>): bigint => [...units.values()].reduce((a, b) => a + b, 0n);
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
        const spend = { to: recipient, asset: 'SOL', units: unitsOf(String(amount)) };
        const said = await journal.commit(
          async (tx) => {
            const word = await spendWithin(policies, { spend, id: undefined }, tx, nowMs);
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
        for (const [to, recipient] of people.entries()) {
          const { total, toRecipient } = await journal.spending({ ...scope, recipient });
          expect([sum(total), sum(toRecipient)]).toEqual([exact.reduce((a, b) => a + b), exact[to]]);
        }
      await Promise.all(both.map((journal) => journal.close()));
    }),
    { numRuns: 5 },
  );
});
