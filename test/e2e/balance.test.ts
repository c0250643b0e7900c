import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SkippingClock } from '../support/builtHere.ts';
import { nodeBeside } from '../support/nodeBeside.ts';
import { type Exited, payAda, SandboxHome } from '../support/sandboxHome.ts';

let operator: SandboxHome;
beforeEach(async () => {
  operator = await SandboxHome.openWithNode(new SkippingClock());
});
afterEach(() => operator.close());

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
});

/** How many requests the sandbox's node has had. */
const asked = (): number => operator.sandbox.lines.filter(({ operation }) => operation === 'rpc').length;

const rows = `id,to_address,asset,amount\na,${payAda[2]},USDC,6000\nb,${payAda[2]},USDC,5000\nc,${payAda[2]},SOL,1\n`;

test('no node is asked by a dry run that shows nothing or would send nothing, nor without a terminal', async () => {
  expect(await told(...payAda, '--once', 'a')).toMatchObject({ exit: 0 });
  expect(await told(...payAda, '--once', 'a')).toMatchObject({ exit: 0, replayed: true });
  await operator.run([...payAda, '--once', 'a', '--dry-run']);
  await operator.run([...payAda, '--once', 'b', '--dry-run', '--quiet']);
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
