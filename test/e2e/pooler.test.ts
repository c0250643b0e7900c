import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { closedAfterTest } from '../support/closedAfterTest.ts';
import { newSharedJournal } from '../support/postgres/newJournal.ts';
import { startPretendPooler } from '../support/postgres/pretendPooler.ts';
import { type PostgresServer, sharedServer } from '../support/postgres/server.ts';
import { payAda, SandboxHome } from '../support/sandboxHome.ts';

let server: PostgresServer;
let operator: SandboxHome;
let journal: string;
beforeAll(async () => {
  server = await sharedServer();
});
beforeEach(async () => {
  operator = await SandboxHome.open();
  journal = await newSharedJournal(server);
});
afterEach(() => operator.close());

const pay = (name: string): string[] => [...payAda, '--once', name, '--repeat', '--yes'];

test('a commit that another process of the server would make is refused, and nothing is sent', async () => {
  const pooler = closedAfterTest(await startPretendPooler(server));
  operator.env.BOTCTL_JOURNAL = pooler.through(journal);
  const refused = await operator.json(pay('rent'));
  expect(refused).toMatchObject({ exit: 1, error: { code: 'journal-schema', retry: 'after-fix' } });
  expect(refused.error?.message).toContain('A pooler in front of the journal');
  expect(await operator.sandbox.ledger({ kind: 'transfer' })).toEqual([]);
});
