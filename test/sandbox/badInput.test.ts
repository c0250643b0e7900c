import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { closedAfterTest } from '../support/closedAfterTest.ts';
import { rawRequest } from '../support/rawHttp.ts';
import { startTestSandbox, type TestSandbox } from '../support/sandbox.ts';

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(() => sandbox.close());

afterEach(async () => {
  // Whatever came in, nothing took effect, and the service still serves.
  expect(await sandbox.ledger()).toEqual([]);
  expect((await sandbox.post('message', hello)).status).toBe(200);
  await sandbox.reset();
});

const hello = { conversation_id: 'conv_demo', content: 'hello' };
const body = JSON.stringify(hello);

type Parts = { line?: string; headers?: string[]; body?: string | Buffer };

async function statusOf({ line, headers, body: bytes = body }: Parts): Promise<number | undefined> {
  const own = [`Authorization: Bot ${sandbox.tokens.full}`, 'Content-Type: application/json'];
  const head = [
    line ?? 'POST /api/bot/v1/messages/send HTTP/1.1',
    'Host: 127.0.0.1',
    ...(headers ?? own),
    `Content-Length: ${Buffer.byteLength(bytes)}`,
    'Connection: close',
  ];
  return (await rawRequest(sandbox.baseUrl, [`${head.join('\r\n')}\r\n\r\n`, bytes])).status;
}

const authorized = (...more: string[]): string[] => [`Authorization: Bot ${sandbox.tokens.full}`, ...more];

test('a wrong method: 405', async () => {
  expect(await statusOf({ line: 'GET /rpc HTTP/1.1' })).toBe(405);
  expect(await statusOf({ line: 'GET /control/reset HTTP/1.1' })).toBe(405);
});

test('a wrong path: 404', async () => {
  for (const path of [
    '/nowhere',
    '/api/bot/v1/messages/send/',
    '/api/../../etc/passwd',
    '//',
    '/control/nothing',
    '*',
  ]) {
    expect([path, await statusOf({ line: `POST ${path} HTTP/1.1` })]).toEqual([path, 404]);
  }
});

test('a wrong content type, or none: 415', async () => {
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx']) {
    expect(await statusOf({ headers: authorized(`Content-Type: ${type}`) })).toBe(415);
  }
  expect(await statusOf({ headers: authorized() })).toBe(415);
});

test('a content type with a charset is JSON all the same', async () => {
  expect(await statusOf({ headers: authorized('Content-Type: application/JSON; charset=utf-8') })).toBe(200);
  await sandbox.reset();
});

test('a body of 10 MiB: 413, also when it is sent in chunks', async () => {
  const large = JSON.stringify({ ...hello, content: 'x'.repeat(10 * 1024 * 1024) });
  expect((await sandbox.post('message', { ...hello, content: large })).status).toBe(413);
  const stream = new ReadableStream({
    start(controller) {
      for (let sent = 0; sent < 10; sent += 1) controller.enqueue(new Uint8Array(1024 * 1024));
      controller.close();
    },
  });
  const chunked = await fetch(`${sandbox.baseUrl}/api/bot/v1/messages/send`, {
    method: 'POST',
    headers: { Authorization: `Bot ${sandbox.tokens.full}`, 'Content-Type': 'application/json' },
    body: stream,
    duplex: 'half',
  } as RequestInit);
  expect(chunked.status).toBe(413);
});

test('invalid JSON, or JSON that is no object: 400', async () => {
  for (const text of ['', '{', 'null', '[]', '7', '"x"', "{'a':1}", `${body}}`, '[['.repeat(200_000)]) {
    expect([text.slice(0, 9), await statusOf({ body: text })]).toEqual([text.slice(0, 9), 400]);
  }
});

test('JSON nested too deeply: 400', async () => {
  const deep = `{"conversation_id":"conv_demo","content":"x","more":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
  expect(await statusOf({ body: deep })).toBe(400);
});

test('invalid UTF-8: 400', async () => {
  const broken = Buffer.from(body);
  broken[broken.length - 4] = 0xff;
  expect(await statusOf({ body: broken })).toBe(400);
});

test('a missing or doubled Authorization: 401', async () => {
  const type = 'Content-Type: application/json';
  expect(await statusOf({ headers: [type] })).toBe(401);
  expect(await statusOf({ headers: [type, ...authorized(), ...authorized()] })).toBe(401);
  expect(await statusOf({ headers: [type, ...authorized(), 'authorization: Bot other'] })).toBe(401);
});

test('header injection and broken framing: 400', async () => {
  const type = 'Content-Type: application/json';
  for (const header of [
    'X-A: a\rX-B: b',
    'X-A: a\u0000b',
    'X A: b',
    ': b',
    'Content-Length: 5',
    'Transfer-Encoding: chunked',
    'Transfer-Encoding: gzip',
  ]) {
    expect([header, await statusOf({ headers: authorized(type, header) })]).toEqual([header, 400]);
  }
  expect((await rawRequest(sandbox.baseUrl, ['\u0016\u0003\u0001\u0002\r\n\r\n'])).status).toBe(400);
});

test('headers beyond 16 KiB: 431', async () => {
  expect(await statusOf({ headers: authorized(`X-Long: ${'x'.repeat(20_000)}`) })).toBe(431);
});

test('a client that drips its headers, or its body, for ever: 408', async () => {
  const impatient = closedAfterTest(await startTestSandbox({ requestTimeoutMs: 400 }));
  const head = `POST /api/bot/v1/messages/send HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 10000\r\n`;
  const slowHead = rawRequest(impatient.baseUrl, [...head], 40);
  const slowBody = rawRequest(impatient.baseUrl, [`${head}\r\n`, ...'x'.repeat(100)], 40);
  const silent = rawRequest(impatient.baseUrl, [head]);
  const replies = await Promise.all([slowHead, slowBody, silent]);
  expect(replies.map((reply) => reply.status)).toEqual([408, 408, 408]);
  expect(await impatient.ledger()).toEqual([]);
});

test('a client that leaves in the middle of its body leaves nothing', async () => {
  const reply = fetch(`${sandbox.baseUrl}/api/bot/v1/messages/send`, {
    method: 'POST',
    headers: { Authorization: `Bot ${sandbox.tokens.full}`, 'Content-Type': 'application/json' },
    body: new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from(body.slice(0, 10)));
        setTimeout(() => controller.error(new Error('gone')), 30);
      },
    }),
    duplex: 'half',
  } as RequestInit);
  await expect(reply).rejects.toThrow();
});

test('a page on the web cannot use this machine by a name of its own: 403', async () => {
  const ask = async (path: string): Promise<number | undefined> => {
    const request = `GET ${path} HTTP/1.1\r\nHost: evil.example:80\r\nConnection: close\r\n\r\n`;
    return (await rawRequest(sandbox.baseUrl, [request])).status;
  };
  expect([await ask('/control'), await ask('/control/ledger')]).toEqual([403, 403]);
  const headers = { Origin: 'https://evil.example' };
  expect((await fetch(`${sandbox.baseUrl}/control/reset`, { method: 'POST', headers })).status).toBe(403);
});
