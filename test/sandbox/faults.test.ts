import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RawReply, rawRequest } from '../support/rawHttp.ts';
import { type FaultSpec, paths, startTestSandbox, type TestSandbox } from '../support/sandbox.ts';

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(() => sandbox.close());
beforeEach(() => sandbox.reset());

const hello = { conversation_id: 'conv_demo', content: 'hello', idempotency_key: 'k' };

/** A message as bytes on a socket, so that what comes back is seen as it is. */
function bytesOf(more: object, connection: 'close' | 'keep-alive'): string {
  const body = JSON.stringify({ ...hello, ...more });
  const head = [
    `POST ${paths.message} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Authorization: Bot ${sandbox.tokens.full}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Connection: ${connection}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

function ask(more: object = {}): Promise<RawReply> {
  return rawRequest(sandbox.baseUrl, [bytesOf(more, 'close')]);
}

/** Several messages over one connection, one after the other. */
function askOver(keys: readonly string[]): Promise<RawReply> {
  const requests = keys.map((key, index) =>
    bytesOf({ content: key, idempotency_key: key }, index === keys.length - 1 ? 'close' : 'keep-alive'),
  );
  return rawRequest(sandbox.baseUrl, requests, 50);
}

const effects = async (): Promise<number> => (await sandbox.ledger()).length;

describe.each([
  ['unread', 0],
  ['before', 0],
  ['after', 1],
] as const)('a fault %s leaves %i effects', (when, count) => {
  const meet = async (fault: FaultSpec): Promise<RawReply> => {
    await sandbox.faults({ ...fault, when });
    const reply = await ask();
    expect(await effects()).toBe(count);
    return reply;
  };

  test('drop: the connection ends without a byte', async () => {
    expect((await meet({ kind: 'drop' })).text).toBe('');
  });

  test('reset: the connection is reset', async () => {
    expect(await meet({ kind: 'reset' })).toMatchObject({ text: '', error: 'ECONNRESET' });
  });

  test('garbage: what comes is not HTTP', async () => {
    expect(await meet({ kind: 'garbage' })).toMatchObject({
      status: undefined,
      text: expect.stringContaining('garbage'),
    });
  });

  test('twice: it is said again before the next answer of the connection', async () => {
    await sandbox.faults({ kind: 'twice', when });
    const { text } = await askOver(['a', 'b', 'c']);
    const said = text.split('HTTP/1.1 ').slice(1);
    expect(said).toHaveLength(4);
    const bodyOf = (reply = ''): string => reply.split('\r\n\r\n')[1] ?? '';
    expect(bodyOf(said[1])).toBe(bodyOf(said[0]));
    expect(new Set(said.map(bodyOf)).size).toBe(3);
  });

  test('cut: the body ends early', async () => {
    const { text } = await meet({ kind: 'cut', at: 7 });
    const [head, body] = text.split('\r\n\r\n');
    expect(body).toHaveLength(7);
    expect(Number(/Content-Length: (\d+)/.exec(head ?? '')?.[1])).toBeGreaterThan(50);
  });

  test('drip: one byte at a time', async () => {
    const { text, ms } = await meet({ kind: 'drip', ms: 1 });
    expect(text.split('\r\n\r\n')[1]?.length).toBeGreaterThan(50);
    expect(ms).toBeGreaterThan(50);
  });

  test.each([500, 502, 503, 429, 303, 307, 103, 418])('reply: %i', async (status) => {
    expect((await meet({ kind: 'reply', status })).status).toBe(status);
  });

  test('stall for ever: until the client leaves', async () => {
    await sandbox.faults({ kind: 'stall', ms: null, when });
    const body = JSON.stringify(hello);
    const reply = fetch(sandbox.baseUrl + paths.message, {
      method: 'POST',
      headers: { Authorization: `Bot ${sandbox.tokens.full}`, 'Content-Type': 'application/json' },
      body,
      signal: AbortSignal.timeout(100),
    });
    await expect(reply).rejects.toThrow(/timeout/);
    expect(await effects()).toBe(count);
  });

  test('stall for a while: then it goes on', async () => {
    await sandbox.faults({ kind: 'stall', ms: 80, when });
    const { status, ms } = await ask();
    expect(status).toBe(200);
    expect(ms).toBeGreaterThanOrEqual(79);
    expect(await effects()).toBe(1);
  });
});

describe('scripts', () => {
  test('are met in order, and a pass lets one request through', async () => {
    await sandbox.faults(
      { kind: 'reply', status: 500, times: 2 },
      { kind: 'pass' },
      { kind: 'drop', when: 'unread' },
      { kind: 'reply', status: 502 },
    );
    const seen: (number | undefined)[] = [];
    for (let n = 0; n < 6; n += 1) seen.push((await ask({ idempotency_key: `k${n}` })).status);
    expect(seen).toEqual([500, 500, 200, undefined, 502, 200]);
    expect(await effects()).toBe(2);
  });

  test('can be meant for one operation, or for one key', async () => {
    await sandbox.faults(
      { kind: 'reply', status: 501, operation: 'transfer' },
      { kind: 'reply', status: 502, key: 'other' },
      { kind: 'reply', status: 503, operation: 'message' },
    );
    expect((await ask()).status).toBe(503);
    expect((await ask()).status).toBe(200);
    expect((await ask({ idempotency_key: 'other' })).status).toBe(502);
    expect((await sandbox.post('transfer', {})).status).toBe(501);
  });
});
