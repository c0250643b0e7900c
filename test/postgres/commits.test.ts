import { describe, expect, test } from 'vitest';
import type { Transaction } from '../../src/once/journal/journal.ts';
import { closedAfterTest } from '../support/closedAfterTest.ts';
import { allOf, inHand, newEntry, nowMs } from '../support/journals.ts';
import { passHere } from '../support/localTime.ts';
import { startCuttableProxy } from '../support/postgres/cuttableProxy.ts';
import { sharedServer } from '../support/postgres/server.ts';
import { newSharedPlace, openShared } from '../support/postgres/sharedJournal.ts';

const beforeSending = { beforeSending: true } as const;

describe('a commit', () => {
  test('that fails writes nothing afterwards, whatever its work still asks for', async () => {
    const journal = await openShared(await newSharedPlace());
    // Known as an owner: no rule of the schema would stop it.
    await journal.commit((tx) => tx.begin(newEntry(), 'h', nowMs), beforeSending);
    const entry = newEntry();
    let late: Promise<unknown> = Promise.resolve();
    const work = async (tx: Transaction): Promise<never> => {
      late = tx.get(entry.id).then(() => tx.begin(entry, 'h', nowMs));
      late.catch(() => {});
      await tx.get('other');
      throw new Error('it changed its mind');
    };
    await expect(journal.commit(work, beforeSending)).rejects.toThrow('it changed its mind');
    await late.catch(() => {});
    expect(await journal.reads.get(entry.id)).toBeUndefined();
  });

  test.each(['made', 'not made'])(
    'that is over, and %s, shows nothing to who still holds it',
    async (end) => {
      const journal = await openShared(await newSharedPlace());
      let kept: Transaction | undefined;
      const ending = journal.commit(async (tx) => {
        kept = tx;
        if (end === 'not made') throw new Error('no');
      }, beforeSending);
      await ending.catch(() => {});
      await expect(allOf((kept as Transaction).select({ limit: 1 }))).rejects.toThrow(
        'this transaction is over',
      );
    },
  );

  test('is waited for on the disk', async () => {
    let durability: string[] = [];
    const proxy = closedAfterTest(
      await startCuttableProxy((await sharedServer()).port, (_from, message) => {
        durability.push(...(/synchronous_commit = \w+/u.exec(message.toString('latin1')) ?? []));
        return message;
      }),
    );
    const place = await newSharedPlace();
    const journal = await openShared({ ...place, url: proxy.through(place.url) });
    durability = [];
    await journal.commit((tx) => tx.get('x'));
    expect(durability).toEqual(['synchronous_commit = on']);
  });

  test('that starts nothing keeps no lease', async () => {
    const place = await newSharedPlace();
    const journal = inHand(await openShared(place));
    const look = () => journal.commit((tx) => tx.get('x'), {});
    await look();
    await journal.begin(newEntry(), 'h', nowMs);
    passHere(20_000);
    await look();
    expect(journal.trouble()).toBe('stale-claim');
  });
});
