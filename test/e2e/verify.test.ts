import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SkippingClock } from '../../testing/builtHere.ts';
import { type Exited, payAda, SandboxHome } from '../../testing/sandboxHome.ts';

let operator: SandboxHome;
beforeEach(async () => {
  operator = await SandboxHome.open(new SkippingClock());
  const { node } = operator.sandbox;
  await operator.sandbox.readings({ slot_ms: 0 });
  await config('add', 'payer', '--base-url', operator.sandbox.baseUrl, '--token-env', 'PAYER');
  await config('set', 'payer', 'rpc-url', '--token-env', 'NODE');
  await config('set', 'payer', 'cluster', node.genesisHash);
  await config('set', 'payer', 'wallet', node.wallet);
  await config('set', 'payer', 'assets', JSON.stringify(node.assets));
});
afterEach(() => operator.close());

type Chain = { verdict: string; reasons: string[]; signature: string; instruction: string; paid: object };
type Told = Exited & { chain?: Chain; decisions?: object[] };

const given = (): { env: Record<string, string> } => ({
  env: { PAYER: operator.sandbox.tokens.full, NODE: operator.sandbox.node.rpcUrl },
});

/** With the profile as its bot, and no token of the environment. */
async function told(...argv: string[]): Promise<Told> {
  const { BOTCTL_TOKEN: _token, BOTCTL_BASE_URL: _url, ...env } = operator.env;
  Object.assign(operator.env, env);
  Reflect.deleteProperty(operator.env, 'BOTCTL_TOKEN');
  Reflect.deleteProperty(operator.env, 'BOTCTL_BASE_URL');
  return (await operator.json(argv, given())) as Told;
}

async function config(...argv: string[]): Promise<void> {
  const { code, stderr } = await operator.run(['config', ...argv], given());
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
}

describe('a transfer that is waited for', () => {
  test('is proven by the node: what was paid, to whom, in which instruction', async () => {
    const { exit, verified, chain, intent } = await told(...payAda, '--once', 'a', '--wait');
    expect({ exit, verified }).toEqual({ exit: 0, verified: true });
    expect(chain).toMatchObject({
      verdict: 'proven',
      commitment: 'finalized',
      paid: { to: payAda[2], units: '500000000', decimals: 9, received: '500000000', fee_units: '0' },
      reasons: [],
    });
    const shown = await told('history', intent?.id ?? '');
    expect(shown).toMatchObject({ verified: true, chain });
  });

  test('of a token is proven by its mint, with its memo', async () => {
    const pay = ['transfer', '--to', payAda[2], '--asset', 'USDC', '--amount', '1.25', '--memo', 'rent'];
    const { exit, chain } = await told(...pay, '--once', 'a', '--wait=confirmed');
    expect({ exit, chain }).toMatchObject({
      exit: 0,
      chain: { memo: true, paid: { mint: operator.sandbox.node.assets.USDC, units: '1250000' } },
    });
  });

  test('without a node, or a mint for its asset, is not begun', async () => {
    await config('unset', 'payer', 'assets');
    const pay = ['transfer', '--to', payAda[2], '--asset', 'USDC', '--amount', '1', '--wait'];
    expect(await told(...pay)).toMatchObject({ exit: 2, error: { code: 'no-mint' } });
    await config('unset', 'payer', 'rpc-url');
    expect(await told(...payAda, '--wait')).toMatchObject({ exit: 2, error: { code: 'no-rpc-url' } });
    expect(await operator.sandbox.ledger()).toEqual([]);
  });

  test('is not begun at a node of another cluster', async () => {
    await config('set', 'payer', 'cluster', 'mainnet');
    expect(await told(...payAda, '--wait')).toMatchObject({ exit: 2, error: { code: 'other-cluster' } });
    expect(await operator.sandbox.ledger()).toEqual([]);
  });
});

describe('verify', () => {
  test('proves what was accepted, and asks nobody about it again', async () => {
    const paid = await told(...payAda, '--once', 'a');
    const id = paid.intent?.id ?? '';
    expect(paid.chain).toBeUndefined();
    const first = await told('verify', id);
    expect(first).toMatchObject({ exit: 0, chain: { verdict: 'proven' } });
    const again = await told('verify', '--all');
    expect(again).toMatchObject({ exit: 0, verified: { proven: 0, contradicted: 0, undecided: 0 } });
  });
});
