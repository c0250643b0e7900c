import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { asRole } from '../support/postgres/asRole.ts';
import { newSharedJournal } from '../support/postgres/newJournal.ts';
import { type PostgresServer, startServer } from '../support/postgres/server.ts';
import { payAda, SandboxHome } from '../support/sandboxHome.ts';

const idleMs = 150;

/** As an administrator may have set it up, whose log is looked at. */
let server: PostgresServer;
let operator: SandboxHome;
let journal: string;
let logged: number;
beforeAll(async () => {
  server = await startServer({
    settings: { idle_session_timeout: `${idleMs}ms`, log_connections: 'on', log_statement: 'none' },
  });
});
afterAll(() => server.close());
beforeEach(async () => {
  operator = await SandboxHome.open();
  journal = await newSharedJournal(server);
  operator.env.BOTCTL_JOURNAL = journal;
  logged = wholeLog().length;
});
afterEach(() => operator.close());

const wholeLog = (): string => readFileSync(join(server.folder, 'log'), 'utf8');
/** What the server has said since the test began. */
const said = (): string => wholeLog().slice(logged);
const complaints = (): string[] => said().match(/(?:ERROR|FATAL):.*/gu) ?? [];

const pay = (name: string): string[] => [...payAda, '--once', name, '--repeat', '--yes'];

async function newRole(sql: string): Promise<string> {
  const role = `role_${Date.now()}`;
  await server.query(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'`);
  if (sql !== '') await server.query(sql.replaceAll('RUNNER', role), [], journal);
  return asRole(journal, role, 'secret');
}

async function grants(): Promise<string> {
  const { stdout } = await operator.run(['journal', 'migrate', '--quiet']);
  return stdout.replaceAll('"botctl_runner"', 'RUNNER');
}

test('a session that is idle for longer than the server allows is not ended', async () => {
  const gate = await operator.gate();
  const held = gate.holdNext('request');
  const paying = operator.jsonApart(pay('rent'));
  await held;
  const idle = `SELECT FROM pg_stat_activity WHERE application_name LIKE 'botctl%' AND state = 'idle'
    AND state_change < clock_timestamp() - interval '${2 * idleMs} ms'`;
  while (complaints().length === 0 && (await server.query(idle)).length === 0) await pause(20);
  gate.release();
  expect(await paying).toMatchObject({ exit: 0, outcome: 'accepted' });
  expect(complaints()).toEqual([]);
});

test('a role that may only read is told so, at once, and nothing is refused to it', async () => {
  operator.env.BOTCTL_JOURNAL = await newRole(
    `${await grants()}; ALTER ROLE RUNNER SET default_transaction_read_only = on`,
  );
  const refused = await operator.json(pay('rent'));
  expect(refused).toMatchObject({ exit: 1, error: { code: 'journal-not-writable', retry: 'after-fix' } });
  expect(refused.error?.message).toContain('the setting default_transaction_read_only is on');
  expect((await operator.run(['history'])).code).toBe(0);
  expect(complaints()).toEqual([]);
});

describe('the server’s log has no complaint', () => {
  test('of the first migration', async () => {
    operator.env.BOTCTL_JOURNAL = await server.newDatabase();
    expect((await operator.run(['journal', 'migrate'])).code).toBe(0);
    expect((await operator.run(['journal', 'migrate'])).code).toBe(0);
    expect(complaints()).toEqual([]);
  });

  test('but one of a wrong password', async () => {
    operator.env.BOTCTL_JOURNAL = (await newRole('')).replace(':secret@', ':wrong@');
    for (const words of [pay('rent'), ['history'], ['doctor'], ['journal', 'migrate']]) {
      logged = wholeLog().length;
      expect((await operator.run(words)).code).toBe(1);
      expect([words[0], complaints()]).toEqual([
        words[0],
        [expect.stringContaining('password authentication')],
      ]);
    }
  });
});
