import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SkippingClock } from '../support/builtHere.ts';
import { lastLine } from '../support/jsonOutput.ts';
import { type Exited, payAda, SandboxHome } from '../support/sandboxHome.ts';

type Chain = { verdict: string; reasons: string[]; signature: string };
type Told = Exited & { chain?: Chain; verified?: unknown };

const hourS = 3600;
const dayS = 24 * hourS;

let operator: SandboxHome;
beforeEach(async () => {
  operator = await SandboxHome.openWithNode(new SkippingClock());
  await operator.sandbox.readings({ slot_ms: 0 });
});
afterEach(() => operator.close());

const told = async (...argv: string[]): Promise<Told> => (await operator.json(argv)) as Told;

const idOf = ({ entry }: Told): string => entry?.id ?? '';

/** From now on the service names the signature of a payment of the same amount, made for another journal. */
async function namesOlder(): Promise<void> {
  await told(...payAda, '--once', 'older', '--journal', `${operator.home.path}/other.db`);
  await operator.sandbox.readings({ reply_signature: 'previous' });
}

/** The node says of every transaction that it was made then. */
async function nodeSays(blockTime: number | null): Promise<void> {
  const { sandbox } = operator;
  await sandbox.clearFaults();
  await sandbox.faults({
    kind: 'twist',
    method: 'getTransaction',
    path: 'blockTime',
    value: blockTime,
    times: 99,
  });
}

const nowS = (): number => Math.floor(Date.now() / 1000);

const named = ['--once', 'rent'] as const;
const row = `id,to_address,asset,amount\na,${payAda[2]},SOL,0.5\n`;
const waits = ['--wait', '--max-wait', '3s'] as const;

describe('an older signature as the reply to a random key', () => {
  test.each([3 * hourS, 30 * dayS])('proves nothing, %i seconds older', async (byS) => {
    await namesOlder();
    await nodeSays(nowS() - byS);
    const paid = await told(...payAda);
    expect(paid).toMatchObject({ exit: 0, outcome: 'accepted' });
    expect(await told('verify', idOf(paid))).toMatchObject({
      ...{ exit: 9, outcome: 'accepted' },
      chain: { verdict: 'undecided', reasons: ['anothers'] },
      error: { code: 'unproven' },
    });
  });
});

test('a name that another machine may have used is proven by an older payment', async () => {
  await namesOlder();
  await nodeSays(nowS() - 30 * dayS);
  const id = idOf(await told(...payAda, ...named));
  expect(await told('verify', id)).toMatchObject({ exit: 0, chain: { verdict: 'proven' } });
  const batch = ['batch', 'transfer', '-', '--once', 'one', '--repeat', ...waits, '--json', '--yes'];
  expect((await operator.run(batch, { stdin: row })).code).toBe(0);
});

test('a contradicted row of a batch comes before one that is not valid, and after one to run again', async () => {
  await namesOlder();
  const batch = ['batch', 'transfer', '-', '--once', 'b', '--skip-invalid', ...waits, '--json', '--yes'];
  const { code, stdout } = await operator.run(batch, { stdin: `${row.replace('0.5', '2')}bad,x,SOL,1\n` });
  const contradicted = { error: { code: 'contradicted' }, result: { invalid: 1 } };
  expect([code, lastLine(stdout)]).toMatchObject([10, contradicted]);
  const ofTransfers = { operation: 'transfer' } as const;
  await operator.sandbox.faults(
    { kind: 'pass', ...ofTransfers },
    { kind: 'drop', when: 'after', times: 99, ...ofTransfers },
  );
  const more = ['batch', 'transfer', '-', '--once', 'c', '--concurrency', '1', ...waits, '--json', '--yes'];
  const rows = `${row.replace('0.5', '3')}b,${payAda[2]},SOL,4\n`;
  const { code: exit, stdout: said } = await operator.run(more, { stdin: rows });
  expect([exit, lastLine(said)]).toMatchObject([
    11,
    { error: { code: 'not-all-done' }, result: { unknown: 1 } },
  ]);
});

describe('a bot whose wallet nobody names', () => {
  beforeEach(() => {
    operator.useProfiles({ payer: { ...operator.chainProfile(), wallet: undefined } }, 'payer');
  });

  test('is shown to have paid, likely, and not asked about again', async () => {
    const id = idOf(await told(...payAda));
    const looked = await told('verify', id);
    expect(looked).toMatchObject({
      ...{ exit: 0, chain: { verdict: 'likely', commitment: 'finalized', reasons: [] } },
      warnings: [expect.stringContaining('no wallet is set for the bot')],
    });
    expect(await told('verify', '--all')).toMatchObject({ exit: 0, verified: { likely: 0, undecided: 0 } });
    operator.useProfiles({ payer: operator.chainProfile() }, 'payer');
    expect(await told('verify', id)).toMatchObject({ exit: 0, chain: { verdict: 'proven', reasons: [] } });
  });

  test.each([[['--wait']], [['--wait=finalized']]])('cannot be waited for to the end: %s', async (wait) => {
    const refused = await told(...payAda, ...wait);
    expect(refused).toMatchObject({
      exit: 2,
      error: { code: 'no-wallet', hint: expect.stringContaining('--wait=confirmed') },
    });
    expect(refused.error?.next).toEqual(['botctl config set payer wallet ADDRESS']);
    const batch = ['batch', 'transfer', '-', '--once', 'b', ...wait, '--json'];
    expect(await operator.run(batch, { stdin: row })).toMatchObject({ code: 2 });
    expect(await operator.sandbox.ledger()).toEqual([]);
  });

  test('contradicts no row that is waited for again', async () => {
    const batch = ['batch', 'transfer', '-', '--once', 'b', '--wait=confirmed', '--yes'];
    for (const run of ['first', 'again']) {
      const { code, stderr } = await operator.run(batch, { stdin: row });
      expect({ run, code, stderr }).toMatchObject({ run, code: 0 });
      expect(stderr).toContain('0 contradicted');
    }
  });
});
