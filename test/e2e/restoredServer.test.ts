import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newSharedJournal } from '../support/postgres/newJournal.ts';
import { type PostgresServer, startServer } from '../support/postgres/server.ts';
import { recipient } from '../support/sandbox.ts';
import { type Said, SandboxHome } from '../support/sandboxHome.ts';

let server: PostgresServer;
let operator: SandboxHome;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  operator = await SandboxHome.open();
  operator.env.BOTCTL_JOURNAL = await newSharedJournal(server);
});
afterEach(() => operator.close());

describe('a server restored from before', () => {
  test('the rows of a batch that is at work stops it as lost, not to be run again', async () => {
    const rows = [1, 2, 3].map((amount) => `${amount},${recipient},SOL,0.00${amount}`);
    const file = operator.home.file('pay.csv', `id,to_address,asset,amount\n${rows.join('\n')}\n`);
    const early = await server.snapshot();
    const batch = ['batch', 'transfer', file, '--once', 'wages', '--yes', '--json', '--rate', '20/m'];
    const { ended } = operator.start([...batch, '--concurrency', '1']);
    const accepted = `SELECT FROM botctl.entries WHERE state = 'accepted'`;
    let isOver = false;
    void ended.then(() => {
      isOver = true;
    });
    while (!isOver && (await server.query(accepted, [], operator.env.BOTCTL_JOURNAL)).length === 0)
      await pause(20);
    await server.restore(early);
    const { code, stdout } = await ended;
    const last = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Said;
    expect([code, last.error]).toEqual([
      1,
      expect.objectContaining({
        code: 'journal-lost',
        retry: 'after-fix',
        message: expect.stringContaining('has lost 1 request or decision'),
        hint: expect.stringMatching(/bring back the server as it was/u),
        next: ['botctl doctor', expect.stringContaining('botctl batch transfer')],
      }),
    ]);
    expect(await operator.sandbox.ledger({ kind: 'transfer' })).toHaveLength(1);
  }, 60_000);
});
