import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SkippingClock } from '../support/builtHere.ts';
import { type Exited, payAda, SandboxHome } from '../support/sandboxHome.ts';
import { onTerminalHere } from '../support/terminalHere.ts';

let operator: SandboxHome;
beforeEach(async () => {
  operator = await SandboxHome.openWithNode(new SkippingClock());
  await operator.sandbox.readings({ slot_ms: 0 });
});
afterEach(() => operator.close());

type Candidate = { signature: string; slot: number; at: string; memo?: string };
type Searched = Exited & {
  candidates?: Candidate[];
  searched?: { since: string; until: string; gap?: string };
};

const told = async (...argv: string[]): Promise<Searched> => (await operator.json(argv)) as Searched;
const usdc = ['transfer', '--to', payAda[2], '--asset', 'USDC', '--amount', '1.25'];

/** Paid, but the reply was lost: nobody knows, and there is no signature. With --wait its slot is known. */
async function lose(words: readonly string[], when: 'before' | 'after' = 'after'): Promise<string> {
  await operator.sandbox.faults({ kind: 'drop', when });
  const { exit, entry } = await told(...words, '--wait');
  expect(exit).toBe(9);
  return entry?.id ?? '';
}

async function signatures(): Promise<string[]> {
  const effects = (await operator.sandbox.ledger()) as { signature?: string }[];
  return effects.flatMap(({ signature }) => signature ?? []);
}

describe('a payment in doubt without a signature', () => {
  test.each([
    ['SOL', payAda],
    ['a token', usdc],
  ])('is looked for in what left the wallet: %s', async (_what, pay) => {
    // More than this to the same recipient, and another entry's.
    await told(...pay.slice(0, -1), '7', '--once', 'earlier');
    const id = await lose([...pay, '--memo', 'rent "7"', '--once', 'a']);
    const [, signature = ''] = await signatures();
    const found = await told('verify', id);
    expect(found).toMatchObject({
      exit: 9,
      outcome: 'unknown',
      candidates: [{ signature, memo: 'rent "7"' }],
      searched: { since: expect.any(String), until: expect.any(String) },
      error: { code: 'unproven' },
    });
    expect(found.searched).not.toHaveProperty('gap');
    const [from = '', to = ''] = [found.searched?.since, found.searched?.until].map((at) => at?.slice(0, 19));
    expect(found.error?.message).toContain(`left the wallet between ${from}Z and ${to}Z,`);
    const at = found.candidates?.[0]?.at.slice(0, 19) ?? '';
    expect(from <= at && at <= to).toBe(true);
    // Only a person decides, so a program is told to look.
    expect(found.error?.hint).toMatch(/If none is this transfer, look again later\. A person must decide:$/u);
    expect(found.error?.next).toEqual([`botctl history ${id}`]);
    const asked = await onTerminalHere(['verify', id], [], operator.env);
    expect(asked.shown.replaceAll(/\s+/gu, '')).toContain(`--happened--signature${signature}`);
    const shown = await operator.run(['verify', id]);
    expect(shown.stderr).toContain(`left the wallet at ${found.candidates?.[0]?.at.slice(0, 19)}Z`);
    expect(shown.stderr).toContain(String.raw`with memo "rent \"7\"": ${signature}`);
    expect(await told('history', id)).toMatchObject({ outcome: 'unknown', decisions: [] });
  });

  test('that never left is said not to have left, and stays in doubt', async () => {
    await told(...payAda, '--once', 'earlier');
    const id = await lose([...payAda, '--once', 'a', '--repeat'], 'before');
    const { exit, candidates, error } = await told('verify', id);
    expect({ exit, candidates }).toEqual({ exit: 9, candidates: [] });
    expect(error?.message).toMatch(
      /No payment of 0\.5 SOL to 9WzD\w+ left the wallet between \S+Z and \S+Z, counting only finalized transactions\./u,
    );
  });

  test('is searched for who is asked by resolve, and only then', async () => {
    await told(...payAda, '--once', 'earlier');
    const id = await lose([...payAda, '--once', 'a', '--repeat']);
    const [, signature = ''] = await signatures();
    const words = ['resolve', id.slice(0, 8), '--happened', '--reason', 'seen in the wallet'];
    const asked = await onTerminalHere(words, [['[y/N] ', 'n\r']], operator.env);
    expect(asked.shown).toContain(signature);
    expect(asked.shown.replaceAll(/\s+/gu, ' ')).toContain('1 payment of exactly this left the wallet');
    expect(asked.shown).not.toContain('before the first request');
    const { stderr, code } = await operator.run([...words.with(1, id), '--yes']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  test('is not searched without a wallet, nor where all are verified', async () => {
    const id = await lose([...payAda, '--once', 'a', '--repeat']);
    expect((await operator.run(['verify', '--all'])).stderr).not.toContain('left the wallet');
    await operator.run(['config', 'unset', 'payer', 'wallet']);
    const asked = await told('verify', id);
    expect(asked).not.toHaveProperty('candidates');
    // No reply came, so there is no transfer ID to ask by.
    expect(asked.error?.hint).toMatch(/ or ask the service about it:$/u);
  });
});
