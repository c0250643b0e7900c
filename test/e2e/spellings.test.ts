// A token may be called by its name or by its mint: to all that compares and counts, these are one asset.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SkippingClock } from '../../testing/builtHere.ts';
import { lastLine } from '../../testing/jsonOutput.ts';
import { newSharedJournal } from '../../testing/postgres/newJournal.ts';
import { sharedServer } from '../../testing/postgres/server.ts';
import { recipient } from '../../testing/sandbox.ts';
import { type Exited, SandboxHome } from '../../testing/sandboxHome.ts';

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

/** Its reply is lost, and it was made or not. */
async function payInDoubt(asset: string, name: string, when: 'before' | 'after' = 'after'): Promise<string> {
  await operator.sandbox.faults({ kind: 'drop', when });
  const { exit, intent } = await json(pay(asset, ...(name === '' ? [] : ['--once', name])));
  expect(exit).toBe(9);
  return intent?.id ?? '';
}

const rowsOf = (rows: readonly (readonly [id: string, asset: string, amount: string])[]): string => {
  const lines = rows.map(([id, asset, amount]) => `${id},${recipient},${asset},${amount}\n`);
  return operator.home.file('rows.csv', `id,to_address,asset,amount\n${lines.join('')}`);
};

const journals: Readonly<Record<string, () => Promise<Record<string, string>>>> = {
  'a file': async () => ({}),
  'a server': async () => ({ BOTCTL_JOURNAL: await newSharedJournal(await sharedServer()) }),
};

describe.each(Object.entries(journals))('with a journal in %s', (which, journalOf) => {
  beforeEach(async () => {
    clock = new SkippingClock();
    operator = await SandboxHome.open(clock);
    mint = operator.sandbox.node.assets.USDC ?? '';
    Object.assign(operator.env, await journalOf());
  });
  afterEach(() => operator.close());

  test('an unfinished payment bars the same by the other spelling, also of a token in the environment', async () => {
    useNames();
    const doubtful = await payInDoubt('USDC', 'rent');
    const barred = {
      exit: 10,
      error: { code: 'unfinished-twin', message: expect.stringContaining(doubtful) },
    };
    expect(await json(pay(mint, '--run', 'ci'))).toMatchObject(barred);
    expect(await json(pay(mint, '--run', 'ci', '--dry-run'))).toMatchObject({ exit: 10 });
    const { full } = operator.sandbox.tokens;
    const env = { BOTCTL_TOKEN: full, BOTCTL_BASE_URL: operator.sandbox.baseUrl };
    const ofEnv = await operator.json(pay(mint, '--run', 'ci'), { env });
    expect(ofEnv).toMatchObject(barred);
    expect(await effects()).toBe(1);
    expect(await json(pay('USDC', '--once', 'rent'))).toMatchObject({ exit: 0 });
    // Bodies stay as they are spelled.
    expect(await json(pay(mint, '--run', 'ci'))).toMatchObject({
      exit: 0,
      intent: { request: { asset: mint } },
    });
  });

  test('a payment by the other spelling is a repeat, and a batch of them is paid already', async () => {
    useNames();
    const first = [
      ['r1', 'USDC', '1'],
      ['r2', mint, '3'],
    ] as const;
    expect((await operator.run(['batch', 'transfer', rowsOf(first), '--once', 'nov'])).code).toBe(0);
    const second = [
      ['r1', mint, '1'],
      ['r2', 'usdc', '3'],
    ] as const;
    const again = await operator.run(['batch', 'transfer', rowsOf(second), '--once', 'november', '--json']);
    expect(again.code).toBe(10);
    expect(lastLine(again.stdout)).toMatchObject({
      repeats: { rows: 2, of: 2 },
      error: { code: 'paid-already' },
    });
    expect((await json(pay('USDC', '--once', 'a'))).exit).toBe(0);
    expect((await json(pay(mint, '--once', 'b'))).repeats).toMatchObject([{ name: 'a' }]);
    expect(await effects()).toBe(4);
  });

  test.skipIf(which === 'a server')('without a name it is the same command, and not done again', async () => {
    useNames();
    expect((await json(pay('USDC'))).exit).toBe(0);
    expect(await json(pay(mint))).toMatchObject({ exit: 10, error: { code: 'recently-done' } });
    expect(await effects()).toBe(1);
  });

  test('a batch is not paid again under its own name with other ids and the other spelling', async () => {
    useNames();
    const first = rowsOf([
      ['u1', 'USDC', '1'],
      ['u2', 'USDC', '3'],
    ]);
    expect((await operator.run(['batch', 'transfer', first, '--once', 'nov'])).code).toBe(0);
    const second = rowsOf([
      ['x1', mint, '1'],
      ['x2', mint, '3'],
    ]);
    const more = which === 'a server' ? ['--changed-file'] : [];
    const again = await operator.run(['batch', 'transfer', second, '--once', 'nov', '--json', ...more]);
    expect(again.code).toBe(10);
    expect(lastLine(again.stdout)).toMatchObject({ error: { code: 'paid-already' } });
    expect(await effects()).toBe(2);
  });

  test('rows that pay the same by both spellings are listed', async () => {
    useNames();
    const path = rowsOf([
      ['r1', 'USDC', '1'],
      ['r2', mint, '1'],
    ]);
    const { code, stderr } = await operator.run(['batch', 'transfer', path, '--once', 'nov']);
    expect(code).toBe(0);
    expect(stderr).toContain('Lines 2 and 3 pay the same: 1 USDC');
    const checked = await operator.run(['batch', 'transfer', path, '--dry-run']);
    expect(checked.stderr).toContain('Lines 2 and 3 pay the same: 1 USDC');
  });

  test('what waits to be resumed or approved is not sent beside one in doubt', async () => {
    useNames();
    const proposed = await json(pay(mint, '--run', 'proposed', '--propose'));
    const id = proposed.intent?.id ?? '';
    expect(await json(pay('USDC', '--once', 'rent', '--dry-run'))).toMatchObject({ exit: 10 });
    expect((await json(['decline', id, '--reason', 'x'])).exit).toBe(0);
    await payInDoubt('USDC', 'rent');
    expect(await effects()).toBe(1);
  });

  test('limits count both spellings and go by the strictest line, but a line allows its own spelling only', async () => {
    const base = { schema: 'botctl-policy/1' };
    const lines = { [mint]: { transfer: '9', day: '9' }, USDC: { transfer: '5', day: '5' } };
    useNames({ ...base, limits: lines, approve_above: { USDC: '4' } });
    if (which === 'a server') {
      const free = operator.home.policy({ ...base, limits: { USDC: {}, [mint]: {} } }, 'free.json');
      expect((await json(['policy', 'set', free])).exit).toBe(0);
    }
    const of = (asset: string, amount: string, name: string): string[] =>
      pay(asset, '--once', name).map((word) => (word === '2' ? amount : word));
    expect(await json(of(mint, '6', 'large'))).toMatchObject({
      exit: 2,
      error: {
        code: 'policy-limit',
        message: expect.stringContaining(`at most 5 USDC per transfer, and this transfer is 6 ${mint}`),
      },
    });
    expect(await json(of(mint, '4.5', 'more'))).toMatchObject({ exit: 10, intent: { why: 'approval' } });
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
