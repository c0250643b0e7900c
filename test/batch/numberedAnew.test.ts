import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { namedById, type RawRow } from '../../src/batch/checkRow.ts';
import { Sheet } from '../../src/batch/sheet.ts';
import { type Survey, survey } from '../../src/batch/survey.ts';
import { identify, newIntent } from '../../src/once/engine/plan.ts';
import { checkTransfer } from '../../src/once/intent/transfer.ts';
import { closedAfterTest } from '../../testing/closedAfterTest.ts';
import { baseUrl, done, type JournalInHand, opened } from '../../testing/journals.ts';
import { recipient } from '../../testing/sandbox.ts';

const bot = {
  name: 'payer',
  baseUrl,
  spelledUrl: baseUrl,
  token: { reveal: () => 'token' },
  tokenSource: 'a test',
  settings: {},
};

type Row = { readonly id: string; readonly amount: string; readonly memo: string };
type Begun = Row & { readonly verdict: 'accepted' | 'unknown' | 'rejected' };

const request = ({ amount, memo }: Row) => ({ to_address: recipient, asset: 'SOL', amount, memo });

async function pay(row: Begun, journal: JournalInHand): Promise<void> {
  const checked = checkTransfer(request(row), 'any');
  if ('complaints' in checked) throw new Error('not a payment');
  const order = { wanted: checked.wanted, naming: namedById('payroll', row.id) };
  const intent = newIntent(identify(order, bot, journal), bot, randomUUID);
  await done(journal, row.verdict, intent, journal.clock.now());
}

async function* raw(rows: readonly Row[]): AsyncGenerator<RawRow> {
  for (const [nth, row] of rows.entries()) yield { line: nth + 2, fields: { id: row.id, ...request(row) } };
}

async function surveyed(rows: readonly Row[], journal: JournalInHand): Promise<Survey & { sheet: Sheet }> {
  const sheet = closedAfterTest(new Sheet());
  const order = { kind: 'transfer', name: 'payroll', recipients: 'any' } as const;
  const words = () => '';
  const found = await survey(raw(rows), order, {
    sheet,
    bot,
    journal: journal,
    now: () => journal.clock.now(),
    interrupted: new AbortController().signal,
    inWords: words,
    isSent: () => false,
    refusalInWords: words,
    conflictInWords: words,
    repeatInWords: words,
  });
  return { ...found, sheet };
}

/** Written by hand from the design: what a survey says of rows whose export numbered them anew. */
function expected(begun: readonly Begun[], rows: readonly Row[]) {
  const isValid = (row: Row): boolean =>
    row.amount !== 'much' && rows.filter(({ id }) => id === row.id).length === 1;
  const isSame = (one: Row, other: Row): boolean =>
    one.id === other.id && one.amount === other.amount && one.memo === other.memo;
  const didPay = ({ verdict }: Begun): boolean => verdict !== 'rejected';
  const paid = begun.filter((old) => didPay(old) && !rows.some((row) => isValid(row) && isSame(row, old)));
  const mayBegin = rows.filter((row) => {
    const old = begun.find(({ id }) => id === row.id);
    return isValid(row) && (old === undefined || old.verdict === 'rejected');
  });
  const amounts = ['1', '2'].map((amount) => ({
    amount,
    wanted: mayBegin.filter((row) => row.amount === amount),
    made: paid.filter((row) => row.amount === amount),
  }));
  const repeated = amounts.filter(({ made }) => made.length > 0);
  return {
    ids: repeated.flatMap(({ wanted }) => wanted.map(({ id }) => id)).sort(),
    paidLess: repeated
      .filter(({ wanted, made }) => wanted.length > made.length)
      .map(({ amount, made }) => [amount, made.length]),
  };
}

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const memo = fc.constantFrom('', 'm');
const begunRow = fc.record({
  ...{ id, memo, amount: fc.constantFrom('1', '2') },
  verdict: fc.constantFrom('accepted' as const, 'accepted' as const, 'unknown' as const, 'rejected' as const),
});
const row = fc.record({ id, memo, amount: fc.constantFrom('1', '1', '2', '2', 'much') });

test('a row is a repeat if the same was paid under this name by a row that the input has no more', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(begunRow, { selector: ({ id }) => id, maxLength: 5 }),
      fc.array(row, { maxLength: 6 }),
      async (begun, rows) => {
        const journal = opened();
        for (const one of begun) await pay(one, journal);
        const { repeats, sheet } = await surveyed(rows, journal);
        const ids = [...sheet.repeated()].flat().map(({ id }) => id);
        const paidLess = repeats.paidLess.map(({ request, paid }) => [request.amount, paid]);
        expect({ ids: ids.sort(), paidLess: paidLess.sort() }).toEqual(expected(begun, rows));
        expect(repeats.own).toBe(ids.length);
      },
    ),
    { numRuns: 150 },
  );
});
