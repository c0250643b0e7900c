import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { imbalances } from '../support/killRounds.ts';
import { controlOf, paths, recipient, startTestSandbox } from '../support/sandbox.ts';
import { type Greeting, startSandboxProcess } from '../support/sandboxProcess.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'botctl-many-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const clients = 64;
const pay = { to_address: recipient, asset: 'SOL', amount: '1.5' };
const allClients = <T>(work: (client: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: clients }, (_, client) => work(client)));

async function transfer(
  { base_url, tokens }: Greeting,
  body: object,
): Promise<{ status: number; text: string }> {
  const response = await fetch(base_url + paths.transfer, {
    method: 'POST',
    headers: { Authorization: `Bot ${tokens.full}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

test('64 clients sending the same key produce one effect', async () => {
  const sandbox = await startTestSandbox({ dataDir });
  const replies = await allClients(() => sandbox.post('transfer', { ...pay, idempotency_key: 'k' }));
  expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  const messages = await allClients(() =>
    sandbox.post('message', { conversation_id: 'conv_demo', content: 'x', idempotency_key: 'k' }),
  );
  expect(messages.map(({ status }) => status).sort()).toEqual([200, ...Array(clients - 1).fill(409)]);
  expect((await sandbox.ledger()).map(({ kind }) => kind)).toEqual(['transfer', 'message']);
  await sandbox.close();
});

test('four processes draining one wallet never overdraw it, and one key has one effect among them', async () => {
  const sandboxes = await Promise.all([1, 2, 3, 4].map(() => startSandboxProcess(['--data', dataDir])));
  const at = (client: number): Greeting => {
    const sandbox = sandboxes[client % sandboxes.length];
    if (sandbox === undefined) throw new Error('no sandbox');
    return sandbox.greeting;
  };
  expect(new Set(sandboxes.map(({ greeting }) => greeting.wallet.address)).size).toBe(1);
  const same = await allClients((client) =>
    transfer(at(client), { ...pay, amount: '10', idempotency_key: 'same' }),
  );
  expect(new Set(same.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  const drained = (
    await allClients(async (client) => [await transfer(at(client), pay), await transfer(at(client), pay)])
  ).flat();
  expect(drained.filter(({ status }) => status === 200)).toHaveLength(59);
  expect(drained.filter(({ status }) => status === 402)).toHaveLength(clients * 2 - 59);
  const { ledger, state } = controlOf(at(0).base_url);
  expect(await ledger()).toHaveLength(60);
  expect(new Set((await ledger()).map(({ signature }) => signature)).size).toBe(60);
  expect(imbalances(await state())).toEqual([]);
  await Promise.all(sandboxes.map((sandbox) => sandbox.end('SIGTERM')));
});
