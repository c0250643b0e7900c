// Many at once on one data folder: `botctl --sandbox …`, `botctl sandbox`, and clients of several of them.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { botctl } from '../support/botctl.ts';
import { Home } from '../support/home.ts';
import { imbalances } from '../support/killRounds.ts';
import { controlOf, paths, recipient, startTestSandbox } from '../support/sandbox.ts';
import { type Greeting, startSandboxProcess } from '../support/sandboxProcess.ts';

let home: Home;
beforeEach(() => {
  home = new Home();
});
afterEach(() => home.remove());

const send = (content: string): string[] => [
  ...['--sandbox', 'send', '--conversation', 'conv_demo', '--content', content],
];
const transfer = (amount: string): string[] => [
  ...['--sandbox', 'transfer', '--to', recipient, '--asset', 'SOL', '--amount', amount],
];

test('several commands and a running sandbox share one folder, from its first moment on', async () => {
  const commands = [send('a'), transfer('1'), send('b'), transfer('2')];
  const [sandbox, ...ended] = await Promise.all([
    startSandboxProcess([], home.env),
    ...commands.map((line) => botctl([...line, '--quiet'], { env: home.env })),
  ]);
  expect(ended.map(({ code, stderr }) => [code, stderr])).toEqual(commands.map(() => [0, '']));
  const { ledger, state, readings } = controlOf(sandbox.greeting.base_url);
  const effects = await ledger();
  expect(effects.map(({ signature, id }) => signature ?? id).sort()).toEqual(
    ended.map(({ stdout }) => stdout.trim()).sort(),
  );
  expect(imbalances(await state())).toEqual([]);
  await readings({ transfer_status: 'settling' });
  const { stdout } = await botctl([...transfer('3'), '--json'], { env: home.env });
  expect(JSON.parse(stdout)).toMatchObject({ transfer: { status: 'settling' } });
  await sandbox.end('SIGTERM');
});

test('nothing is written outside the data folder', async () => {
  const data = join(home.path, 'elsewhere');
  const sandbox = await startSandboxProcess(['--data', data], home.env);
  await sandbox.end('SIGTERM');
  expect(readdirSync(home.path)).toEqual(['elsewhere']);
  expect(readdirSync(data).filter((name) => !name.startsWith('sandbox.db'))).toEqual([]);
  expect(statSync(join(data, 'sandbox.db')).size).toBeGreaterThan(0);
  expect(statSync(join(data, 'sandbox.db-wal'), { throwIfNoEntry: false })?.size ?? 0).toBe(0);
});

const clients = 64;
const pay = { to_address: recipient, asset: 'SOL', amount: '1.5' };
const allClients = <T>(work: (client: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: clients }, (_, client) => work(client)));

async function post({ base_url, tokens }: Greeting, body: object): Promise<{ status: number; text: string }> {
  const response = await fetch(base_url + paths.transfer, {
    method: 'POST',
    headers: { Authorization: `Bot ${tokens.full}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

test('64 clients sending the same key produce one effect', async () => {
  const sandbox = await startTestSandbox({ dataDir: join(home.path, 'sandbox') });
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
  const sandboxes = await Promise.all(
    [1, 2, 3, 4].map(() => startSandboxProcess(['--data', join(home.path, 'sandbox')])),
  );
  const at = (client: number): Greeting => {
    const sandbox = sandboxes[client % sandboxes.length];
    if (sandbox === undefined) throw new Error('no sandbox');
    return sandbox.greeting;
  };
  expect(new Set(sandboxes.map(({ greeting }) => greeting.wallet.address)).size).toBe(1);
  const same = await allClients((client) =>
    post(at(client), { ...pay, amount: '10', idempotency_key: 'same' }),
  );
  expect(new Set(same.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  const drained = (
    await allClients(async (client) => [await post(at(client), pay), await post(at(client), pay)])
  ).flat();
  expect(drained.filter(({ status }) => status === 200)).toHaveLength(59);
  expect(drained.filter(({ status }) => status === 402)).toHaveLength(clients * 2 - 59);
  const { ledger, state } = controlOf(at(0).base_url);
  expect(await ledger()).toHaveLength(60);
  expect(new Set((await ledger()).map(({ signature }) => signature)).size).toBe(60);
  expect(imbalances(await state())).toEqual([]);
  await Promise.all(sandboxes.map((sandbox) => sandbox.end('SIGTERM')));
});
