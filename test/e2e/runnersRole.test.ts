// What a runner's role can make of an approval and of a closed journal on a server, with exactly the rights that `journal migrate` prints.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { grantsSql } from '../../src/postgres/upkeep.ts';
import { SkippingClock } from '../support/builtHere.ts';
import { asRole } from '../support/postgres/asRole.ts';
import { newSharedPlace, onServer, type SharedPlace } from '../support/postgres/sharedJournal.ts';
import { payAda, SandboxHome } from '../support/sandboxHome.ts';

const clock = new SkippingClock();
let operator: SandboxHome;
let place: SharedPlace;
let runner: string;
beforeEach(async () => {
  operator = await SandboxHome.open(clock);
  place = await newSharedPlace();
  const role = `runs_in_${place.schema}`;
  await onServer(place, async (client) => {
    await client.query(`CREATE ROLE ${role} LOGIN PASSWORD 'p'`);
    await client.query(grantsSql(place.schema, role));
  });
  runner = asRole(place.url, role, 'p');
});
afterEach(() => operator.close());

const by = (url: string, argv: readonly string[]) => operator.json(argv, { env: { BOTCTL_JOURNAL: url } });
const rent = [...payAda.slice(0, -1), '2', '--once', 'rent'];
const paid = () => operator.sandbox.ledger({ kind: 'transfer' });
const asRunner = (sql: string) => onServer({ ...place, url: runner }, (client) => client.query(sql));

function usePolicy(more: object): void {
  const limits = { SOL: {} };
  const policy = operator.home.policy({
    schema: 'botctl-policy/1',
    limits,
    approve_above: { SOL: '1' },
    ...more,
  });
  operator.useProfiles({ bot: { policy } }, 'bot');
}

describe('with the rights of a runner', () => {
  test('what was proposed is not opened without the decision of a person', async () => {
    usePolicy({});
    expect(await by(runner, rent)).toMatchObject({ exit: 10, outcome: 'held' });
    const open = `UPDATE ${place.schema}.entries SET state = 'open', why = NULL`;
    await expect(asRunner(open)).rejects.toThrow('no entry moves between these states');
    await expect(asRunner(`UPDATE ${place.schema}.entries SET approved = 1`)).rejects.toThrow(
      'does not exist',
    );
    const env = { BOTCTL_JOURNAL: place.url };
    expect(await operator.run(['resume', '--all', '--yes'], { env })).toMatchObject({ code: 0 });
    expect(await paid()).toEqual([]);
  });

  test('a body that was shown and approved is not replaced, with a proposal or without one', async () => {
    usePolicy({});
    const { entry } = await by(runner, rent);
    await asRunner(`INSERT INTO ${place.schema}.entries (id, kind, base_url, bot, named_by, name, key, identity, fingerprint,
        payment, body, state, why, created_at, updated_at)
      SELECT 'aaaaaaaaaaaa', kind, base_url, bot, named_by, 'inserted', 'other', identity, fingerprint, payment, body, state,
        why, created_at, updated_at FROM ${place.schema}.entries`);
    for (const id of [entry?.id ?? '', 'aaaaaaaaaaaa']) {
      expect(await by(place.url, ['approve', id, '--yes'])).toMatchObject({ exit: 0, outcome: 'open' });
      const swap = `UPDATE ${place.schema}.entries SET fingerprint = 'f' WHERE id = '${id}'`;
      await expect(asRunner(swap)).rejects.toThrow('the body of an entry is frozen');
    }
  });

  test('no number of a row is written, by which a decision would be the latest', async () => {
    for (const table of ['entries', 'attempts', 'decisions', 'receipts', 'observations', 'losses'])
      await expect(
        asRunner(`INSERT INTO ${place.schema}.${table} (seq) VALUES (1000000000000)`),
      ).rejects.toThrow('permission denied');
  });
});

describe('a policy that wants another role to approve', () => {
  test('lets the proposal wait when its own role approves it, and pays once another has', async () => {
    usePolicy({ approvals: 'other' });
    const proposed = await by(runner, rent);
    expect(proposed).toMatchObject({ exit: 10, outcome: 'held' });
    const approve = ['approve', proposed.entry?.id ?? '', '--yes'];
    expect(await by(runner, approve)).toMatchObject({
      exit: 2,
      error: { code: 'not-allowed-now', message: expect.stringContaining('still waits for approval') },
    });
    expect(await by(runner, ['history', ...approve.slice(1, 2)])).toMatchObject({ entry: { state: 'held' } });
    expect(await by(place.url, approve)).toMatchObject({ exit: 0, outcome: 'open' });
    expect(await by(runner, rent)).toMatchObject({ exit: 0, outcome: 'accepted' });
    expect(await paid()).toHaveLength(1);
  });

  test('asks for it anew where its own role had approved before the policy wanted another', async () => {
    usePolicy({});
    const { entry } = await by(runner, rent);
    const approve = ['approve', entry?.id ?? '', '--yes'];
    expect(await by(runner, approve)).toMatchObject({ exit: 0 });
    usePolicy({ approvals: 'other' });
    expect(await by(runner, rent)).toMatchObject({ exit: 10, outcome: 'held' });
    expect(await by(runner, approve)).toMatchObject({ exit: 2 });
    expect(await by(place.url, approve)).toMatchObject({ exit: 0, outcome: 'open' });
    expect(await by(runner, rent)).toMatchObject({ exit: 0, outcome: 'accepted' });
    expect(await paid()).toHaveLength(1);
  });
});

test('a runner’s role closes a journal, and only its owner opens it', async () => {
  expect(await by(runner, ['journal', 'close'])).toMatchObject({ exit: 0 });
  const refused = await by(runner, ['journal', 'open']);
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
  expect(await by(runner, rent)).toMatchObject({
    ...{ exit: 10, error: { code: 'journal-closed', retry: 'decide' } },
  });
  expect(await by(place.url, ['journal', 'open'])).toMatchObject({ exit: 0, closed: false });
  expect(await by(runner, rent)).toMatchObject({ exit: 0 });
});
