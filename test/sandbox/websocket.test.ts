import { on, once } from 'node:events';
import { createServer } from 'node:http';
import { base58 } from '@scure/base';
import { afterAll, beforeAll, expect, test } from 'vitest';
import WebSocket from 'ws';
import { tokenProgram } from '../../src/sandbox/solana.ts';
import { otherRecipient, recipient, startTestSandbox, type TestSandbox } from '../../testing/sandbox.ts';

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox({ nextPortToo: true });
  await sandbox.readings({ slot_ms: 0 });
});
afterAll(() => sandbox.close());

const portOf = (): number => Number(new URL(sandbox.baseUrl).port);

/** What a websocket says: its end, why it was refused, or the answers to what it was told. */
async function talk(url: string, said: string[] = [], heard = said.length): Promise<unknown[]> {
  const socket = new WebSocket(url);
  const answers: unknown[] = [];
  await new Promise<void>((done) => {
    socket.on('open', () => {
      for (const each of said) socket.send(each);
      if (heard === 0) done();
    });
    socket.on('message', (data) => {
      answers.push(JSON.parse(String(data)));
      if (answers.length === heard) done();
    });
    socket.on('close', () => done());
    socket.on('error', (error) => answers.push(error.message));
  });
  socket.terminate();
  return answers;
}

const ask = (method: string, params: unknown[] = []): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

const valueIn = (notification: string): unknown =>
  (JSON.parse(notification) as { params: { result: { value: unknown } } }).params.result.value;

const own = (): string => sandbox.node.rpcUrl.replace('http', 'ws');

test('it answers at the service’s port and at the next, and only there', async () => {
  for (const url of [own(), `ws://127.0.0.1:${portOf() + 1}/rpc`, `ws://127.0.0.1:${portOf() + 1}`])
    expect(await talk(url, [ask('slotSubscribe')])).toMatchObject([{ result: 1 }]);
  expect(await talk(`ws://127.0.0.1:${portOf()}/api`)).toEqual(['Unexpected server response: 404']);
  expect(await talk(`${own()}?slot_ms=1`)).toEqual(['Unexpected server response: 400']);
  expect((await fetch(`http://127.0.0.1:${portOf() + 1}/rpc`)).status).toBe(426);
});

test('a page on the web is sent away', async () => {
  const socket = new WebSocket(own(), { origin: 'https://example.com' });
  const why = await new Promise<string>((heard) => socket.on('error', (error) => heard(error.message)));
  expect(why).toBe('Unexpected server response: 403');
});

test.each([
  ['x{', -32700],
  ['7', -32600],
  [ask('getBalance', [recipient]), -32601],
  [ask('signatureSubscribe', ['x']), -32602],
  [ask('slotUnsubscribe', [99]), -32602],
])('%s is answered with %i', async (said, code) => {
  expect(await talk(own(), [said])).toMatchObject([{ error: { code } }]);
});

test('a signature is told once, at its stage, and then no longer watched', async () => {
  const { json } = await sandbox.post('transfer', { to_address: recipient, asset: 'SOL', amount: '1' });
  const heard = await talk(
    own(),
    [
      ask('signatureSubscribe', [
        json.signature,
        { commitment: 'finalized', enableReceivedNotification: true },
      ]),
    ],
    3,
  );
  expect(heard).toMatchObject([
    { result: 1 },
    { method: 'signatureNotification', params: { subscription: 1, result: { value: 'receivedSignature' } } },
    { method: 'signatureNotification', params: { subscription: 1, result: { value: { err: null } } } },
  ]);
});

const unknown = base58.encode(new Uint8Array(64).fill(7));

test('a connection may wait for 100 things, and say 64 KiB at once', async () => {
  const many = await talk(own(), Array<string>(101).fill(ask('signatureSubscribe', [unknown])), 101);
  const refusals = many.filter((each) => JSON.stringify(each).includes('Too many subscriptions'));
  expect(refusals).toHaveLength(1);
  expect(await talk(own(), [ask('slotSubscribe', ['x'.repeat(70_000)])])).toEqual([]);
});

test('who asks again as soon as it is refused is answered later and later', async () => {
  const startedMs = 1_700_000_000_000;
  let now = startedMs;
  const still = await startTestSandbox({ nowMs: () => now });
  await still.readings({ slot_ms: 1000 });
  const url = still.node.rpcUrl.replace('http', 'ws');
  const refusedAt: number[] = [];
  const eager = new WebSocket(url);
  eager.on('message', () => {
    refusedAt.push((now - startedMs) / 1000);
    eager.send(ask('slotsUpdatesSubscribe'));
  });
  await once(eager, 'open');
  eager.send(ask('slotsUpdatesSubscribe'));
  await expect.poll(() => refusedAt.length).toBe(3);
  const watcher = new WebSocket(url);
  await once(watcher, 'open');
  const looks = on(watcher, 'message');
  watcher.send(ask('slotSubscribe'));
  await looks.next();
  for (; now < startedMs + 40_000; now += 1000) {
    // The slot is told in the same look as what is late, and before it was asked again this is heard.
    await looks.next();
    eager.ping();
    await once(eager, 'pong');
  }
  expect(refusedAt).toEqual([0, 0, 0, 1, 3, 7, 15, 25, 35]);
  eager.terminate();
  watcher.terminate();
  await still.close();
});

test.each([
  ['accountSubscribe', ['x']],
  ['accountSubscribe', [recipient, { encoding: 'hex' }]],
  ['accountSubscribe', [recipient, { commitment: 'soon' }]],
  ['programSubscribe', [recipient, { encoding: 'hex' }]],
  ['programSubscribe', [recipient, { filters: [{ tokenAccountState: true }] }]],
  ['programSubscribe', [recipient, { filters: [{ memcmp: { offset: 0, bytes: '0' } }] }]],
  ['programSubscribe', [recipient, { filters: [{ memcmp: { bytes: '11', encoding: 'hex' } }] }]],
  ['logsSubscribe', []],
  ['logsSubscribe', [{ mentions: [] }]],
  ['logsSubscribe', [{ mentions: [recipient, recipient] }]],
])('%s of %j is refused', async (method, params) => {
  expect(await talk(own(), [ask(method, params)])).toMatchObject([{ error: { code: -32602 } }]);
});

test('an account that is too long for base58 says so in its place', async () => {
  const owner = otherRecipient;
  const params = [tokenProgram, { filters: [{ memcmp: { offset: 32, bytes: owner } }] }];
  const socket = new WebSocket(own());
  await once(socket, 'open');
  socket.send(ask('programSubscribe', params));
  await once(socket, 'message');
  await sandbox.post('transfer', { to_address: owner, asset: 'USDC', amount: '1' });
  const [data] = (await once(socket, 'message')) as [Buffer];
  expect(JSON.parse(String(data))).toMatchObject({
    method: 'programNotification',
    params: {
      subscription: 1,
      result: {
        value: { account: { data: ['error: data too large for bs58 encoding', 'base58'], space: 165 } },
      },
    },
  });
  socket.terminate();
});

test('what is held back is told when it is let go: accounts as they were until then', async () => {
  const still = await startTestSandbox({ nowMs: () => 1_700_000_000_000 });
  await still.readings({ slot_ms: 0, commitment_held_at: 'processed' });
  const url = still.node.rpcUrl.replace('http', 'ws');
  const hear = async (method: string, config: object): Promise<{ value: unknown[]; socket: WebSocket }> => {
    const socket = new WebSocket(url);
    await once(socket, 'open');
    const value: unknown[] = [];
    socket.send(ask(method, [method === 'logsSubscribe' ? 'all' : recipient, config]));
    await once(socket, 'message');
    socket.on('message', (data) => value.push(valueIn(String(data))));
    return { value, socket };
  };
  const processed = await hear('accountSubscribe', { commitment: 'processed', encoding: 'base64' });
  const confirmed = await hear('accountSubscribe', { commitment: 'confirmed', encoding: 'base64' });
  const logs = await hear('logsSubscribe', { commitment: 'confirmed' });
  const paid = (): Promise<unknown> =>
    still.post('transfer', { to_address: recipient, asset: 'SOL', amount: '1' });
  await paid();
  await expect.poll(() => processed.value.length).toBe(1);
  await paid();
  await expect.poll(() => processed.value.length).toBe(2);
  expect([confirmed.value, logs.value]).toEqual([[], []]);
  await still.readings({ commitment_held_at: null });
  await expect.poll(() => logs.value.length).toBe(2);
  await expect.poll(() => confirmed.value.length).toBeGreaterThan(0);
  expect(processed.value).toMatchObject([{ lamports: 1e9 }, { lamports: 2e9 }]);
  expect(confirmed.value).toMatchObject([{ lamports: 2e9, owner: '11111111111111111111111111111111' }]);
  for (const { socket } of [processed, confirmed, logs]) socket.terminate();
  await still.close();
});

test('faults meet it: an error is said, any other ends the connection', async () => {
  await sandbox.faults(
    { kind: 'rpc-error', code: -32005, method: 'slotSubscribe' },
    { kind: 'drop', operation: 'rpc', method: 'slotSubscribe' },
  );
  expect(await talk(own(), [ask('slotSubscribe')])).toMatchObject([{ error: { code: -32005 } }]);
  expect(await talk(own(), [ask('slotSubscribe')])).toEqual([]);
  expect(await talk(own(), [ask('slotSubscribe')])).toMatchObject([{ result: 1 }]);
});

test('a sandbox ends while someone is connected, and starts where the next port is taken', async () => {
  const first = await startTestSandbox({ nextPortToo: true });
  const port = Number(new URL(first.baseUrl).port);
  const socket = new WebSocket(first.node.rpcUrl.replace('http', 'ws'));
  await new Promise((open) => socket.once('open', open));
  const closed = new Promise((end) => socket.once('close', end));
  await first.close();
  await closed;
  const other = createServer();
  await new Promise<void>((up) => other.listen(port + 1, '127.0.0.1', up));
  const second = await startTestSandbox({ port, nextPortToo: true });
  expect((await fetch(`${second.baseUrl}/control`)).status).toBe(200);
  await second.close();
  await new Promise((down) => other.close(down));
});
