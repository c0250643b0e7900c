import { generateKeyPairSync } from 'node:crypto';
import { base58 } from '@scure/base';
import { describe, expect, test } from 'vitest';
import type { RawRow } from '../../src/batch/checkRow.ts';
import { gathering } from '../../src/batch/gathering.ts';
import { Sheet } from '../../src/batch/sheet.ts';
import { type Survey, survey } from '../../src/batch/survey.ts';
import { anyAddress } from '../../src/once/intent/address.ts';
import type { Gathering, Journal } from '../../src/once/journal/journal.ts';
import { closedAfterTest } from '../../testing/closedAfterTest.ts';
import { baseUrl, newIntent, opened } from '../../testing/journals.ts';
import { newSharedPlace, openShared } from '../../testing/postgres/sharedJournal.ts';

const people = Array.from({ length: 300 }, () =>
  base58.encode(
    generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'der' }).subarray(-32),
  ),
);

async function* rows(count: number): AsyncGenerator<RawRow> {
  for (let row = 0; row < count; row += 1) {
    const to = people[row % people.length];
    yield { line: row + 2, fields: { id: `r${row}`, to_address: to, asset: 'SOL', amount: `${row + 1}` } };
  }
}

type Question = readonly [name: string, items: number];

/** Surveys so many rows, and tells which statements the journal ran for how many of them. */
async function surveyed(journal: Journal, count: number): Promise<{ found: Survey; asked: Question[] }> {
  const asked: Question[] = [];
  const counting: Gathering = {
    ...gathering,
    gather: (way) =>
      gathering.gather({
        ...way,
        run: (name, items) => {
          asked.push([name, items.length]);
          return way.run(name, items);
        },
      }),
  };
  const sheet = closedAfterTest(new Sheet());
  const bot = {
    name: 'payer',
    baseUrl,
    spelledUrl: baseUrl,
    token: { reveal: () => 'token' },
    tokenSource: 'a test',
    settings: {},
  };
  const order = { kind: 'transfer', name: 'payroll', recipients: anyAddress } as const;
  const words = () => '';
  const found = await survey(rows(count), order, {
    sheet,
    bot,
    journal: journal.forMany(counting),
    now: () => journal.clock.now(),
    interrupted: new AbortController().signal,
    inWords: words,
    isSent: () => false,
    refusalInWords: words,
    repeatInWords: words,
  });
  return { found, asked };
}

const stores: Readonly<Record<string, () => Promise<Journal>>> = {
  'a file': async () => opened(),
  'a server': async () => openShared(await newSharedPlace()),
};

describe.each(Object.entries(stores))('a survey, with a journal in %s', (_which, open) => {
  test('asks what was paid under other names once for a page of rows', async () => {
    const journal = await open();
    const repeated = { kind: 'transfer', namedBy: 'once', name: 'rent' } as const;
    const payment = JSON.stringify([people[299], 'sol', '300']);
    const intent = newIntent({ ...repeated, payment });
    await journal.commit((tx) => tx.begin(intent, 'h', journal.clock.now()), { beforeSending: true });
    const { found, asked } = await surveyed(journal, 600);
    expect(asked.filter(([name]) => name === 'paidBefore').map(([, items]) => items)).toEqual([256, 256, 88]);
    expect(found.repeats).toMatchObject({ rows: 1, of: 600, inDoubt: 1, first: [{ id: 'r299' }] });
  });
});
