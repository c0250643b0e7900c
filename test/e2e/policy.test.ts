import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { botctlHere } from '../../testing/builtHere.ts';
import { type Exited, SandboxHome, said } from '../../testing/sandboxHome.ts';

const ada = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';

let operator: SandboxHome;
beforeEach(async () => {
  operator = await SandboxHome.open();
});
afterEach(() => operator.close());

/** A folder that only its user can write to, as a policy's must be. */
function writePolicy(policy: unknown, name = 'policy.json'): string {
  const folder = join(operator.home.path, 'policies');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, name);
  writeFileSync(path, typeof policy === 'string' ? policy : JSON.stringify(policy), { mode: 0o600 });
  chmodSync(path, 0o600);
  return path;
}

const base = { schema: 'botctl-policy/1', fresh_journal: 'allow' };

/** Runs a command of the profile `bot`, which has this policy. */
async function held(
  policy: unknown,
  argv: readonly string[],
  more: { machine?: unknown } = {},
): Promise<Exited & { stderr: string }> {
  useProfile(writePolicy(policy));
  return runHeld(argv, more);
}

function useProfile(policy: string | undefined): void {
  operator.home.writeConfig({
    version: 1,
    'in-use': 'bot',
    profiles: {
      bot: {
        'base-url': operator.sandbox.baseUrl,
        token: { kind: 'stored', secret: operator.sandbox.tokens.full },
        ...(policy === undefined ? {} : { policy }),
      },
    },
  });
}

async function runHeld(
  argv: readonly string[],
  { machine }: { machine?: unknown } = {},
): Promise<Exited & { stderr: string }> {
  const machinePolicy = machine === undefined ? '/none/policy.json' : writePolicy(machine, 'machine.json');
  const ran = await botctlHere([...argv, '--retries', '0', '--max-wait', '0s', '--json'], {
    env: operator.home.env,
    machinePolicy,
  });
  return { ...said(ran), exit: ran.code, stderr: ran.stderr };
}

const pay = (once: string, amount: string, to = ada): string[] => [
  ...['transfer', '--once', once, '--to', to, '--asset', 'SOL', '--amount', amount],
];

describe('a limit', () => {
  test('of one transfer refuses a larger one, and says which rule and what is allowed', async () => {
    const limits = { SOL: { transfer: '0.5' } };
    const refused = await held({ ...base, limits }, pay('rent', '0.500000001'));
    expect(refused).toMatchObject({
      exit: 2,
      error: { code: 'policy-limit', retry: 'after-fix', remaining: '0.5' },
    });
    expect(refused.error?.message).toMatch(
      /allows 0\.5 SOL in one transfer, and this is 0\.500000001 SOL.*Nothing was sent/u,
    );
    expect(await held({ ...base, limits }, pay('rent', '0.5'))).toMatchObject({ exit: 0 });
    expect(await operator.sandbox.ledger()).toHaveLength(1);
  });

  test('of a day counts what was sent before, and says what is left and when more is free', async () => {
    const policy = { ...base, limits: { SOL: { day: '1' } } };
    expect(await held(policy, pay('one', '0.7'))).toMatchObject({ exit: 0 });
    const refused = await runHeld(pay('two', '0.4'));
    expect(refused).toMatchObject({ exit: 2, error: { code: 'policy-limit', remaining: '0.3' } });
    const freeAt = Date.parse((refused.error as { free_at?: string }).free_at ?? '');
    expect(freeAt - Date.now()).toBeGreaterThan(23 * 3_600_000);
    expect(freeAt - Date.now()).toBeLessThanOrEqual(25 * 3_600_000);
    expect(await runHeld(pay('three', '0.3'))).toMatchObject({ exit: 0 });
    // A replay costs nothing.
    expect(await runHeld(pay('one', '0.7'))).toMatchObject({ exit: 0, replayed: true });
    expect(await operator.sandbox.ledger()).toHaveLength(2);
  });

  test('counts what was spent before there was a policy', async () => {
    useProfile(undefined);
    expect(await runHeld(pay('one', '0.7'))).toMatchObject({ exit: 0 });
    const policy = { ...base, limits: { SOL: { day: '1' } } };
    expect(await held(policy, pay('two', '0.4'))).toMatchObject({ exit: 2, error: { remaining: '0.3' } });
  });
});
