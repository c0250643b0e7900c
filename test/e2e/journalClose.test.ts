// A journal that a person closes for sending, in a file and on a server: what is in flight is recorded, nothing begins.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { grantsSql } from '../../src/postgres/upkeep.ts';
import { asRole } from '../support/postgres/asRole.ts';
import { newSharedPlace, onServer } from '../support/postgres/sharedJournal.ts';
import { payAda, SandboxHome } from '../support/sandboxHome.ts';

let operator: SandboxHome;
beforeEach(async () => {
  operator = await SandboxHome.open();
});
afterEach(() => operator.close());

const rent = [...payAda, '--once', 'rent'];
const paid = () => operator.sandbox.ledger({ kind: 'transfer' });
const closed = { exit: 10, error: { code: 'journal-closed', retry: 'decide' } };

async function journalOn(where: string): Promise<string> {
  if (where === 'a file') return `${operator.home.path}/journal.db`;
  const { url } = await newSharedPlace();
  return url;
}

function batchOf(rows: number, ...more: readonly string[]): string[] {
  const lines = Array.from({ length: rows }, (_, row) => `r${row},${payAda[2]},SOL,0.0${row + 11}\n`);
  const file = operator.home.file('rows.csv', `id,to_address,asset,amount\n${lines.join('')}`);
  return ['batch', 'transfer', file, '--once', 'nov', '--yes', ...more];
}

const endIn = (stdout: string) => JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');

describe.each(['a file', 'a server'])('in %s', (where) => {
  beforeEach(async () => {
    operator.env.BOTCTL_JOURNAL = await journalOn(where);
  });

  test('what is in doubt stays unknown, and is not said to be unsent', async () => {
    await operator.sandbox.faults({ kind: 'drop', when: 'after', times: 1 });
    expect(await operator.json(rent)).toMatchObject({ exit: 9 });
    await operator.run(['journal', 'close']);
    const again = await operator.json(rent);
    expect(again).toMatchObject({ exit: 9, outcome: 'unknown', error: { retry: 'decide' } });
    expect(again.error?.message).toMatch(/closed for sending/u);
    expect(again.error?.message).not.toMatch(/[Nn]othing was sent\b/u);
    await operator.run(['journal', 'open']);
    expect(await operator.json(rent)).toMatchObject({ exit: 0, outcome: 'accepted' });
    expect(await paid()).toHaveLength(1);
  });

  test('a batch that runs ends within the requests that it has in flight, and goes on when it is open', async () => {
    const gate = await operator.gate();
    const stalled = gate.holdNext('reply');
    const batch = batchOf(30, '--concurrency', '2', '--json');
    const running = operator.start(batch);
    await stalled;
    const { code } = await operator.apart(['journal', 'close']);
    const begun = (await paid()).length;
    gate.release();
    const ended = await running.ended;
    expect([code, ended.code, endIn(ended.stdout).error]).toMatchObject([0, 10, closed.error]);
    // One attempt a place may have been committed before the close was.
    expect((await paid()).length).toBeLessThanOrEqual(begun + 2);
    const before = (await paid()).length;
    expect(endIn(ended.stdout).result).toMatchObject({ done: before });
    await operator.run(['journal', 'open']);
    expect((await operator.apart(batch)).code).toBe(0);
    expect(await paid()).toHaveLength(30);
  });
});

test('a journal that lost entries is closed all the same', async () => {
  const journal = `${operator.home.path}/journal.db`;
  expect((await operator.apart([...rent, '--journal', journal])).code).toBe(0);
  const copy = `${operator.home.path}/copy.db`;
  expect((await operator.apart(['journal', 'backup', copy, '--journal', journal])).code).toBe(0);
  expect((await operator.apart([...rent.slice(0, -1), 'two', '--repeat', '--journal', journal])).code).toBe(
    0,
  );
  expect((await operator.shell(`rm ${journal}-wal ${journal}-shm; cp ${copy} ${journal}`)).code).toBe(0);
  expect((await operator.apart(['journal', 'close', '--journal', journal])).code).toBe(0);
  expect((await operator.apart(['journal', 'accept-loss', '--yes', '--journal', journal])).code).toBe(0);
  expect(
    await operator.jsonApart([...rent.slice(0, -1), 'three', '--repeat', '--journal', journal]),
  ).toMatchObject(closed);
});

test('a runner’s role closes a journal, and only its owner opens it', async () => {
  const place = await newSharedPlace();
  const role = `runs_in_${place.schema}`;
  await onServer(place, async (client) => {
    await client.query(`CREATE ROLE ${role} LOGIN PASSWORD 'p'`);
    await client.query(grantsSql(place.schema, role));
  });
  const runner = asRole(place.url, role, 'p');
  const by = (url: string, ...argv: readonly string[]) =>
    operator.json(argv, { env: { BOTCTL_JOURNAL: url } });
  const asRunner = (sql: string) => onServer({ ...place, url: runner }, (client) => client.query(sql));
  expect(await by(runner, 'journal', 'close')).toMatchObject({ exit: 0 });
  const refused = await by(runner, 'journal', 'open');
  expect(refused).toMatchObject({ exit: 2, error: { message: expect.stringContaining('may not open it') } });
  const at = `${place.schema}.closings`;
  for (const sql of [
    `UPDATE ${at} SET ended_at = 1, ended_by = 'x'`,
    `DELETE FROM ${at}`,
    `TRUNCATE ${at}`,
    `INSERT INTO ${at} (kind, who, reason) VALUES ('moved', 'x', 'elsewhere')`,
    `INSERT INTO ${at} (who, reason, at) VALUES ('x', '', 1)`,
    `INSERT INTO ${at} (who, reason, seq) VALUES ('x', '', 99)`,
    `ALTER TABLE ${at} DISABLE TRIGGER USER`,
    `DROP TABLE ${at}`,
  ])
    await expect(asRunner(sql), sql).rejects.toThrow(/permission denied|must be owner/u);
  expect(await by(runner, ...rent)).toMatchObject(closed);
  expect(await by(place.url, 'journal', 'open')).toMatchObject({ exit: 0, closed: false });
  expect(await by(runner, ...rent)).toMatchObject({ exit: 0 });
});
