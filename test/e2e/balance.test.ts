import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { SkippingClock } from '../../testing/builtHere.ts';
import type { FaultSpec } from '../../testing/sandbox.ts';
import { type Exited, SandboxHome } from '../../testing/sandboxHome.ts';

let operator: SandboxHome;
beforeEach(async () => {
  operator = await SandboxHome.open(new SkippingClock());
  Reflect.deleteProperty(operator.env, 'BOTCTL_TOKEN');
  Reflect.deleteProperty(operator.env, 'BOTCTL_BASE_URL');
  const { node, baseUrl, tokens } = operator.sandbox;
  Object.assign(operator.env, { PAYER: tokens.full, NODE: node.rpcUrl });
  await config('add', 'payer', '--base-url', baseUrl, '--token-env', 'PAYER');
  await config('set', 'payer', 'rpc-url', '--token-env', 'NODE');
  await config('set', 'payer', 'cluster', node.genesisHash);
  await config('set', 'payer', 'wallet', node.wallet);
  await config('set', 'payer', 'assets', JSON.stringify(node.assets));
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

/** A node that gives this answer to every request. */
async function strangeNode(listener: RequestListener, host = '127.0.0.1'): Promise<string> {
  const server = createServer(listener).listen(0, host);
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://${host}:${(server.address() as AddressInfo).port}`;
}

/** Answers that are no balance, each of a node that answers. */
const nonsense: readonly (readonly [string, RequestListener])[] = [
  ['redirects', (_request, response) => void response.writeHead(307, { Location: '/' }).end()],
  ['answers HTML', (_request, response) => void response.end('<html>')],
  ['answers more than can be read', (_request, response) => void response.end(' '.repeat(4 * 1024 * 1024))],
];

describe('balance', () => {
  test('shows SOL and each token of the profile, to the last unit', async () => {
    const { node } = operator.sandbox;
    await operator.sandbox.money({ address: node.wallet, asset: 'USDC', amount: '9007199254.740993' });
    const shown = await told('balance');
    expect(shown).toMatchObject({ exit: 0, wallet: node.wallet, rpc: [new URL(node.rpcUrl).host] });
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

  test('a wallet without an account of a token holds 0 of it', async () => {
    await config('set', 'payer', 'wallet', '7o36UsWR1JQLpZ9PE2gn9L4SQ69CNNiWAXd4Jt7rqz9Z');
    expect(amounts(await told('balance'))).toEqual({ SOL: '0', USDC: '0' });
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
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('--profile NAME') });
  });

  test('of a node of another cluster is no balance', async () => {
    await config('set', 'payer', 'cluster', 'mainnet');
    expect(await told('balance')).toMatchObject({ exit: 2, error: { code: 'other-cluster' } });
  });

  test('of two nodes shows the lower amount', async () => {
    const { rpcUrl } = operator.sandbox.node;
    const behind = await strangeNode(async (request, response) => {
      const body = Buffer.concat(await request.toArray());
      const answer = await fetch(rpcUrl, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body,
      });
      response.end((await answer.text()).replace(/"value":\d+/u, '"value":1'));
    }, '127.0.0.2');
    await config('set', 'payer', 'rpc-url', behind, '--add');
    const shown = await told('balance');
    expect(shown.rpc).toHaveLength(2);
    expect(amounts(shown)).toEqual({ ...(await held()), SOL: '0.000000001' });
  });

  test.each<[string, FaultSpec]>([
    ['a text', { kind: 'twist', path: 'value', value: 'a lot' }],
    ['less than nothing', { kind: 'twist', path: 'value', value: -1 }],
    ['a fraction', { kind: 'twist', path: 'value', value: 1.5 }],
    ['nothing', { kind: 'twist', path: '', value: null }],
    ['an error', { kind: 'rpc-error', code: -32000, message: 'no' }],
  ])('that is %s is unknown, and what else is known is shown', async (_name, fault) => {
    await operator.sandbox.faults({ operation: 'rpc', method: 'getBalance', ...fault });
    const { exit, error, balances } = await told('balance');
    expect({ exit, code: error?.code }).toEqual({ exit: 8, code: 'node-unusable' });
    expect(balances).toMatchObject([
      { asset: 'SOL', unknown: expect.any(String) },
      { asset: 'USDC', amount: (await held()).USDC },
    ]);
    expect(balances[0]).not.toHaveProperty('amount');
  });

  test('of a token account of somebody else is unknown', async () => {
    await operator.sandbox.faults({
      kind: 'twist',
      operation: 'rpc',
      method: 'getTokenAccountsByOwner',
      path: 'value.0.account.data.parsed.info.owner',
      value: '7o36UsWR1JQLpZ9PE2gn9L4SQ69CNNiWAXd4Jt7rqz9Z',
    });
    const { exit, balances } = await told('balance');
    expect({ exit, balances }).toMatchObject({
      exit: 8,
      balances: [{ asset: 'SOL' }, { unknown: expect.any(String) }],
    });
  });

  test.each(nonsense)('of a node that %s is unknown', async (_name, listener) => {
    operator.env.NODE = await strangeNode(listener);
    expect(await told('balance')).toMatchObject({ exit: 8, error: { code: 'node-unusable' } });
  });

  test('of a node that never answers is unknown after the time it has', async () => {
    operator.env.NODE = await strangeNode(() => {});
    expect(await told('balance', '--timeout', '50ms')).toMatchObject({
      exit: 8,
      error: { message: expect.stringContaining('no answer in time') },
    });
  });
});
