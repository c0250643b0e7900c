import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { parseAddress } from '../../src/postgres/address.ts';
import { PgConnections } from '../../src/postgres/connections.ts';
import { closedAfterTest } from '../../testing/closedAfterTest.ts';
import { startCuttableProxy } from '../../testing/postgres/cuttableProxy.ts';
import { type PostgresServer, sharedServer } from '../../testing/postgres/server.ts';
import { patient } from '../../testing/postgres/sharedJournal.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await sharedServer();
});
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

function newLines(url = 'postgres://127.0.0.1:1/none', maxWaitMs = 10_000): PgConnections {
  const address = parseAddress(url, 'BOTCTL_JOURNAL', {}, () => 'nobody');
  const patience = { ...patient, maxWaitMs, leastMs: 1000, sleep: async () => {} };
  return new PgConnections(address, patience, async () => 'a server');
}

test('what is asked after a wait for nothing has only what is left of it, and never less than a moment', () => {
  const lines = newLines();
  lines.waiting();
  vi.advanceTimersByTime(7000);
  expect(lines.waiting().leftMs()).toBe(3000);
  vi.advanceTimersByTime(60_000);
  expect(lines.waiting().leftMs()).toBe(1000);
});

test('where the server has answered, what comes next has all the time again', () => {
  const lines = newLines();
  const first = lines.waiting();
  vi.advanceTimersByTime(7000);
  first.over();
  expect(lines.waiting().leftMs()).toBe(10_000);
});

test('a reply that has come is worth all of the time, whatever was waited before', async () => {
  const lines = newLines();
  lines.waiting();
  vi.advanceTimersByTime(60_000);
  expect(await lines.waiting().again()).toBe(false);
  const forReply = lines.waiting(true);
  expect([forReply.leftMs(), await forReply.again()]).toEqual([10_000, true]);
});

test('however long the first connection took, what comes after it has all the time', async () => {
  const lines = closedAfterTest(newLines(server.url));
  await lines.open();
  vi.advanceTimersByTime(7000);
  expect(lines.waiting().leftMs()).toBe(10_000);
});

test('a server that takes the first connection and does not answer is waited for, as one that is away later', async () => {
  const proxy = closedAfterTest(await startCuttableProxy(server.port));
  const lines = closedAfterTest(newLines(proxy.through(server.url), 60_000));
  const silent = proxy.when({ from: 'client', has: '', nth: 1 }, 'hold');
  const opening = lines.open();
  await silent;
  vi.advanceTimersByTime(30_000);
  expect((await opening).isBroken).toBe(false);
});
