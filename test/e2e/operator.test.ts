import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { closedAfterTest } from '../support/closedAfterTest.ts';
import { jsonLines } from '../support/jsonOutput.ts';
import { startLoopback } from '../support/loopback.ts';
import { payAda, type Said, SandboxHome, sendHello } from '../support/sandboxHome.ts';
import { onTerminalHere } from '../support/terminalHere.ts';

let operator: SandboxHome;
beforeEach(async () => {
  operator = await SandboxHome.open();
});
afterEach(() => operator.close());

async function list(...argv: string[]): Promise<Said[]> {
  return jsonLines((await operator.run(['history', '--json', ...argv])).stdout) as Said[];
}

/** An entry of each state that an operator may find. */
async function mess(): Promise<{ unknown: string; held: string; open: string }> {
  const ids: Record<string, string> = {};
  const make = async (state: string, argv: readonly string[]): Promise<void> => {
    const { entry, outcome } = await operator.json(argv);
    expect(outcome).toBe(state);
    ids[state] = entry?.id ?? '';
  };
  const { faults } = operator.sandbox;
  await faults({ kind: 'drop', when: 'before', operation: 'transfer' });
  await make('unknown', payAda);
  await faults({ kind: 'reply', status: 200, body: 'OK', when: 'after', operation: 'message' });
  await make('held', sendHello);
  await faults({ kind: 'reply', status: 429, operation: 'message', headers: { 'Retry-After': '60' } });
  await make('open', ['send', '--conversation', 'conv_demo', '--content', 'limited']);
  await make('rejected', ['send', '--conversation', 'conv_none', '--content', 'nowhere']);
  await make('accepted', ['send', '--conversation', 'conv_demo', '--content', 'there']);
  return ids as Awaited<ReturnType<typeof mess>>;
}

describe('resume', () => {
  test('--all takes what is unknown, leaves what is open and held, and tells of each', async () => {
    const ids = await mess();
    const ended = await operator.apart(['resume', '--all', '--json']);
    expect(ended.code).toBe(0);
    expect((jsonLines(ended.stdout) as Said[]).map(({ entry }) => entry?.id)).toEqual([ids.unknown]);
    expect((await list('--state', 'open')).map(({ entry }) => entry?.id)).toEqual([ids.open]);
    expect((await list('--state', 'held')).map(({ entry }) => entry?.id)).toEqual([ids.held]);
    expect(await operator.sandbox.ledger({ kind: 'transfer' })).toHaveLength(1);
    const none = await operator.run(['resume', '--all']);
    expect(none).toMatchObject({ code: 0, stdout: '' });
    expect(none.stderr).toMatch(
      /nothing to resume\. 1 entry is open and was never sent.* 1 entry is held, waiting for you to decide/u,
    );
    expect(none.stderr).toMatch(/history --state open\n.*history --state held\n/u);
  });

  test('that is interrupted lets the flight land, leaves the rest, and is not all done', async () => {
    const gate = await operator.gate();
    for (const amount of ['0.01', '0.02']) {
      await operator.sandbox.faults({ kind: 'drop', when: 'before', operation: 'transfer' });
      expect((await operator.run([...payAda.slice(0, 6), amount])).code).toBe(9);
    }
    const came = gate.holdNext('reply');
    const { child, ended } = operator.start(['resume', '--all', '--json']);
    await came;
    const noted = new Promise<void>((resolve) => {
      child.stderr?.on('data', (said) => /Interrupted while/u.test(String(said)) && resolve());
    });
    child.kill('SIGINT');
    await noted;
    gate.release();
    const { code, stdout } = await ended;
    const lines = jsonLines(stdout) as Said[];
    expect(code).toBe(11);
    expect(lines.map(({ outcome, error }) => [outcome, error?.code])).toEqual([
      ['accepted', undefined],
      ['unknown', 'interrupted'],
    ]);
    expect(await operator.sandbox.ledger()).toHaveLength(1);
  });

  test('says where the profile is gone or has moved, leaves the entry, and goes on to the next', async () => {
    const run = (argv: readonly string[]) => operator.apart([...argv, '--json', '--max-wait', '0s']);
    operator.useProfiles({ gone: {}, moved: {}, stays: {} });
    const amounts = { gone: '0.01', moved: '0.02', stays: '0.03' };
    for (const [name, amount] of Object.entries(amounts)) {
      await operator.sandbox.faults({ kind: 'drop', when: 'before', operation: 'transfer' });
      expect((await run([...payAda.slice(0, 6), amount, '--profile', name])).code).toBe(9);
    }
    operator.useProfiles({ moved: { 'base-url': 'https://elsewhere.example' }, stays: {} });
    const ended = await run(['resume', '--all']);
    expect(ended.code).toBe(11);
    const lines = jsonLines(ended.stdout) as Said[];
    expect(lines.map(({ outcome, error }) => [outcome, error?.code])).toEqual([
      ['unknown', 'no-such-profile'],
      ['unknown', 'bot-moved'],
      ['accepted', undefined],
    ]);
    expect(await operator.sandbox.ledger()).toHaveLength(1);
    const one = await run(['resume', lines[0]?.entry?.id ?? '']);
    // What may have happened exits 9, whatever else is wrong.
    expect(one.code).toBe(9);
  });

  test('with a token of the environment and no base URL speaks for no entry of another token', async () => {
    const dropping = closedAfterTest(await startLoopback((socket) => socket.destroy()));
    const elsewhere = { env: { BOTCTL_TOKEN: 'token-of-elsewhere' } };
    const url = ['--base-url', `http://127.0.0.1:${dropping.port}`];
    const { exit, entry } = await operator.json([...sendHello, ...url], elsewhere);
    expect(exit).toBe(9);
    const id = entry?.id ?? '';
    Reflect.deleteProperty(operator.env, 'BOTCTL_BASE_URL');
    for (const which of ['--all', id]) {
      const ended = await operator.json(['resume', which]);
      const error = { code: 'other-token', retry: 'after-fix' };
      expect(ended).toMatchObject({ exit: 9, outcome: 'unknown', error });
      expect(JSON.stringify(ended)).not.toContain('--base-url');
      expect(ended.error?.message).toMatch(
        / Nothing was sent this time\. It may have been (?:made|sent) by an earlier request\.$/u,
      );
    }
    const own = await operator.json(['resume', id], elsewhere);
    expect(own).toMatchObject({ exit: 9, error: { code: 'unknown' }, entry: { attempts: 2 } });
  });
});

const onChain = '5rDWq8ntdFdPYUHNDAyGFUVv1oyPC5Y662Gbtokvvhm5vUVnpQqfnvJtAkSx9TRu7NFbRuVxik6xTsjYr9jRrz1c';

describe('resolve', () => {
  test.each([
    ['payment', 'transfer', payAda],
    ['message', 'message', sendHello],
  ] as const)(
    'as not happened lets a %s without a name go under the same key alone',
    async (_what, kind, argv) => {
      await operator.sandbox.faults({ kind: 'drop', when: 'after' });
      const lost = await operator.json([...argv, '--max-wait', '0s']);
      expect(lost).toMatchObject({ exit: 9, outcome: 'unknown' });
      const { id = '', key } = lost.entry ?? {};
      // The person is wrong: it did happen. Only the key keeps it from happening twice.
      const decided = ['resolve', id, '--did-not-happen', '--reason', 'not seen'];
      expect(await operator.json(decided)).toMatchObject({ exit: 0, outcome: 'resolved' });
      expect(await operator.json(argv)).toMatchObject({ entry: { id, key, attempts: 2 } });
      expect(await operator.sandbox.ledger({ kind })).toHaveLength(1);
    },
  );

  test('takes no signature that the service gave for another payment, also where no node is named', async () => {
    const ids = await mess();
    const other = await operator.json([...payAda, '--once', 'other', '--repeat']);
    const signature = String(other.transfer?.signature);
    const found = ['--happened', '--signature', signature, '--reason', 'seen on the chain'];
    const refused = await operator.json(['resolve', ids.unknown, ...found]);
    expect(refused).toMatchObject({ exit: 2, error: { code: 'not-allowed-now' } });
    expect((await list(ids.unknown))[0]?.outcome).toBe('unknown');
    const own = await operator.json(['resolve', ids.unknown, ...found.with(2, onChain)]);
    expect(own).toMatchObject({ exit: 0, outcome: 'resolved' });
  });

  test('asks before it reverses a decision, and shows what', async () => {
    const ids = await mess();
    await operator.run(['resolve', ids.unknown, '--happened', '--reason', 'seen']);
    const argv = ['resolve', ids.unknown, '--did-not-happen', '--reason', 'not seen'];
    const { code, shown } = await onTerminalHere(argv, [['[y/N] ', '\r']], operator.env);
    expect(code).toBe(130);
    for (const part of [payAda[2], '0.5 SOL', 'happened ("seen")']) expect(shown).toContain(part);
    expect((await onTerminalHere(argv, [['[y/N] ', 'y\r']], operator.env)).code).toBe(0);
  });
});

test('a name that a person gave up stands for its own body alone', async () => {
  await operator.sandbox.faults({ kind: 'reply', status: 429, operation: 'transfer' });
  const five = [...payAda.slice(0, -1), '5', '--once', 'rent', '--max-wait', '0s'];
  const { entry } = await operator.json(five);
  expect(entry).toMatchObject({ state: 'open' });
  const given = ['resolve', entry?.id ?? '', '--did-not-happen', '--reason', 'given up', '--yes'];
  expect(await operator.json(given)).toMatchObject({ exit: 0 });
  const six = [...payAda.slice(0, -1), '6', '--once', 'rent'];
  expect((await operator.run([...six, '--dry-run'])).code).toBe(6);
  expect(await operator.json(six)).toMatchObject({ exit: 6, error: { code: 'other-body' } });
  expect(await operator.json(five)).toMatchObject({ exit: 0, outcome: 'accepted' });
});
