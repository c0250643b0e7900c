import { describe, expect, test } from 'vitest';
import { execute } from '../../src/once/engine/execute.ts';
import type { Order } from '../../src/once/entry/naming.ts';
import type { Journal } from '../../src/once/journal/journal.ts';
import type { Flight } from '../../src/once/wire/flight.ts';
import { allOf } from '../support/journals.ts';
import { onShared, scriptedEngines } from '../support/postgres/sharedEngine.ts';
import { newSharedPlace, openShared, type SharedPlace } from '../support/postgres/sharedJournal.ts';
import { endOf, message, once, posted, reply, transfer } from '../support/scriptedEngine.ts';

const newEngine = scriptedEngines();
const many = 8;

const openMany = (place: SharedPlace): Promise<Journal[]> =>
  Promise.all(Array.from({ length: many }, () => openShared(place)));

type Ended = {
  readonly ends: readonly string[];
  readonly keys: readonly string[];
  readonly overlaps: number;
};

/** Each journal does its order, all at once; of the requests, some may be under way together. */
async function allAtOnce(journals: readonly Journal[], orderOf: (nth: number) => Order): Promise<Ended> {
  const keys: string[] = [];
  let [inFlight, overlaps] = [0, 0];
  const ends = await Promise.all(
    journals.map(async (journal, nth) => {
      const scripted = newEngine();
      const answer = async ({ body }: { body: Uint8Array }): Promise<Flight> => {
        const { idempotency_key: key } = JSON.parse(Buffer.from(body).toString()) as {
          idempotency_key: string;
        };
        keys.push(key);
        overlaps += inFlight;
        inFlight += 1;
        await new Promise((resolve) => setTimeout(resolve, 3));
        inFlight -= 1;
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
  return { ends, keys, overlaps };
}

describe('many machines at once', () => {
  test('that send the same message without a name make one of it', async () => {
    const place = await newSharedPlace();
    const journals = await openMany(place);
    for (let round = 0; round < 5; round += 1) {
      const { ends, keys } = await allAtOnce(journals, () => message(`round ${round}`));
      expect(keys).toHaveLength(1);
      expect(ends.filter((end) => !end.endsWith('accepted'))).toEqual([]);
    }
    expect(await allOf((await openShared(place)).reads.select({ limit: 100 }))).toHaveLength(5);
  });

  test('that send the same under one name make one of it', async () => {
    const journals = await openMany(await newSharedPlace());
    for (let round = 0; round < 5; round += 1) {
      const { ends, keys } = await allAtOnce(journals, () =>
        transfer({ amount: `${round + 1}` }, once(`rent ${round}`)),
      );
      expect(keys).toHaveLength(1);
      expect(ends.filter((end) => !end.endsWith('accepted'))).toEqual([]);
    }
  });

  test('that pay the same under other names make one payment', async () => {
    const journals = await openMany(await newSharedPlace());
    for (let round = 0; round < 3; round += 1) {
      const amount = `${round + 1}`;
      const { ends, keys } = await allAtOnce(journals, (nth) =>
        transfer({ amount }, once(`${round}/${nth}`)),
      );
      expect(keys).toHaveLength(1);
      const others = ends.filter((end) => end !== 'accepted');
      expect(others).toEqual(Array.from({ length: many - 1 }, () => 'not sent: paid-already'));
    }
  });
});
