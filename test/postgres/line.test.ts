import { Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Address, parseAddress } from '../../src/postgres/address.ts';
import { PgConnection } from '../../src/postgres/connection.ts';
import { PgConnections } from '../../src/postgres/connections.ts';
import { closedAfterTest } from '../support/closedAfterTest.ts';
import { startCuttableProxy } from '../support/postgres/cuttableProxy.ts';
import { sharedServer } from '../support/postgres/server.ts';
import { patient } from '../support/postgres/sharedJournal.ts';

const addressOf = (url: string): Address => parseAddress(url, 'BOTCTL_JOURNAL', {}, () => 'nobody');

const asks = { text: 'SELECT $1::int AS n', values: ['n'], changes: false, answers: true };

test('many questions at once are answered in turn, and the driver warns of nothing', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  const { url } = await sharedServer(18);
  const line = closedAfterTest(await PgConnection.connect(addressOf(url)));
  const answers = await Promise.all([
    line.query('SELECT 1 AS n'),
    line.query('SELECT nothing').catch(() => 'refused'),
    ...[3, 4, 5].map(async (n) => ({ rows: await line.ask(asks, { n }) })),
  ]);
  expect(answers.map((one) => (typeof one === 'string' ? one : one.rows))).toEqual([
    [{ n: 1 }],
    'refused',
    [{ n: 3 }],
    [{ n: 4 }],
    [{ n: 5 }],
  ]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(warnings).toEqual([]);
});

test('has what the last statement was warned of, and nothing that it was only told', async () => {
  const { url } = await sharedServer(18);
  const line = closedAfterTest(await PgConnection.connect(addressOf(url)));
  await line.query(`DO $$ BEGIN RAISE NOTICE 'told'; RAISE WARNING 'warned' USING ERRCODE = '01004'; END $$`);
  expect(line.warnings).toEqual(['01004']);
  await line.query('SELECT 1');
  expect(line.warnings).toEqual([]);
});

test.each([
  ['57P01', true],
  ['25P03', true],
  ['22012', false],
])('after an error %s it is broken: %s', async (code, isBroken) => {
  const { url } = await sharedServer(18);
  const line = closedAfterTest(await PgConnection.connect(addressOf(url)));
  const failing = line.query(`DO $$ BEGIN RAISE EXCEPTION 'over' USING ERRCODE = '${code}'; END $$`);
  await expect(failing).rejects.toMatchObject({ code });
  expect(line.isBroken).toBe(isBroken);
});

describe('how long is waited', () => {
  afterEach(() => void vi.restoreAllMocks().useRealTimers());

  const leftMs = (): number => 600_000;
  const fakeTimers = (): void => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  /** How it fails once this much time has passed, and that it does not before. */
  async function failsAfter(ms: number, connecting: Promise<PgConnection>): Promise<unknown> {
    const end = connecting.then(
      () => 'connected',
      (error: unknown) => error,
    );
    vi.advanceTimersByTime(ms - 1);
    await turn();
    await turn();
    await turn();
    expect(await Promise.race([end, 'waiting'])).toBe('waiting');
    vi.advanceTimersByTime(1);
    return end;
  }

  test('for a server that takes the connection and says nothing: half a minute', async () => {
    const server = await sharedServer();
    const proxy = closedAfterTest(await startCuttableProxy(server.port));
    fakeTimers();
    const silent = proxy.when({ from: 'client', has: '', nth: 1 }, 'hold');
    const connecting = PgConnection.connect(addressOf(proxy.through(server.url)), { leftMs });
    await silent;
    expect(await failsAfter(30_000, connecting)).toMatchObject({ trouble: { is: 'silent' } });
  });

  const connections = (url: string, maxWaitMs: number): PgConnections => {
    const patience = { ...patient, maxWaitMs, leastMs: 1000, sleep: async () => {} };
    return closedAfterTest(new PgConnections(addressOf(url), patience, async () => {}));
  };

  test('for a server that is silent once: until another connection is answered', async () => {
    const server = await sharedServer();
    const proxy = closedAfterTest(await startCuttableProxy(server.port));
    fakeTimers();
    const silent = proxy.when({ from: 'client', has: '', nth: 1 }, 'hold');
    const opening = connections(proxy.through(server.url), 600_000).open();
    await silent;
    vi.advanceTimersByTime(30_000);
    expect((await opening).isBroken).toBe(false);
  });

  test('after the first connection, however long that took: all the time', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    const opened = connections((await sharedServer()).url, 10_000);
    await opened.open();
    vi.advanceTimersByTime(7000);
    expect(opened.waiting().leftMs()).toBe(10_000);
  });

  test('for a host that takes no connection: ten seconds', async () => {
    vi.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket) {
      return Object.assign(this, { connecting: true });
    });
    fakeTimers();
    const connecting = PgConnection.connect(addressOf('postgres://127.0.0.1/none'), { leftMs });
    while (vi.getTimerCount() === 0) await turn();
    expect(await failsAfter(10_000, connecting)).toMatchObject({ trouble: { is: 'out-of-reach' } });
  });

  test('an answer that came in time counts, however late this process comes to read it', async () => {
    const { port, answered } = await serverApart();
    const line = closedAfterTest(
      await PgConnection.connect(addressOf(`postgres://u:p@127.0.0.1:${port}/none`)),
    );
    fakeTimers();
    const asked = line.query('SELECT');
    // Nothing of this thread runs until the answer is there.
    Atomics.wait(answered, 0, 0);
    vi.advanceTimersByTime(600_000);
    expect((await asked).command).toBe('SELECT');
    for (const _turn of [1, 2, 3]) await turn();
    expect(line.isBroken).toBe(false);
  });
});

/** In a thread of its own: it lets anyone in, and says when it has answered a question. */
async function serverApart(): Promise<{ port: number; answered: Int32Array }> {
  const answered = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(
    String.raw`const { workerData: answered, parentPort } = require('node:worker_threads');
     const welcome = Buffer.from('R\0\0\0\b\0\0\0\0Z\0\0\0\x05I', 'latin1');
     const answer = Buffer.from('C\0\0\0\rSELECT 0\0Z\0\0\0\x05I', 'latin1');
     const server = require('node:net').createServer((socket) => {
       socket.on('error', () => {});
       socket.once('data', () => {
         socket.write(welcome);
         socket.once('data', () => socket.write(answer, () => {
           Atomics.store(answered, 0, 1);
           Atomics.notify(answered, 0);
         }));
       });
     });
     server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`,
    { eval: true, workerData: answered },
  );
  onTestFinished(async () => void (await worker.terminate()));
  const port = await new Promise<number>((resolve) => worker.once('message', resolve));
  return { port, answered };
}
