import { describe, expect, test } from 'vitest';
import { amountOf, unitsOf } from '../../../src/once/intent/amount.ts';
import type { JournalRow, Values } from '../../../src/once/journal/rows.ts';
import { Spent } from '../../../src/once/journal/spent.ts';

const texts = { spent: 'spent', spend: 'spend' } as const;
const hourMs = 3_600_000;
const to = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLS4gDB4T';
const paymentOf = (amount: string, asset = 'sol', address = to): string =>
  JSON.stringify([address, asset, amount]);

/** What the database says, and what it was asked. */
function database(rows: Partial<Record<keyof typeof texts, readonly JournalRow[]>> = {}) {
  const asked: [string, Values][] = [];
  const ask = async (sql: string, values: Values): Promise<readonly JournalRow[]> => {
    asked.push([sql, values]);
    return rows[sql as keyof typeof texts] ?? [];
  };
  const written = () =>
    asked.flatMap(([sql, { asset, hour, units }]) => (sql === 'spend' ? [`${asset} ${hour} ${units}`] : []));
  return { ask, asked, written };
}

const scope = { asset: 'SOL', sinceHour: 3 };

describe('what is read', () => {
  const rows = { spent: [{ hour: 5, units: '7' }] };

  test('is asked once in a commit, and shared with whoever adds what it claims', async () => {
    const { ask, asked } = database(rows);
    const spent = new Spent(texts, true);
    const [first, second] = [await spent.spending(scope, ask), await spent.spending(scope, ask)];
    expect(first).toEqual(new Map([[5, 7n]]));
    expect(second).toBe(first);
    expect(asked).toEqual([['spent', { asset: 'sol', since: 3 }]]);
  });

  test('is asked each time outside of a commit', async () => {
    const { ask, asked } = database(rows);
    const spent = new Spent(texts, false);
    const [first, second] = [await spent.spending(scope, ask), await spent.spending(scope, ask)];
    expect(second).not.toBe(first);
    expect(asked).toHaveLength(2);
  });

  test('holds what the commit itself has moved, of this asset', async () => {
    const other = '7o36UsWR1JQLpZ9PE2gn9L4SQ69CNNiWAXd4Jt7rqz9Z';
    const { ask } = database();
    const spent = new Spent(texts, true);
    spent.move(paymentOf('1'), undefined, 4 * hourMs);
    spent.move(paymentOf('2'), undefined, 4 * hourMs);
    spent.move(paymentOf('4', 'sol', other), undefined, 4 * hourMs);
    spent.move(paymentOf('8', 'usdc'), undefined, 4 * hourMs);
    expect(await spent.spending(scope, ask)).toEqual(new Map([[4, 7n * unitsOf('1')]]));
  });
});

describe('what is written', () => {
  async function writtenAfter(work: (spent: Spent) => void) {
    const { ask, asked, written } = database();
    const spent = new Spent(texts, true);
    work(spent);
    await spent.write(ask);
    return { asked, written: written() };
  }

  test('is one sum for each hour', async () => {
    const one = unitsOf('1');
    const { written } = await writtenAfter((spent) => {
      spent.move(paymentOf('1'), undefined, 4 * hourMs);
      spent.move(paymentOf('2'), undefined, 4.5 * hourMs);
      spent.move(paymentOf('3'), 4 * hourMs, 5 * hourMs);
    });
    expect(written).toEqual([`sol 5 ${3n * one}`]);
  });

  test('is nothing where an hour gives as much as it takes', async () => {
    const { written } = await writtenAfter((spent) => spent.move(paymentOf('1'), 4 * hourMs, 4 * hourMs + 1));
    expect(written).toEqual([]);
  });

  test('is the smallest unit too', async () => {
    const { written } = await writtenAfter((spent) => spent.move(paymentOf(amountOf(1n)), undefined, 0));
    expect(written).toEqual(['sol 0 1']);
  });

  test.each([[null], [undefined], ['no JSON'], ['[]']])(
    'is nothing for a damaged payment: %j',
    async (payment) => {
      const { asked } = await writtenAfter((spent) => {
        spent.move(payment, undefined, 0);
      });
      expect(asked).toEqual([]);
    },
  );

  test('has been answered when it is over', async () => {
    let answered = 0;
    const spent = new Spent(texts, true);
    spent.move(paymentOf('1'), undefined, 0);
    await spent.write(async () => {
      await Promise.resolve();
      answered += 1;
      return [];
    });
    expect(answered).toBe(1);
  });
});
