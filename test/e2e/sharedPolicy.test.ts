import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { grantsSql } from '../../src/postgres/upkeep.ts';
import { botctl } from '../../testing/botctl.ts';
import { botctlHere } from '../../testing/builtHere.ts';
import { asRole } from '../../testing/postgres/asRole.ts';
import { newSharedJournal } from '../../testing/postgres/newJournal.ts';
import { type PostgresServer, sharedServer } from '../../testing/postgres/server.ts';
import { type Exited, SandboxHome, said } from '../../testing/sandboxHome.ts';
import { onTerminalHere } from '../../testing/terminalHere.ts';

const ada = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';

let server: PostgresServer;
beforeAll(async () => {
  server = await sharedServer();
});

let operator: SandboxHome;
let url: string;
beforeEach(async () => {
  operator = await SandboxHome.open();
  url = await newSharedJournal(server);
});
afterEach(() => operator.close());

const base = { schema: 'botctl-policy/1', fresh_journal: 'allow' };
const writePolicy = (policy: unknown, name?: string): string => operator.home.policy(policy, name);

function useProfile(policy?: string, baseUrl = operator.sandbox.baseUrl): void {
  operator.useProfiles({ bot: { 'base-url': baseUrl, policy } }, 'bot');
}

async function run(argv: readonly string[], journal = url): Promise<Exited> {
  const env = { ...operator.home.env, BOTCTL_JOURNAL: journal };
  const ran = await botctlHere([...argv, '--json'], { env });
  return { ...said(ran), exit: ran.code };
}

const pay = (once: string, amount: string, to = ada): string[] => [
  ...['transfer', '--once', once, '--to', to, '--asset', 'SOL', '--amount', amount],
];

test('a shared journal’s own policy holds whoever sends through it, what was sent before included', async () => {
  useProfile();
  expect(await run(pay('before', '0.4'))).toMatchObject({ exit: 0 });
  const limits = { SOL: { day: '1' } };
  const policy = writePolicy({ ...base, limits, recipients: { ada } });
  expect(await run(['policy', 'set', policy])).toMatchObject({ exit: 0, number: 1 });
  expect(await run(pay('one', '0.5', '@ada'))).toMatchObject({
    exit: 0,
    intent: { request: { to_address: ada } },
  });
  expect(await run(pay('two', '0.2'))).toMatchObject({
    exit: 2,
    error: { code: 'policy-limit', remaining: '0.1', retry: 'after-fix' },
  });
  expect(await run(['policy', 'show'])).toMatchObject({
    exit: 0,
    policies: [{ source: 'of the journal' }],
    left: [{ asset: 'SOL', spent: '0.9', remaining: '0.1' }],
  });
  expect(await operator.sandbox.ledger()).toHaveLength(2);
  const metrics = join(operator.home.path, 'botctl.prom');
  await run(['doctor', '--prometheus', metrics]);
  expect(readFileSync(metrics, 'utf8')).toContain('botctl_policy_left{asset="SOL"} 0.1\n');
});

test('a shared journal’s own policy applies however it spells an asset, and none is stored whose limits lack one', async () => {
  useProfile();
  const limits = { usdc: { transfer: '5', day: '9' } };
  const lacking = writePolicy({ ...base, limits, approve_above: { EURC: '1' } });
  expect(await run(['policy', 'set', lacking])).toMatchObject({
    exit: 2,
    error: { message: expect.stringContaining('approve_above.EURC has no line in limits') },
  });
  await run(['policy', 'set', writePolicy({ ...base, limits, approve_above: { Usdc: '1' } })]);
  const usdc = (once: string, amount: string): string[] =>
    pay(once, amount).map((word) => (word === 'SOL' ? 'USDC' : word));
  expect(await run(usdc('large', '6'))).toMatchObject({ exit: 2, error: { code: 'policy-limit' } });
  expect(await run(usdc('more', '2'))).toMatchObject({ exit: 10, intent: { why: 'approval' } });
  expect(await run(usdc('less', '1'))).toMatchObject({ exit: 0 });
  expect(await run(['policy', 'show'])).toMatchObject({ left: [{ asset: 'usdc', spent: '1' }] });
});

test('a machine’s own policy applies as well, and needs a journal that counts', async () => {
  const own = { ...base, limits: { SOL: { day: '0.3' } } };
  useProfile(writePolicy(own, 'own.json'));
  expect(await run(pay('one', '0.2'))).toMatchObject({ exit: 2, error: { code: 'policy-journal' } });
  const shared = writePolicy({ ...own, limits: { SOL: {} }, approve_above: { SOL: '0.25' } }, 'shared.json');
  await run(['policy', 'set', shared]);
  expect(await run(pay('one', '0.2'))).toMatchObject({ exit: 0 });
  expect(await run(pay('two', '0.2'))).toMatchObject({ exit: 2, error: { remaining: '0.1' } });
  useProfile();
  const held = await run(pay('big', '0.5'));
  expect(held).toMatchObject({ exit: 10, outcome: 'held', intent: { why: 'approval', attempts: 0 } });
  const { id } = held.intent as { id: string };
  expect(await run(['approve', id, '--yes'])).toMatchObject({ exit: 0, outcome: 'accepted' });
  const proposed = await run([...pay('later', '0.1'), '--propose']);
  await run(['decline', (proposed.intent as { id: string }).id, '--reason', 'not wanted']);
  expect(await run([...pay('later', '0.12'), '--propose'])).toMatchObject({ exit: 6 });
  const anew = await run([...pay('later-corrected', '0.12'), '--propose']);
  for (const { exit, intent } of [proposed, anew])
    expect({ exit, intent }).toMatchObject({ exit: 10, intent: { why: 'approval', proposed: true } });
  expect(await operator.sandbox.ledger()).toHaveLength(2);
});

test('a command that runs while the journal is given another policy stops, and run again goes by the new one', async () => {
  const gate = await operator.gate();
  useProfile(undefined, gate.baseUrl);
  const policy = (day: string): string => writePolicy({ ...base, limits: { SOL: { day } } });
  await run(['policy', 'set', policy('5')]);
  const rows = Array.from({ length: 12 }, (_, n) => `r${n},${ada},SOL,0.1\n`).join('');
  const batch = ['batch', 'transfer', '-', '--once', 'b', '--json', '--max-wait', '0s'];
  const start = {
    env: { ...operator.home.env, BOTCTL_JOURNAL: url },
    stdin: `id,to_address,asset,amount\n${rows}`,
  };
  const held = gate.holdNext('request');
  const running = botctl([...batch, '--concurrency', '1'], start);
  await held;
  expect(await run(['policy', 'set', policy('0.5')])).toMatchObject({ exit: 0, number: 2 });
  gate.release();
  const ran = await running;
  expect(ran.code).not.toBe(0);
  expect(ran.stdout).toContain('The journal’s policy changed after this command started');
  // What it had claimed by then is sent to its end.
  const before = (await operator.sandbox.ledger()).length;
  expect(before).toBeLessThan(12);
  const again = await botctlHere(batch, start);
  expect(again.stdout).toContain('"policy-limit"');
  expect((await operator.sandbox.ledger()).length).toBe(before);
});

describe('a shared journal', () => {
  const name = (who: string): string => `${who}_of_${new URL(url).pathname.slice(1)}`;
  const newRole = async (who: string): Promise<void> => {
    await server.query(`CREATE ROLE ${name(who)} LOGIN PASSWORD 'secret'`);
    await server.query(grantsSql('botctl', name(who), 'run').replace(/^(?:BEGIN|COMMIT);$/gmu, ''), [], url);
  };
  /** The same user on the same machine, in the role of that name. */
  const runAs = (who: string, argv: readonly string[]): Promise<Exited> =>
    run(argv, asRole(url, name(who), 'secret'));
  const other = (): string =>
    writePolicy({ schema: 'botctl-policy/1', limits: { SOL: {} }, approvals: 'other' }, 'other.json');

  test('takes no policy that would keep everybody from approving: with one role, or with superusers alone', async () => {
    for (const sentence of ['but no role except superusers', `but only the role ${name('bots')}`]) {
      const refused = await run(['policy', 'set', other()]);
      expect(refused).toMatchObject({ exit: 2, error: { code: 'not-allowed-now' } });
      expect(JSON.stringify(refused.error)).toContain(sentence);
      if (sentence.includes('superusers')) await newRole('bots');
    }
    expect(await run(['policy', 'show'])).toMatchObject({ policies: [] });
    await newRole('ada');
    expect(await run(['policy', 'set', other()])).toMatchObject({ exit: 0, number: 1 });
  });

  test('tells who proposed from who approves by the database role, and keeps both', async () => {
    useProfile();
    for (const who of ['bots', 'ada']) await newRole(who);
    await run(['policy', 'set', other()]);
    const proposed = await runAs('bots', [...pay('rent', '0.4'), '--propose']);
    const { id } = proposed.intent as { id: string };
    expect(proposed).toMatchObject({ exit: 10, decisions: [{ kind: 'proposed', role: name('bots') }] });
    const own = await runAs('bots', ['approve', id, '--yes']);
    expect(own).toMatchObject({ exit: 10, outcome: 'held', error: { code: 'own-proposal' } });
    expect(JSON.stringify(own.error)).toContain(`(database role ${name('bots')}) asked for it at`);
    expect(await operator.sandbox.ledger()).toEqual([]);
    expect(await runAs('ada', ['approve', id, '--yes'])).toMatchObject({
      exit: 0,
      outcome: 'accepted',
      decisions: [
        { kind: 'proposed', role: name('bots') },
        { kind: 'approved', role: name('ada') },
      ],
    });
    expect(await operator.sandbox.ledger()).toHaveLength(1);
  });

  test('the proposer swaps nothing under the question of who must approve it', async () => {
    useProfile();
    for (const who of ['bots', 'ada']) await newRole(who);
    await run(['policy', 'set', other()]);
    const { intent } = await runAs('bots', [...pay('rent', '0.4'), '--propose']);
    const { id } = intent as { id: string };
    const env = (who: string) => ({
      ...operator.home.env,
      BOTCTL_JOURNAL: asRole(url, name(who), 'secret'),
    });
    const bots = `BOTCTL_JOURNAL='${env('bots').BOTCTL_JOURNAL}' botctl`;
    const swapping = `${bots} decline ${id} --reason x\n${bots} ${pay('rent', '4').join(' ')} --propose`;
    const { code } = await onTerminalHere(['approve', id], [['[y/N] ', 'y\r', swapping]], env('ada'));
    expect(await operator.sandbox.ledger()).toEqual([]);
    expect(code).toBe(10);
  });

  test('keeps who declined, and the same command says so on every machine', async () => {
    useProfile();
    await newRole('ada');
    const { intent } = await run([...pay('rent', '0.4'), '--propose']);
    const { id } = intent as { id: string };
    expect(await runAs('ada', ['decline', id, '--reason', 'too much'])).toMatchObject({ exit: 0 });
    const told = await run(pay('rent', '0.4'));
    expect(told).toMatchObject({ exit: 10, error: { code: 'proposal-declined' } });
    expect(JSON.stringify(told.error)).toContain(`(database role ${name('ada')}) declined this transfer`);
    expect(await run(pay('rent', '0.3'))).toMatchObject({ exit: 6, error: { code: 'other-body' } });
    expect(await run(pay('rent-2', '0.3'))).toMatchObject({ exit: 0, outcome: 'accepted' });
    expect(await operator.sandbox.ledger()).toHaveLength(1);
  });
});
