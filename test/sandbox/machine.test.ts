// What the machine does to the sandbox: no build of the VM, a folder that others hold, a close in mid-air.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect, test } from 'vitest';
import { loadNativeVm } from '../../src/sandbox/chain.ts';
import { openDatabase } from '../../src/sandbox/database.ts';
import { recipient, startTestSandbox } from '../support/sandbox.ts';

const hello = { conversation_id: 'conv_demo', content: 'hello', idempotency_key: 'k' };
const pay = { to_address: recipient, asset: 'SOL', amount: '1', idempotency_key: 'k' };

test('where litesvm has no build, transfers say so in one sentence and messages work', async () => {
  const loadChain = (): never => loadNativeVm('freebsd', 'x64') as never;
  const sandbox = await startTestSandbox({ loadChain });
  expect(await sandbox.post('transfer', pay)).toMatchObject({
    status: 422,
    json: {
      error: {
        code: 'chain_unavailable',
        message: expect.stringMatching(
          /^The sandbox’s transfers need the package litesvm-freebsd-x64, which does not load here \(Cannot find module [^)]*\); messages work without it\.$/,
        ),
      },
    },
  });
  expect((await sandbox.post('transfer', { ...pay, amount: 'x' })).status).toBe(400);
  expect((await sandbox.post('message', hello)).status).toBe(200);
  expect((await sandbox.state()).wallet.balances[0]).toEqual({ asset: 'SOL', amount: '100' });
  expect(sandbox.lines[0]).toMatchObject({
    operation: 'transfer',
    status: 422,
    key: 'k',
    reason: 'chain_unavailable',
  });
  await sandbox.close();
});

test('a folder that another process holds for too long: 503, and nothing is done', async () => {
  const sandbox = await startTestSandbox({ lockWaitMs: 50 });
  const other = new DatabaseSync(join(sandbox.dataDir, 'sandbox.db'));
  other.exec('BEGIN IMMEDIATE');
  expect(await sandbox.post('message', hello)).toMatchObject({
    status: 503,
    json: { error: { code: 'busy' } },
  });
  other.exec('ROLLBACK');
  other.close();
  expect(await sandbox.ledger()).toEqual([]);
  expect((await sandbox.post('message', hello)).status).toBe(200);
  await sandbox.close();
});

test('every commit waits for the disk', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'botctl-sandbox-'));
  const db = openDatabase(dataDir, 0, () => undefined);
  expect(db.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
  expect(db.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 2 });
  db.exec('PRAGMA user_version = 2');
  db.close();
  expect(() => openDatabase(dataDir, 0, () => undefined)).toThrow(/another version of botctl/);
  await rm(dataDir, { recursive: true });
});

test('closing ends what stalls, and lets a delayed effect land', async () => {
  const sandbox = await startTestSandbox();
  await sandbox.faults(
    { kind: 'stall', ms: null, when: 'before', key: 'for-ever' },
    { kind: 'stall', ms: 60_000, when: 'before', key: 'long' },
  );
  const forEver = sandbox.post('message', { ...hello, idempotency_key: 'for-ever' }).catch(() => 'ended');
  const long = sandbox.post('message', { ...hello, idempotency_key: 'long' });
  await expect.poll(async () => (await sandbox.state()).faults.scripted).toEqual([]);
  const closed = sandbox.close();
  expect([await forEver, (await long).status]).toEqual(['ended', 200]);
  await closed;
});

test('two sandboxes on one folder obey the same readings, faults and keys', async () => {
  const one = await startTestSandbox();
  const two = await startTestSandbox({ dataDir: one.dataDir });
  expect(two.tokens).toEqual(one.tokens);
  await one.readings({ success_status: 201 });
  await one.faults({ kind: 'reply', status: 500 });
  expect((await two.post('message', hello)).status).toBe(500);
  expect((await two.post('transfer', pay)).status).toBe(201);
  expect((await one.post('transfer', pay)).status).toBe(201);
  expect(await one.ledger()).toHaveLength(1);
  await one.reset();
  expect((await two.post('transfer', pay)).status).toBe(200);
  await two.money({ asset: 'USDC', amount: '7' });
  await expect(two.money({ amount: '99999999999999999999', asset: 'SOL' })).rejects.toThrow(
    'no account can hold that much',
  );
  const { wallet, lamports } = await one.state();
  expect(wallet.balances).toMatchObject([{ asset: 'SOL' }, { asset: 'USDC', amount: '10007' }]);
  expect(BigInt(lamports.made)).toBe(BigInt(lamports.in_accounts) + BigInt(lamports.fees));
  await two.close();
  await one.close();
});

test('it takes its steady port where that is free, and else any', async () => {
  const portOf = ({ baseUrl }: { baseUrl: string }): number => Number(new URL(baseUrl).port);
  const free = await startTestSandbox();
  const steadyPort = portOf(free);
  await free.close();
  const first = await startTestSandbox({ steadyPort });
  const second = await startTestSandbox({ steadyPort });
  expect([portOf(first), portOf(second) > 0, portOf(second) === steadyPort]).toEqual([
    steadyPort,
    true,
    false,
  ]);
  await Promise.all([first.close(), second.close()]);
});
