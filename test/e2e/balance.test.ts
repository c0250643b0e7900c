import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SkippingClock } from '../support/builtHere.ts';
import { nodeBeside } from '../support/nodeBeside.ts';
import { type Exited, payAda, SandboxHome } from '../support/sandboxHome.ts';

let operator: SandboxHome;
beforeEach(async () => {
  operator = await SandboxHome.openWithNode(new SkippingClock());
});
afterEach(() => operator.close());

async function config(...argv: string[]): Promise<void> {
  const { code, stderr } = await operator.run(['config', ...argv]);
  expect(code, stderr).toBe(0);
}

type Balance = { asset: string; mint?: string; amount?: string; unknown?: string; too_little?: true };
type Told = Exited & { balances: Balance[]; wallet?: string; rpc?: string[] };

const told = async (...argv: string[]): Promise<Told> => (await operator.json(argv)) as Told;

const amounts = ({ balances }: Told): Record<string, string | undefined> =>
  Object.fromEntries(balances.map(({ asset, amount }) => [asset, amount]));

/** What the sandbox itself says that its wallet holds. */
async function held(): Promise<Record<string, string>> {
  const { wallet } = await operator.sandbox.state();
  return Object.fromEntries(wallet.balances.map(({ asset, amount }) => [asset, amount]));
}

describe('balance', () => {
  test('shows SOL and each token of the profile, to the last unit', async () => {
    const { node } = operator.sandbox;
    await operator.sandbox.money({ address: node.wallet, asset: 'USDC', amount: '9007199254.740993' });
    const shown = await told('balance');
    expect(shown).toMatchObject({ exit: 0, wallet: node.wallet, rpc: new URL(node.rpcUrl).host });
    expect(amounts(shown)).toEqual(await held());
    expect(shown.balances.find(({ asset }) => asset === 'USDC')?.mint).toBe(node.assets.USDC);
    const { stdout } = await operator.run(['balance']);
    expect(stdout).toMatch(new RegExp(`SOL +${amounts(shown).SOL}\n +USDC +${amounts(shown).USDC}\n`, 'u'));
  });

  test('needs no token, and shows the sandbox’s own wallet', async () => {
    Reflect.deleteProperty(operator.env, 'PAYER');
    expect(await told('balance')).toMatchObject({ exit: 0 });
    expect(amounts(await told('balance', '--sandbox'))).toMatchObject({ SOL: '100', USDC: '10000' });
  });

  test('without a node, or a wallet, says how to set what is missing', async () => {
    await config('unset', 'payer', 'rpc-url');
    expect(await told('balance')).toMatchObject({
      exit: 2,
      error: { code: 'no-rpc-url', next: ['botctl config set payer rpc-url'] },
    });
    await config('unset', 'payer', 'wallet');
    expect(await told('balance')).toMatchObject({
      exit: 2,
      error: { next: ['botctl config set payer rpc-url', 'botctl config set payer wallet ADDRESS'] },
    });
    const env = { BOTCTL_TOKEN: 'x'.repeat(20), BOTCTL_BASE_URL: operator.sandbox.baseUrl };
    const { code, stderr } = await operator.run(['balance'], { env });
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/Set BOTCTL_RPC_URL and BOTCTL_WALLET,/u),
    });
    const withNode = { ...env, BOTCTL_RPC_URL: operator.sandbox.node.rpcUrl };
    const lacking = await operator.run(['balance'], { env: withNode });
    expect(lacking).toMatchObject({ code: 2, stderr: expect.stringMatching(/Set BOTCTL_WALLET,/u) });
  });
});

/** How many requests the sandbox's node has had. */
const asked = (): number => operator.sandbox.lines.filter(({ operation }) => operation === 'rpc').length;

const payLots = ['transfer', '--to', payAda[2], '--asset', 'USDC', '--amount', '10000.000001'] as const;
const rows = `id,to_address,asset,amount\na,${payAda[2]},USDC,6000\nb,${payAda[2]},USDC,5000\nc,${payAda[2]},SOL,1\n`;

describe('a dry run', () => {
  test('shows the balance, and warns where it is too little', async () => {
    const enough = await told(...payAda, '--dry-run');
    expect(enough).toMatchObject({ exit: 0, balances: [{ asset: 'SOL', amount: '100' }], warnings: [] });
    expect(await told(...payLots, '--dry-run')).toMatchObject({
      exit: 0,
      balances: [{ asset: 'SOL' }, { asset: 'USDC', amount: '10000', too_little: true }],
      warnings: ['The wallet holds 10,000 USDC, too little to pay 10,000.000001 USDC.'],
    });
    const { stdout, stderr } = await operator.run([...payLots, '--dry-run']);
    expect(stdout).toContain('100 SOL, 10,000 USDC: too little to pay 10,000.000001 USDC\n');
    expect(stderr).toContain('warning: The wallet holds 10,000 USDC');
  });

  test('that says how to set a node asks nobody, and one of an asset without a mint says so', async () => {
    const unknown = ['transfer', '--to', payAda[2], '--asset', 'BONK', '--amount', '1', '--dry-run'];
    expect(await told(...unknown)).toMatchObject({
      balances: [
        { asset: 'SOL', amount: '100' },
        { asset: 'BONK', unknown: expect.stringContaining('no mint') },
      ],
    });
    await config('unset', 'payer', 'rpc-url');
    const { stdout } = await operator.run([...payAda, '--dry-run']);
    expect(stdout).toMatch(/Balance +not asked: no rpc-url is set \(botctl balance says how to set it\)\n/u);
    expect(await told(...payAda, '--dry-run')).not.toHaveProperty('balances');
  });

  test('asks no node where it shows nothing, or would send nothing', async () => {
    await operator.run([...payAda, '--once', 'a']);
    const before = asked();
    await operator.run([...payAda, '--once', 'a', '--dry-run']);
    await operator.run([...payAda, '--once', 'b', '--dry-run', '--quiet']);
    expect(asked()).toBe(before);
  });
});

test('without a terminal a transfer asks no node', async () => {
  expect(await told(...payAda, '--once', 'a')).toMatchObject({ exit: 0 });
  expect(await told(...payAda, '--once', 'a')).toMatchObject({ exit: 0, replayed: true });
  expect(asked()).toBe(0);
});

describe('a batch', () => {
  const batch = (stdin: string, ...more: string[]) =>
    operator.run(['batch', 'transfer', '-', '--once', 'pay', '--json', ...more], { stdin });
  const lots = `id,to_address,asset,amount\na,${payAda[2]},SOL,60\n`;

  test.each([[], ['--yes']])('for which the wallet has too little sends nothing (%s)', async (...more) => {
    const { code, stdout } = await batch(rows, ...more);
    expect({ code, json: JSON.parse(stdout) }).toMatchObject({
      code: 5,
      json: {
        error: {
          code: 'insufficient-balance',
          message: expect.stringContaining('The wallet holds 10,000 USDC, too little to pay 11,000 USDC.'),
        },
      },
    });
    expect(await operator.sandbox.ledger()).toEqual([]);
  });

  test('goes on where the node does not answer', async () => {
    operator.env.NODE = await nodeBeside(() => {});
    expect(await batch(lots)).toMatchObject({ code: 0 });
  });

  test('whose payments are done or in doubt is not stopped: they may be off the balance already', async () => {
    await operator.sandbox.faults({ kind: 'drop', operation: 'transfer', when: 'after' });
    expect(await batch(lots, '--max-wait', '0s')).toMatchObject({ code: 11 });
    expect(await batch(lots)).toMatchObject({ code: 0 });
    expect(await batch(lots)).toMatchObject({ code: 0 });
    expect(await operator.sandbox.ledger()).toHaveLength(1);
  });
});
