import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, expect, test } from 'vitest';
import { openThreadLine } from '../../src/wire/threadLine.ts';
import { httpReply, startLoopback } from '../helpers/loopback.ts';
import { limitsOf, noReply, reply, settingsFor, shipmentTo, token } from '../helpers/shipping.ts';

const built = pathToFileURL(resolve('dist/lineThread.js'));
const folder = mkdtempSync(join(tmpdir(), 'botctl-thread-'));
const opened: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function serve(onRequest: (socket: Socket, request: string, nth: number) => void) {
  const server = await startLoopback(onRequest);
  opened.push(server);
  return { ...server, origin: `http://127.0.0.1:${server.port}` };
}

function lineTo(origin: string, program = built, env: Record<string, string> = {}) {
  const line = openThreadLine(settingsFor(origin, { keepAlive: true, env }), program);
  opened.push(line);
  return line;
}

/** A thread that does this in place of flying. */
function threadThat(does: string): URL {
  const path = join(folder, 'thread.cjs');
  writeFileSync(path, `const { parentPort } = require('node:worker_threads');\n${does}`);
  return pathToFileURL(path);
}

test('many requests at a time each get the reply to their own bytes', async () => {
  const { origin } = await serve((socket, request) => {
    const [, body = ''] = request.split('\r\n\r\n');
    socket.write(httpReply(Buffer.from(body, 'latin1')));
  });
  const line = lineTo(origin);
  // No UTF-8, and every byte there is.
  const bodies = Array.from({ length: 50 }, (_, n) => Buffer.from([n, ...Array(256).keys()]));
  const flights = await Promise.all(
    bodies.map((body) => line.fly({ ...shipmentTo(origin), body }, limitsOf())),
  );
  for (const [n, flight] of flights.entries()) {
    const { status, body, ended } = reply(flight);
    expect({ status, ended }).toEqual({ status: 200, ended: 'whole' });
    expect(Buffer.from(body).equals(bodies[n] ?? Buffer.alloc(0))).toBe(true);
  }
});

test('a cut ends its own request only', async () => {
  const { origin } = await serve((socket, request) => {
    if (request.includes('answered')) setImmediate(() => socket.write(httpReply('{}')));
  });
  const line = lineTo(origin);
  const cut = new AbortController();
  const silent = line.fly(shipmentTo(origin, '{"content":"silent"}'), limitsOf(5000, cut.signal));
  expect(reply(await line.fly(shipmentTo(origin, '{"content":"answered"}'), limitsOf())).status).toBe(200);
  cut.abort();
  expect(noReply(await silent)).toMatchObject({ headersSent: true, trouble: 'it was interrupted' });
});

test('what is cut before it leaves does not leave', async () => {
  const { origin, talks } = await serve((socket) => socket.write(httpReply('{}')));
  const flight = await lineTo(origin).fly(shipmentTo(origin), limitsOf(5000, AbortSignal.abort()));
  expect(noReply(flight).headersSent).toBe(false);
  expect(talks.flatMap(({ received }) => received.toString())).not.toContain('POST');
});

test('a thread that ends leaves its requests in doubt, and takes no more', async () => {
  const program = threadThat(
    `parentPort.postMessage([]); parentPort.on('message', () => { throw new Error('torn'); });`,
  );
  const line = lineTo('http://127.0.0.1:1', program);
  const flight = line.fly(shipmentTo('http://127.0.0.1:1'), limitsOf());
  expect(noReply(await flight)).toEqual({
    came: 'nothing',
    headersSent: true,
    trouble: 'the thread that sends failed (torn)',
  });
  const next = line.fly(shipmentTo('http://127.0.0.1:1'), limitsOf());
  expect(noReply(await next)).toEqual({
    came: 'nothing',
    headersSent: false,
    trouble: 'the thread that sends failed (torn)',
  });
});

test('a thread that cannot begin has sent nothing', async () => {
  const line = lineTo('http://127.0.0.1:1', threadThat(`throw new Error('no room');`));
  const flight = line.fly(shipmentTo('http://127.0.0.1:1'), limitsOf());
  expect(noReply(await flight)).toEqual({
    came: 'nothing',
    headersSent: false,
    trouble: 'the thread that sends failed (no room)',
  });
});

test('what forbids a line is known before there is a thread', () => {
  const open = () => lineTo('https://bots.test', built, { NODE_TLS_REJECT_UNAUTHORIZED: '0' });
  expect(open).toThrow('NODE_TLS_REJECT_UNAUTHORIZED=0 is set');
});

test('NODE_DEBUG does not make the thread write what travels', async () => {
  const { origin } = await serve((socket) => socket.write(httpReply('{}')));
  const program = threadThat(`
    parentPort.postMessage([]);
    parentPort.on('message', ({ departing }) => {
      for (const { n } of departing) parentPort.postMessage(
        [{ n, flight: { came: 'nothing', headersSent: false, trouble: JSON.stringify(process.env) } }]);
    });`);
  const line = lineTo(origin, program, { NODE_DEBUG: 'net', BOTCTL_TOKEN: token });
  const { trouble } = noReply(await line.fly(shipmentTo(origin), limitsOf()));
  expect(JSON.parse(trouble)).toMatchObject({ NODE_DEBUG: '' });
});
