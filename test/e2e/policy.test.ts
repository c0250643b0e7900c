import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { botctl } from '../support/botctl.ts';
import { botctlHere, type SkippingClock } from '../support/builtHere.ts';
import { jsonLines, lastLine } from '../support/jsonOutput.ts';
import { foreignBin } from '../support/program.ts';
import { type Exited, SandboxHome, said } from '../support/sandboxHome.ts';
import { onTerminalHere } from '../support/terminalHere.ts';

const ada = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';

let operator: SandboxHome;
beforeEach(async () => {
  operator = await SandboxHome.open();
});
afterEach(() => operator.close());

const writePolicy = (policy: unknown, name?: string): string => operator.home.policy(policy, name);

const base = { schema: 'botctl-policy/1' };

/** Runs a command of the profile `bot`, which has this policy. */
async function held(
  policy: unknown,
  argv: readonly string[],
  more: { machine?: unknown } = {},
): Promise<Exited & { stderr: string }> {
  useProfile(writePolicy(policy));
  return runHeld(argv, more);
}

function useProfile(policy: string | undefined, baseUrl = operator.sandbox.baseUrl): void {
  operator.useProfiles({ bot: { 'base-url': baseUrl, policy } }, 'bot');
}

async function runHeld(
  argv: readonly string[],
  { machine, clock }: { machine?: unknown; clock?: SkippingClock } = {},
): Promise<Exited & { stderr: string }> {
  const machinePolicy = machine === undefined ? '/none/policy.json' : writePolicy(machine, 'machine.json');
  const ran = await botctlHere([...argv, '--max-wait', '0s', '--json'], {
    env: operator.home.env,
    machinePolicy,
    ...(clock === undefined ? {} : { clock }),
  });
  return { ...said(ran), exit: ran.code, stderr: ran.stderr };
}

const pay = (once: string, amount: string, to = ada): string[] => [
  ...['transfer', '--once', once, '--to', to, '--asset', 'SOL', '--amount', amount],
];

test('the small policy that the help shows works with a journal that is new', async () => {
  const { stdout } = await operator.run(['policy', 'check', '--help']);
  const [, shown = ''] = /describes every field:\s+(\{.*\})\n/su.exec(stdout) ?? [];
  expect((await operator.run(['policy', 'check', '-'], { stdin: shown })).code).toBe(0);
  const cut = await operator.run(['policy', 'check', '-'], { stdin: shown.slice(0, -1) });
  expect([cut.code, cut.stderr]).toEqual([2, expect.stringContaining('stdin')]);
  const pay = (amount: string) =>
    held(shown, ['transfer', '--to', ada, '--asset', 'SOL', '--amount', amount, '--once', amount]);
  expect((await pay('0.1')).exit).toBe(0);
  expect(await pay('5.1')).toMatchObject({ exit: 2, error: { code: 'policy-limit' } });
});

test.skipIf(foreignBin)(
  'two policies both hold, the machine’s always (not with BOTCTL_BIN: in /etc)',
  async () => {
    const own = { ...base, limits: { SOL: { transfer: '1' } } };
    const machine = { ...base, limits: { SOL: { transfer: '0.5' } } };
    expect(await held(own, pay('rent', '0.7'), { machine })).toMatchObject({
      exit: 2,
      error: { code: 'policy-limit', remaining: '0.5' },
    });
    useProfile(undefined);
    expect(await runHeld(pay('rent', '0.7'), { machine })).toMatchObject({ exit: 2 });
    expect(await runHeld(pay('rent', '0.5'), { machine })).toMatchObject({ exit: 0 });
  },
);

describe('a batch', () => {
  const rows = (...amounts: string[]): string =>
    `id,to_address,asset,amount\n${amounts.map((amount, n) => `r${n},@ada,SOL,${amount}\n`).join('')}`;
  const batch = async (stdin: string, more: readonly string[] = []): Promise<Exited> => {
    const ran = await botctlHere(
      ['batch', 'transfer', '-', '--once', 'b', '--json', '--max-wait', '0s', ...more],
      { env: operator.home.env, stdin },
    );
    return { ...(lastLine(ran.stdout) as Exited), exit: ran.code };
  };
  const policy = { ...base, limits: { SOL: { day: '1' } }, recipients: { ada } };

  test('is held to its limits whole, before its first row, by line, whatever is skipped', async () => {
    useProfile(writePolicy(policy));
    const refused = await batch(rows('0.4', '0.5', '0.2', '0.1', '0.1'), ['--skip-invalid']);
    expect(refused).toMatchObject({
      exit: 2,
      error: { code: 'policy-limit', remaining: '0.1' },
      refused: [
        { line: 4, id: 'r2' },
        { line: 6, id: 'r4' },
      ],
    });
    expect(await operator.sandbox.ledger()).toEqual([]);
    expect(await batch(rows('0.4', '0.5', '0.1'))).toMatchObject({ exit: 0 });
    expect(await batch(rows('0.4', '0.5', '0.1'))).toMatchObject({ exit: 0 });
  });

  const upTo = (limit: object): void =>
    useProfile(writePolicy({ ...base, limits: { SOL: limit }, recipients: { ada } }));

  test('counts as held what may have been made and is no longer allowed, before its run as after it', async () => {
    upTo({});
    await operator.sandbox.faults({ kind: 'drop', when: 'after', operation: 'transfer' });
    expect(await batch(rows('0.4'))).toMatchObject({ exit: 11 });
    upTo({ transfer: '0.3' });
    for (const more of [['--dry-run'], []])
      expect(await batch(rows('0.4'), more)).toMatchObject({ exit: 10, rows: { all: 1, held: 1 } });
    expect(await operator.sandbox.ledger()).toHaveLength(1);
  });

  test('leaves out a row whose equal payment has used up the limit of a day; another limit refuses it', async () => {
    upTo({});
    expect(await runHeld(pay('one', '0.4'))).toMatchObject({ exit: 0 });
    upTo({ transfer: '0.3' });
    const left = ['--skip-repeats', '--yes'];
    expect(await batch(rows('0.4'), left)).toMatchObject({ exit: 2, error: { code: 'policy-limit' } });
    upTo({ day: '0.5' });
    expect(await batch(rows('0.4'), ['--yes'])).toMatchObject({ exit: 10, error: { code: 'paid-already' } });
    expect(await batch(rows('0.4'), left)).toMatchObject({ exit: 0 });
    expect(await operator.sandbox.ledger()).toHaveLength(1);
  });

  test('stops where others spend what was left, and says when more is free', async () => {
    const gate = await operator.gate();
    const limits = { SOL: { day: '1' }, USDC: { day: '1' } };
    useProfile(writePolicy({ ...base, limits }), gate.baseUrl);
    const ofSol = Array.from({ length: 10 }, (_, n) => `s${n},${ada},SOL,0.1\n`);
    const ofUsdc = Array.from({ length: 4 }, (_, n) => `u${n},${ada},USDC,0.1\n`);
    const held1 = gate.holdNext('request');
    const running = botctl(
      ['batch', 'transfer', '-', '--once', 'b', '--json', '--concurrency', '1', '--max-wait', '0s'],
      { env: operator.home.env, stdin: `id,to_address,asset,amount\n${[...ofSol, ...ofUsdc].join('')}` },
    );
    await held1;
    expect(await runHeld(pay('meanwhile', '0.75'))).toMatchObject({ exit: 0 });
    gate.release();
    const ran = await running;
    expect([ran.code, jsonLines(ran.stdout).at(-1)]).toMatchObject([
      11,
      { error: { code: 'stopped', retry: 'after-fix', free_at: expect.any(String) } },
    ]);
    const ledger = await operator.sandbox.ledger();
    const sent = (asset: string): number => ledger.filter(({ request }) => request.asset === asset).length;
    // Two rows of 0.1 beside the 0.75.
    expect([sent('SOL'), sent('USDC')]).toEqual([3, 0]);
  });
});

test('a token and its mint are one asset to all limits, but each line allows its own spelling only', async () => {
  const mint = operator.sandbox.node.assets.USDC ?? '';
  // Another profile than the one that speaks names the mint.
  const useLimits = (more: object): void => {
    const policy = writePolicy({ ...base, ...more });
    operator.useProfiles({ bot: { policy }, other: { assets: { USDC: mint } } }, 'bot');
  };
  const of = (asset: string, amount: string): Promise<Exited> =>
    runHeld(pay(`${asset}-${amount}`, amount).map((word) => (word === 'SOL' ? asset : word)));
  const limits = { [mint]: { transfer: '9', day: '9' }, USDC: { transfer: '5', day: '5' } };
  useLimits({ limits, approve_above: { USDC: '4' } });
  expect(await of(mint, '6')).toMatchObject({ exit: 2, error: { code: 'policy-limit' } });
  expect(await of(mint, '4.5')).toMatchObject({ exit: 10, entry: { why: 'approval' } });
  expect(await of('USDC', '3')).toMatchObject({ exit: 0 });
  expect(await of(mint, '2.5')).toMatchObject({ exit: 2, error: { code: 'policy-limit', remaining: '2' } });
  expect(await of(mint, '2')).toMatchObject({ exit: 0 });
  useLimits({ limits: { USDC: { transfer: '5' } } });
  expect(await of(mint, '1')).toMatchObject({ exit: 2, error: { code: 'policy-asset' } });
  expect(await operator.sandbox.ledger()).toHaveLength(2);
});

test('a policy of the environment applies, and is named by its whole path', async () => {
  const path = writePolicy({ ...base, limits: { SOL: { transfer: '0.1' } } });
  for (const [BOTCTL_POLICY, code] of [
    [path, 'policy-limit'],
    ['policy.json', 'bad-input'],
  ] as const)
    expect(await operator.json(pay('rent', '0.5'), { env: { BOTCTL_POLICY } })).toMatchObject({
      ...{ exit: 2, error: { code } },
    });
  expect(await operator.sandbox.ledger()).toEqual([]);
});

test('at a terminal nobody is asked about a payment that a limit refuses, nor about one in a journal that is closed', async () => {
  useProfile(writePolicy({ ...base, limits: { SOL: { transfer: '1' } } }));
  const asked = await onTerminalHere(pay('rent', '2'), [], operator.home.env);
  expect([asked.code, asked.shown]).toEqual([2, expect.not.stringContaining('[y/N]')]);
  expect(await operator.sandbox.ledger()).toEqual([]);
  expect((await operator.run([...pay('first', '0.5'), '--yes'])).code).toBe(0);
  expect((await operator.run(['journal', 'close'])).code).toBe(0);
  const closed = await onTerminalHere(pay('rent', '0.5'), [], operator.home.env);
  expect([closed.code, closed.shown]).toEqual([10, expect.not.stringContaining('[y/N]')]);
});
