import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newSharedJournal } from '../support/postgres/newJournal.ts';
import { sharedServer } from '../support/postgres/server.ts';
import { payAda, SandboxHome } from '../support/sandboxHome.ts';
import { type ManySpelled, startPrefixProxy } from '../support/spellings.ts';

let operator: SandboxHome;
beforeEach(async () => {
  operator = await SandboxHome.open();
});
afterEach(() => operator.close());

const stores: Record<string, () => Promise<string | undefined>> = {
  'a journal in a file': async () => undefined,
  'a shared journal': async () => newSharedJournal(await sharedServer()),
};

let front: ManySpelled;
const at = (path: string, ...words: string[]): ReturnType<SandboxHome['json']> =>
  operator.json([...words, '--base-url', `${front.baseUrl}${path}`]);

describe('another path of the host', () => {
  beforeEach(async () => {
    front = await startPrefixProxy(operator.sandbox.baseUrl);
  });
  afterEach(() => front.close());

  test.each([
    ['with a name', ['--once', 'pay-nov']],
    ['without a name', []],
  ])('finds an equal payment there %s', async (_naming, name) => {
    await operator.sandbox.faults({ kind: 'drop', when: 'after' });
    expect((await at('', ...payAda, ...name)).exit).toBe(9);
    const stopped = { exit: 10, error: { code: 'paid-already' } };
    expect(await at('/bots', ...payAda, ...name)).toMatchObject(stopped);
    expect((await at('', ...payAda, ...name)).exit).toBe(0);
    expect(await at('/bots', ...payAda, ...name)).toMatchObject(stopped);
    expect(await operator.sandbox.ledger()).toHaveLength(1);
    expect((await at('/bots', ...payAda, '--once', 'pay-nov', '--repeat')).exit).toBe(0);
    expect(await operator.sandbox.ledger()).toHaveLength(2);
  });

  test('is where a profile has moved: what it left unknown goes where it went', async () => {
    await operator.sandbox.faults({ kind: 'drop', when: 'after' });
    operator.useProfiles({ payer: { 'base-url': front.baseUrl } }, 'payer');
    const pay = [...payAda, '--once', 'pay-nov'];
    const unknown = await operator.json(pay);
    expect(unknown.exit).toBe(9);
    operator.useProfiles({ payer: { 'base-url': `${front.baseUrl}/bots` } }, 'payer');
    expect((await operator.json(pay)).exit).toBe(10);
    expect(await operator.json(['resume', unknown.entry?.id ?? ''])).toMatchObject({
      exit: 0,
      entry: { base_url: front.baseUrl },
    });
    expect(await operator.sandbox.ledger()).toHaveLength(1);
  });

  test.each(Object.entries(stores))('pays once where processes race, in %s', async (_store, newJournal) => {
    const journal = await newJournal();
    if (journal !== undefined) operator.env.BOTCTL_JOURNAL = journal;
    const races = ['', '/bots', '', '/bots'].map((path) =>
      operator.jsonApart([
        ...payAda,
        '--once',
        'a',
        '--max-wait',
        '30s',
        '--base-url',
        `${front.baseUrl}${path}`,
      ]),
    );
    const ended = (await Promise.all(races)).map(({ exit, error }) => [exit, error?.code]);
    const stopped = [10, 'paid-already'];
    expect(ended.sort()).toEqual([[0, undefined], [0, undefined], stopped, stopped]);
    expect(await operator.sandbox.ledger()).toHaveLength(1);
  });
});
