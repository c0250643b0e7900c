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

function newLines(url: string, maxWaitMs = 10_000): PgConnections {
  const address = parseAddress(url, 'BOTCTL_JOURNAL', {}, () => 'nobody');
  const patience = { ...patient, maxWaitMs, leastMs: 1000, sleep: async () => {} };
  return new PgConnections(address, patience, async () => 'a server');
}

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
