import { afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { parseAddress } from '../../src/postgres/address.ts';
import { PgConnection } from '../../src/postgres/connection.ts';
import { PgConnections } from '../../src/postgres/connections.ts';
import { closedAfterTest } from '../support/closedAfterTest.ts';
import { asRole } from '../support/postgres/asRole.ts';
import { startCuttableProxy } from '../support/postgres/cuttableProxy.ts';
import { type PostgresServer, sharedServer } from '../support/postgres/server.ts';
import { patient } from '../support/postgres/sharedJournal.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await sharedServer();
});
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

function newLines(url: string, maxWaitMs = 10_000): PgConnections {
  const address = parseAddress(url, 'BOTCTL_JOURNAL', {}, () => 'nobody');
  const patience = { ...patient, maxWaitMs, leastMs: 1000, sleep: async () => {} };
  return new PgConnections(address, patience, async () => {});
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

test('who is let in no more is not kept waiting: the answer would stay the same', async () => {
  const role = `let_in_once_${Date.now()}`;
  await server.query(`CREATE ROLE ${role} LOGIN PASSWORD 'p'`);
  const lines = closedAfterTest(newLines(asRole(server.url, role, 'p')));
  const first = await lines.open();
  await server.query(`ALTER ROLE ${role} PASSWORD 'another'`);
  first.destroy();
  const again = vi.fn(async () => true);
  const working = lines.working({ ...lines.waiting(), again });
  await expect(working).rejects.toMatchObject({ kind: 'denied' });
  expect(again).not.toHaveBeenCalled();
});

test('a server that is away for a moment is waited for, once there was a line to it', async () => {
  const lines = closedAfterTest(newLines(server.url));
  const first = await lines.open();
  first.destroy();
  const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
  vi.spyOn(PgConnection, 'connect').mockRejectedValueOnce(refused);
  onTestFinished(() => void vi.restoreAllMocks());
  expect((await lines.working()).isBroken).toBe(false);
});

test('a separate line is introduced, so that what it does is known to be done by it', async () => {
  const lines = closedAfterTest(newLines(server.url));
  const another = closedAfterTest(await lines.another());
  const { rows } = await another.query(`SELECT ${another.here} AS here`);
  expect(rows).toEqual([{ here: true }]);
});

test('a separate line that is not introduced is no line', async () => {
  const proxy = closedAfterTest(await startCuttableProxy(server.port));
  const lines = closedAfterTest(newLines(proxy.through(server.url)));
  const cut = proxy.when({ from: 'client', has: 'botctl.line', nth: 1 }, 'cut');
  await expect(lines.another()).rejects.toThrow(/./u);
  await cut;
});
