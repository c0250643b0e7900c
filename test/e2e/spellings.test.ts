// A token may be called by its name or by its mint: to all that compares and counts, these are one asset.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SkippingClock } from '../support/builtHere.ts';
import { lastLine } from '../support/jsonOutput.ts';
import { newSharedJournal } from '../support/postgres/newJournal.ts';
import { sharedServer } from '../support/postgres/server.ts';
import { recipient } from '../support/sandbox.ts';
import { type Exited, SandboxHome } from '../support/sandboxHome.ts';

let operator: SandboxHome;
let mint: string;
let clock: SkippingClock;

const effects = async (): Promise<number> => (await operator.sandbox.ledger()).length;
const pay = (asset: string, ...more: string[]): string[] => [
  ...['transfer', '--to', recipient, '--asset', asset, '--amount', '2', '--yes', ...more],
];
const json = (argv: readonly string[]): Promise<Exited & { repeats?: { name?: string }[] }> =>
  operator.json(argv) as Promise<Exited & { repeats?: { name?: string }[] }>;

/** Another profile than the one that speaks names the mint. */
function useNames(policy?: object): void {
  const file = policy === undefined ? undefined : operator.home.policy(policy);
  operator.useProfiles({ bot: { policy: file }, other: { assets: { USDC: mint } } }, 'bot');
}

const rowsOf = (rows: readonly (readonly [id: string, asset: string, amount: string])[]): string => {
  const lines = rows.map(([id, asset, amount]) => `${id},${recipient},${asset},${amount}\n`);
  return operator.home.file('rows.csv', `id,to_address,asset,amount\n${lines.join('')}`);
};

const journals: Readonly<Record<string, () => Promise<Record<string, string>>>> = {
  'a file': async () => ({}),
  'a server': async () => ({ BOTCTL_JOURNAL: await newSharedJournal(await sharedServer()) }),
};

describe.each(Object.entries(journals))('with a journal in %s', (_which, journalOf) => {
  beforeEach(async () => {
    clock = new SkippingClock();
    operator = await SandboxHome.open(clock);
    mint = operator.sandbox.node.assets.USDC ?? '';
    Object.assign(operator.env, await journalOf());
  });
  afterEach(() => operator.close());

  test('limits count both assetNames and go by the strictest line, but a line allows its own spelling only', async () => {
    const base = { schema: 'botctl-policy/1' };
    const lines = { [mint]: { transfer: '9', day: '9' }, USDC: { transfer: '5', day: '5' } };
    useNames({ ...base, limits: lines, approve_above: { USDC: '4' } });
    const of = (asset: string, amount: string, name: string): string[] =>
      pay(asset, '--once', name).map((word) => (word === '2' ? amount : word));
    expect(await json(of(mint, '6', 'large'))).toMatchObject({
      exit: 2,
      error: {
        code: 'policy-limit',
        message: expect.stringContaining(`at most 5 USDC per transfer, and this transfer is 6 ${mint}`),
      },
    });
    expect(await json(of(mint, '4.5', 'more'))).toMatchObject({ exit: 10, entry: { why: 'approval' } });
    expect((await json(of('USDC', '3', 'one'))).exit).toBe(0);
    const over = { exit: 2, error: { code: 'policy-limit', remaining: '2' } };
    expect(await json(of(mint, '3', 'two'))).toMatchObject(over);
    expect(await json([...of(mint, '3', 'two'), '--dry-run'])).toMatchObject({ exit: 2 });
    const rows = rowsOf([
      ['r1', mint, '1'],
      ['r2', 'USDC', '1.5'],
    ]);
    const batch = await operator.run(['batch', 'transfer', rows, '--once', 'nov', '--json']);
    expect(batch.code).toBe(2);
    expect(lastLine(batch.stdout)).toMatchObject({ refused: [{ line: 3 }] });
    expect((await json(of(mint, '2', 'three'))).exit).toBe(0);
    expect(await json(['policy', 'show'])).toMatchObject({
      left: [
        { asset: mint, limit: '5', spent: '5', remaining: '0' },
        { asset: 'USDC', limit: '5', spent: '5', remaining: '0' },
      ],
    });
    useNames({ ...base, limits: { USDC: { transfer: '5' } } });
    expect(await json(of(mint, '1', 'four'))).toMatchObject({ exit: 2, error: { code: 'policy-asset' } });
    expect(await effects()).toBe(2);
  });
});
