import { describe, expect, test } from 'vitest';
import { shownNow } from '../../src/once/engine/asShown.ts';
import { execute } from '../../src/once/engine/execute.ts';
import { resolveEntry } from '../../src/once/engine/resume.ts';
import { unitsOf } from '../../src/once/entry/amount.ts';
import type { Order } from '../../src/once/entry/naming.ts';
import type { Journal, Transaction } from '../../src/once/journal/journal.ts';
import type { Flight } from '../../src/once/wire/flight.ts';
import { spendWithin } from '../../src/policy/spend.ts';
import { countStates, done, inHand, newEntry, nowMs } from '../support/journals.ts';
import { policyOf } from '../support/policies.ts';
import { onShared, scriptedEngines } from '../support/postgres/sharedEngine.ts';
import { newSharedPlace, openShared, type SharedPlace } from '../support/postgres/sharedJournal.ts';
import { ada, endOf, message, noRetries, once, posted, reply, transfer } from '../support/scriptedEngine.ts';

const newEngine = scriptedEngines();
const many = 8;

const openMany = (place: SharedPlace): Promise<Journal[]> =>
  Promise.all(Array.from({ length: many }, () => openShared(place)));

type Ended = { readonly ends: string[]; readonly keys: readonly string[] };

/** Each journal does its order, all at once. */
async function allAtOnce(journals: readonly Journal[], orderOf: (nth: number) => Order): Promise<Ended> {
  const keys: string[] = [];
  const ends = await Promise.all(
    journals.map(async (journal, nth) => {
      const scripted = newEngine();
      const answer = async ({ body }: { body: Uint8Array }): Promise<Flight> => {
        const { idempotency_key: key } = JSON.parse(Buffer.from(body).toString()) as {
          idempotency_key: string;
        };
        keys.push(key);
        await new Promise((resolve) => setTimeout(resolve, 3));
        const order = orderOf(nth);
        return order.wanted.kind === 'message'
          ? posted
          : reply(200, { transfer_id: `t ${key}`, signature: `s ${key}` });
      };
      scripted.script.push(answer);
      return endOf(
        await execute(orderOf(nth), scripted.engine({ ...onShared(journal), limits: { maxWaitMs: 60_000 } })),
      );
    }),
  );
  return { ends, keys };
}

/** Resolves when so many have come to it. */
function gate(of: number): () => Promise<void> {
  let come = 0;
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return () => {
    come += 1;
    if (come === of) open();
    return opened;
  };
}

describe('many machines at once', () => {
  test.each<[string, (round: number, nth: number) => Order, string]>([
    ['that send the same message without a name', (round) => message(`round ${round}`), 'replayed accepted'],
    [
      'that send the same under one name',
      (round) => transfer({ amount: `${round + 1}` }, once(`rent ${round}`)),
      'replayed accepted',
    ],
    [
      'that pay the same under other names',
      (round, nth) => transfer({ amount: `${round + 1}` }, once(`${round}/${nth}`)),
      'not sent: paid-already',
    ],
  ])('%s make one of it', async (_what, order, others) => {
    const place = await newSharedPlace();
    const journals = await openMany(place);
    for (let round = 0; round < 4; round += 1) {
      const { ends, keys } = await allAtOnce(journals, (nth) => order(round, nth));
      expect(keys).toHaveLength(1);
      expect(ends.sort()).toEqual(['accepted', ...Array(many - 1).fill(others)]);
    }
  });

  test('do not take one transfer id for the proof of two transfers', async () => {
    const journals = (await openMany(await newSharedPlace())).slice(0, 2);
    const bothAreHere = gate(2);
    const paidTwice = async () => {
      await bothAreHere();
      return reply(200, { transfer_id: 'tr_1', status: 'confirmed', signature: 's' });
    };
    const outcomes = journals.map((journal, nth) =>
      newEngine().run(transfer({ amount: `${nth + 1}` }, once(`n${nth}`)), [paidTwice], {
        ...onShared(journal),
        ...noRetries,
      }),
    );
    expect((await Promise.all(outcomes)).map(endOf).sort()).toEqual(['accepted', 'held']);
  });

  test('of two operators who decide the same, the word of one is kept', async () => {
    const place = await newSharedPlace();
    const [one, other] = [inHand(await openShared(place)), inHand(await openShared(place))];
    const id = await done(one, 'unknown', { kind: 'transfer', payment: '["ada","sol","1"]' });
    const shown = await shownNow(id, one.reads);
    const word = { kind: 'happened', atMs: 2, reason: 'seen', signature: undefined } as const;
    const resolving = [one, other].map((journal, n) =>
      resolveEntry(shown, { ...word, who: `w${n}` }, journal),
    );
    expect(await Promise.all(resolving)).toMatchObject([
      { resolvedAs: 'happened' },
      { resolvedAs: 'happened' },
    ]);
    expect(await one.decisionsOf(id)).toHaveLength(1);
  });

  test('with many rows each claim no more together than a day allows, and all of that', async () => {
    const place = await newSharedPlace();
    const machines = await Promise.all([1, 2, 3, 4].map(() => openShared(place)));
    const policies = [policyOf({ limits: { SOL: { day: '50' } } })];
    const spend = { to: ada, asset: 'SOL', assetNames: ['sol'], units: unitsOf('1') };
    const payment = JSON.stringify([ada, 'sol', '1']);
    const claimOne = async (tx: Transaction): Promise<string> => {
      const order = { spend, entry: undefined, proposes: false, isShared: true };
      const word = await spendWithin(policies, order, tx, nowMs);
      if (word.is !== 'allowed') return word.is;
      await tx.begin(newEntry({ kind: 'transfer', namedBy: 'once', name: 'n', payment }), 'hash', nowMs);
      word.reserve?.();
      return word.is;
    };
    const works = Array.from({ length: 16 }, () => ({ work: claimOne, guards: { beforeSending: true } }));
    const ends = await Promise.all(
      machines.flatMap((machine) => [machine.commitTogether(works), machine.commitTogether(works)]),
    );
    const words = ends.flat().map((end) => (end.status === 'fulfilled' ? end.value : String(end.reason)));
    expect(words.filter((word) => word === 'allowed')).toHaveLength(50);
    expect(words.filter((word) => word === 'refused')).toHaveLength(78);
    expect(await countStates((await openShared(place)).reads)).toEqual({ sending: 50 });
  });
});
