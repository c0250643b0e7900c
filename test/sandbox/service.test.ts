import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { recipient, startTestSandbox, type TestSandbox } from '../../testing/sandbox.ts';

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(() => sandbox.close());
beforeEach(() => sandbox.reset());

const hello = { conversation_id: 'conv_demo', content: 'hello' };
const pay = { to_address: recipient, asset: 'SOL', amount: '1.5' };

test('a message is posted and stands in the ledger with its key', async () => {
  const reply = await sandbox.post('message', { ...hello, idempotency_key: 'k1' });
  expect(reply.status).toBe(200);
  expect(reply.json).toMatchObject({ message: { content: 'hello' }, request_id: expect.any(String) });
  expect(await sandbox.ledger()).toMatchObject([{ kind: 'message', key: 'k1', request: hello }]);
});

test('a transfer moves money and is answered with its signature', async () => {
  const reply = await sandbox.post('transfer', { ...pay, memo: 'lunch', idempotency_key: 'k1' });
  expect(reply.status).toBe(200);
  expect(reply.json).toMatchObject({
    status: 'confirmed',
    signature: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{80,90}$/),
  });
  expect(await sandbox.ledger()).toMatchObject([
    { kind: 'transfer', key: 'k1', signature: reply.json.signature },
  ]);
  const { wallet } = await sandbox.state();
  expect(wallet.balances).toEqual([
    { asset: 'SOL', amount: '98.499995' },
    { asset: 'USDC', amount: '10000' },
  ]);
});

test('USDC is moved to an owner who never held any', async () => {
  const reply = await sandbox.post('transfer', { ...pay, asset: 'USDC', amount: '2.5' });
  expect(reply.json).toMatchObject({ status: 'confirmed' });
  const { wallet } = await sandbox.state();
  expect(wallet.balances).toEqual([
    { asset: 'SOL', amount: '99.99795572' },
    { asset: 'USDC', amount: '9997.5' },
  ]);
});

test('a repeated key has one effect', async () => {
  const first = await sandbox.post('transfer', { ...pay, idempotency_key: 'k1' });
  const second = await sandbox.post('transfer', { ...pay, idempotency_key: 'k1' });
  expect(second.text).toBe(first.text);
  await sandbox.post('message', { ...hello, idempotency_key: 'k1' });
  expect((await sandbox.post('message', { ...hello, idempotency_key: 'k1' })).status).toBe(409);
  expect(await sandbox.ledger()).toHaveLength(2);
});

test('a scripted reply after the effect hides it; before, there is none', async () => {
  await sandbox.script({
    status: 503,
    when: 'after',
    body: 'down',
    headers: { 'Content-Type': 'text/plain', 'Retry-After': '7' },
  });
  await sandbox.script({ status: 503, when: 'before' });
  const after = await sandbox.post('message', { ...hello, idempotency_key: 'a' });
  expect([after.status, after.text, after.headers.get('retry-after')]).toEqual([503, 'down', '7']);
  expect((await sandbox.post('message', { ...hello, idempotency_key: 'b' })).status).toBe(503);
  expect((await sandbox.ledger()).map((effect) => effect.key)).toEqual(['a']);
});

test('a dropped connection after the effect leaves it in the ledger', async () => {
  await sandbox.faults({ kind: 'drop', when: 'after' });
  await expect(sandbox.post('transfer', { ...pay, idempotency_key: 'a' })).rejects.toThrow();
  expect(await sandbox.ledger()).toHaveLength(1);
  expect((await sandbox.post('transfer', { ...pay, idempotency_key: 'a' })).status).toBe(200);
  expect(await sandbox.ledger()).toHaveLength(1);
});
