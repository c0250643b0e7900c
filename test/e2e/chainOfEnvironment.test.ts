import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SkippingClock } from '../support/builtHere.ts';
import { otherRecipient } from '../support/sandbox.ts';
import { payAda, SandboxHome } from '../support/sandboxHome.ts';

let operator: SandboxHome;
beforeEach(async () => {
  operator = await SandboxHome.open(new SkippingClock());
  const { node } = operator.sandbox;
  Object.assign(operator.env, { BOTCTL_RPC_URL: node.rpcUrl, BOTCTL_WALLET: node.wallet });
  await operator.sandbox.readings({ slot_ms: 0 });
});
afterEach(() => operator.close());

test('an environment is enough to prove a payment, and to see the balance', async () => {
  const paid = await operator.json([...payAda, '--once', 'a', '--wait']);
  expect(paid).toMatchObject({ exit: 0, chain: { verdict: 'proven' } });
  expect(await operator.json(['verify', paid.entry?.id ?? ''])).toMatchObject({
    exit: 0,
    chain: { verdict: 'proven' },
  });
  expect(await operator.json(['balance'])).toMatchObject({ exit: 0, wallet: operator.sandbox.node.wallet });
});

test('its own wallet is no recipient', async () => {
  const own = [
    'transfer',
    '--to',
    operator.sandbox.node.wallet,
    '--asset',
    'SOL',
    '--amount',
    '1',
    '--once',
    'a',
  ];
  expect(await operator.json(own)).toMatchObject({ exit: 2 });
  expect(await operator.sandbox.ledger()).toEqual([]);
});

test('a policy of the environment applies', async () => {
  const path = `${operator.home.path}/policy.json`;
  writeFileSync(path, JSON.stringify({ schema: 'botctl-policy/1', limits: { SOL: { transfer: '0.1' } } }));
  operator.env.BOTCTL_POLICY = path;
  expect(await operator.json([...payAda, '--once', 'a'])).toMatchObject({ exit: 2 });
  operator.env.BOTCTL_POLICY = 'policy.json';
  expect(await operator.json([...payAda, '--once', 'a'])).toMatchObject({ exit: 2 });
  expect(await operator.sandbox.ledger()).toEqual([]);
});

test('the first advice for a held payment is to ask the chain, where a node is known', async () => {
  await operator.sandbox.readings({ extra_fields: { to_address: otherRecipient } });
  const held = await operator.json([...payAda, '--once', 'a']);
  const id = held.entry?.id ?? '';
  expect(held).toMatchObject({ exit: 10, error: { hint: expect.stringContaining('Ask the chain first') } });
  expect(held.error?.next?.[0]).toBe(`botctl verify ${id}`);
  const resumed = await operator.json(['resume', id, '--yes']);
  expect(resumed).toMatchObject({ exit: 10, error: { code: 'held' } });
  expect(resumed.error?.next?.[0]).toBe(`botctl verify ${id}`);
  Reflect.deleteProperty(operator.env, 'BOTCTL_RPC_URL');
  const without = await operator.json([...payAda, '--once', 'a']);
  expect(without.error?.next?.[0]).toBe(`botctl history ${id}`);
});
