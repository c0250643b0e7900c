import { expect, test } from 'vitest';
import { unitsOf } from '../../src/once/entry/amount.ts';
import type { Journal, Transaction } from '../../src/once/journal/journal.ts';
import { verbsIn } from '../../src/once/journal/verbs.ts';
import { dayMs, type Policies } from '../../src/policy/policy.ts';
import { spendWithin } from '../../src/policy/spend.ts';
import { dialectIn } from '../../src/postgres/sql.ts';
import { describeSpending } from '../policy/spendingModel.ts';
import { countStates, inHand, newEntry, nowMs } from '../support/journals.ts';
import {
  addPaid,
  newSharedPlace,
  onServer,
  openShared,
  type SharedPlace,
} from '../support/postgres/sharedJournal.ts';

const ada = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';

describeSpending<SharedPlace>(
  'on PostgreSQL',
  {
    newPlace: () => newSharedPlace(),
    open: async (place) => inHand(await openShared(place)),
    declareDead: (place, owner) =>
      onServer(place, async (client) => {
        const sending = 'entry IN (SELECT seq FROM entries WHERE owner = $1)';
        await client.query('UPDATE owners SET ended_at = renewed_at WHERE id = $1', [owner]);
        await client.query(
          `UPDATE attempts SET verdict = 'unknown', phase = 'process-died', ended_at = 1
           WHERE verdict IS NULL AND ${sending}`,
          [owner],
        );
        await client.query(`UPDATE entries SET state = 'unknown', owner = NULL WHERE owner = $1`, [owner]);
      }),
  },
  Number(process.env.BOTCTL_RUNS ?? 8),
);

/** Of no entry on record. */
const anew = { entry: undefined, proposes: false, isShared: false };

test('four machines with many rows each claim no more together than a day allows, and all of that', async () => {
  const place = await newSharedPlace();
  const machines = await Promise.all([1, 2, 3, 4].map(() => openShared(place)));
  const policies: Policies = [
    {
      source: 'the policy',
      limits: new Map([['SOL', { day: unitsOf('50') }]]),
      recipients: new Map([['ada', ada]]),
      onlyRecipients: false,
    },
  ];
  const spend = { to: ada, asset: 'SOL', assetNames: ['sol'], units: unitsOf('1') };
  const guards = { beforeSending: true };
  const claimOne = async (tx: Transaction): Promise<string> => {
    const word = await spendWithin(policies, { spend, ...anew }, tx, nowMs);
    const payment = JSON.stringify([ada, 'sol', '1']);
    const named = { kind: 'transfer', namedBy: 'once', name: 'n', payment } as const;
    if (word.is !== 'allowed') return word.is;
    await tx.begin(newEntry(named), 'hash', nowMs);
    word.reserve?.();
    return word.is;
  };
  const works = Array.from({ length: 16 }, () => ({ work: claimOne, guards }));
  const ends = await Promise.all(
    machines.flatMap((machine) => [machine.commitTogether(works), machine.commitTogether(works)]),
  );
  const words = ends.flat().map((end) => (end.status === 'fulfilled' ? end.value : String(end.reason)));
  expect(words.filter((word) => word === 'allowed')).toHaveLength(50);
  expect(words.filter((word) => word === 'refused')).toHaveLength(78);
  expect(await countStates(machines[0]?.reads as Journal['reads'])).toEqual({ sending: 50 });
});

test('what a day of 20,000 payments spent is asked of one index', async () => {
  const place = await newSharedPlace();
  await addPaid(place, 20_000);
  const { text, values } = verbsIn(dialectIn(place.schema)).spending;
  const given: Readonly<Record<string, unknown>> = { asset: 'sol', since: nowMs - dayMs };
  const plan = await onServer(place, (client) =>
    client.query(
      `EXPLAIN ${text}`,
      values.map((name) => given[name]),
    ),
  );
  const steps = plan.rows.map((row) => String(row['QUERY PLAN']));
  expect(steps.filter((step) => / on entries/u.test(step))).toEqual([
    expect.stringContaining('Index Only Scan using entries_spent on entries'),
  ]);
});
