import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
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

/** A profile of this base URL, whose token command leaves the file that is returned. */
function useProfile(baseUrl: string): string {
  const fetched = join(operator.home.path, 'fetched');
  const { full } = operator.sandbox.tokens;
  const command = operator.home.file('print-token', `#!/bin/sh\ntouch '${fetched}'\necho '${full}'\n`);
  chmodSync(command, 0o755);
  operator.useProfiles({ payer: { 'base-url': baseUrl, token: { kind: 'command', command } } }, 'payer');
  return fetched;
}

const rows = (): string =>
  operator.home.file('rows.csv', `id,to_address,asset,amount\na,${payAda[2]},SOL,0.5\n`);

describe('beside a profile', () => {
  const commands: Record<string, () => string[]> = {
    transfer: () => [...payAda, '--once', 'pay-nov'],
    batch: () => ['batch', 'transfer', rows(), '--once', 'payroll', '--yes'],
  };

  test.each(Object.entries(commands))(
    '%s refuses another base URL before the token is fetched',
    async (_what, words) => {
      const fetched = useProfile(operator.sandbox.baseUrl);
      for (const path of ['/bots', '/bots/v2']) {
        const other = `${operator.sandbox.baseUrl}${path}`;
        const byOption = await operator.json([...words(), '--base-url', other]);
        expect(byOption).toMatchObject({ exit: 2, error: { code: 'base-url', retry: 'after-fix' } });
        expect(byOption.error?.message).toContain(
          `--base-url is ${other}, but the profile payer is for ${operator.sandbox.baseUrl}`,
        );
        const byVariable = await operator.json(words(), { env: { BOTCTL_BASE_URL: other } });
        expect(byVariable).toMatchObject({ exit: 2, error: { code: 'base-url' } });
      }
      expect(existsSync(fetched)).toBe(false);
      expect(existsSync(operator.journal)).toBe(false);
      expect(await operator.sandbox.ledger()).toEqual([]);
    },
  );

  test('commands that do not send ignore the variable, and resume goes to the base URL that was kept', async () => {
    useProfile(operator.sandbox.baseUrl);
    await operator.sandbox.faults({ kind: 'drop', when: 'before' });
    const lost = await operator.json([...payAda, '--once', 'pay-nov']);
    expect(lost.exit).toBe(9);
    const id = lost.entry?.id ?? '';
    const env = { BOTCTL_BASE_URL: 'https://stage.example/' };
    expect(await operator.run(['history', id], { env })).toMatchObject({ code: 0 });
    expect(await operator.run(['policy', 'show'], { env })).toMatchObject({ code: 0 });
    expect(await operator.json(['resume', id], { env })).toMatchObject({ exit: 0, outcome: 'accepted' });
    expect(await operator.sandbox.ledger()).toHaveLength(1);
    await operator.sandbox.faults({ kind: 'drop', when: 'before' });
    const second = await operator.json([...payAda, '--once', 'pay-dec', '--repeat']);
    const decided = ['resolve', second.entry?.id ?? '', '--did-not-happen', '--reason', 'seen', '--yes'];
    expect(await operator.run(decided, { env })).toMatchObject({ code: 0 });
  });
});

type Ended = Awaited<ReturnType<SandboxHome['json']>>;

const stores: Record<string, () => Promise<string | undefined>> = {
  'a journal in a file': async () => undefined,
  'a shared journal': async () => newSharedJournal(await sharedServer()),
};

let front: ManySpelled;
const at = (path: string, ...words: string[]): Promise<Ended> =>
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
    useProfile(front.baseUrl);
    const pay = [...payAda, '--once', 'pay-nov'];
    const unknown = await operator.json(pay);
    expect(unknown.exit).toBe(9);
    useProfile(`${front.baseUrl}/bots`);
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
