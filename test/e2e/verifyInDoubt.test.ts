import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SkippingClock } from '../support/builtHere.ts';
import { lastLine } from '../support/jsonOutput.ts';
import { type Exited, payAda, SandboxHome } from '../support/sandboxHome.ts';
import { onTerminalHere } from '../support/terminalHere.ts';

type Chain = { verdict: string; reasons: string[]; signature: string };
type Candidate = { signature: string; slot: number; at: string; memo?: string };
type Told = Exited & {
  chain?: Chain;
  verified?: unknown;
  candidates?: Candidate[];
  searched?: { since: string; until: string; gap?: string };
};

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
});

const usdc = ['transfer', '--to', payAda[2], '--asset', 'USDC', '--amount', '1.25'];

/** Paid, but the reply was lost: nobody knows, and there is no signature. With --wait its slot is known. */
async function lose(words: readonly string[], when: 'before' | 'after' = 'after'): Promise<string> {
  await operator.sandbox.faults({ kind: 'drop', when });
  const { exit, entry } = await told(...words, '--wait');
  expect(exit).toBe(9);
  return entry?.id ?? '';
}

async function signatures(): Promise<string[]> {
  const effects = (await operator.sandbox.ledger()) as { signature?: string }[];
  return effects.flatMap(({ signature }) => signature ?? []);
}

describe('a payment in doubt without a signature', () => {
  test.each([
    ['SOL', payAda],
    ['a token', usdc],
  ])('is looked for in what left the wallet: %s', async (_what, pay) => {
    // More than this to the same recipient, and another entry's.
    await told(...pay.slice(0, -1), '7', '--once', 'earlier');
    const id = await lose([...pay, '--memo', 'rent "7"', '--once', 'a']);
    const [, signature = ''] = await signatures();
    const found = await told('verify', id);
    expect(found).toMatchObject({
      exit: 9,
      outcome: 'unknown',
      candidates: [{ signature, memo: 'rent "7"' }],
      searched: { since: expect.any(String), until: expect.any(String) },
      error: { code: 'unproven' },
    });
    expect(found.searched).not.toHaveProperty('gap');
    const [from = '', to = ''] = [found.searched?.since, found.searched?.until].map((at) => at?.slice(0, 19));
    expect(found.error?.message).toContain(`left the wallet between ${from}Z and ${to}Z,`);
    const at = found.candidates?.[0]?.at.slice(0, 19) ?? '';
    expect(from <= at && at <= to).toBe(true);
    // Only a person decides, so a program is told to look.
    expect(found.error?.hint).toMatch(/If none is this transfer, look again later\. A person must decide:$/u);
    expect(found.error?.next).toEqual([`botctl history ${id}`]);
    const asked = await onTerminalHere(['verify', id], [], operator.env);
    expect(asked.shown.replaceAll(/\s+/gu, '')).toContain(`--happened--signature${signature}`);
    const shown = await operator.run(['verify', id]);
    expect(shown.stderr).toContain(`left the wallet at ${found.candidates?.[0]?.at.slice(0, 19)}Z`);
    expect(shown.stderr).toContain(String.raw`with memo "rent \"7\"": ${signature}`);
    expect(await told('history', id)).toMatchObject({ outcome: 'unknown', decisions: [] });
  });

  test('is searched for who is asked by resolve, and only then', async () => {
    await told(...payAda, '--once', 'earlier');
    const id = await lose([...payAda, '--once', 'a', '--repeat']);
    const [, signature = ''] = await signatures();
    const words = ['resolve', id.slice(0, 8), '--happened', '--reason', 'seen in the wallet'];
    const asked = await onTerminalHere(words, [['[y/N] ', 'n\r']], operator.env);
    expect(asked.shown).toContain(signature);
    expect(asked.shown.replaceAll(/\s+/gu, ' ')).toContain('1 payment of exactly this left the wallet');
    expect(asked.shown).not.toContain('before the first request');
    const { stderr, code } = await operator.run([...words.with(1, id), '--yes']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  test('is not searched without a wallet, nor where all are verified', async () => {
    const id = await lose([...payAda, '--once', 'a', '--repeat']);
    expect((await operator.run(['verify', '--all'])).stderr).not.toContain('left the wallet');
    await operator.run(['config', 'unset', 'payer', 'wallet']);
    const asked = await told('verify', id);
    expect(asked).not.toHaveProperty('candidates');
    // No reply came, so there is no transfer ID to ask by.
    expect(asked.error?.hint).toMatch(/ or ask the service about it:$/u);
  });
});
