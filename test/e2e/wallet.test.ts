import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SkippingClock } from '../support/builtHere.ts';
import { damageJournal } from '../support/damageJournal.ts';
import { type Exited, payAda, SandboxHome } from '../support/sandboxHome.ts';

let operator: SandboxHome;
beforeEach(async () => {
  operator = await SandboxHome.openWithNode(new SkippingClock());
  await operator.sandbox.readings({ slot_ms: 0 });
});
afterEach(() => operator.close());

type Stray = { signature: string; at: string; paid: { amount: string; to: string[]; mint?: string }[] };
type Looked = Exited & {
  wallet: string;
  read: number;
  gap?: string;
  not_in_journal: Stray[];
  without_signature: string[];
};

const json = async (...argv: string[]): Promise<Looked> => (await operator.json(argv)) as Looked;
const look = (...more: string[]): Promise<Looked> => json('verify', '--wallet', ...more);
const pay = async (name: string, ...more: string[]): Promise<string> => {
  const paid = await json(...payAda, '--once', name, '--repeat', ...more);
  return String(paid.transfer?.signature);
};
const strays = ({ not_in_journal: found }: Looked): string[] => found.map(({ signature }) => signature);
/** What another tool pays with the same token. */
const leak = async (body: object): Promise<string> =>
  String((await operator.sandbox.post('transfer', { to_address: payAda[2], ...body })).json.signature);

describe('the wallet against the journal', () => {
  test('a payment of another tool with the same token is found, and nothing is written', async () => {
    await pay('first');
    const [sol, usdc] = [
      await leak({ asset: 'SOL', amount: '0.25' }),
      await leak({ asset: 'USDC', amount: '2' }),
    ];
    await pay('second', '--wait');
    const before = readFileSync(operator.journal);
    const found = await look();
    expect(found).toMatchObject({
      exit: 10,
      wallet: operator.sandbox.node.wallet,
      ...{ read: 4, without_signature: [] },
      not_in_journal: [
        { signature: usdc, paid: [{ amount: '2', to: [payAda[2]] }] },
        { signature: sol, paid: [{ amount: '0.25', to: [payAda[2]] }] },
      ],
      error: { code: 'not-in-journal', retry: 'decide' },
    });
    expect(found).not.toHaveProperty('gap');
    expect(readFileSync(operator.journal)).toEqual(before);
    const shown = await operator.run(['verify', '--wallet', '--since', '1d']);
    expect(shown.code).toBe(10);
    expect(shown.stdout).toMatch(new RegExp(`0\\.25 SOL to ${payAda[2]}, [\\dT:-]+Z: ${sol}`, 'u'));
    expect(shown.stdout.replaceAll(/\s+/gu, ' ')).toContain(`2 USDC to ${payAda[2]}`);
    expect(shown.stderr).toContain('2 payments left the wallet without an entry in this journal.');
  });

  test('what a restored journal has forgotten is found: it is lost, closed, or moved', async () => {
    await pay('first');
    const backup = join(operator.home.path, 'backup.db');
    await operator.run(['journal', 'backup', backup]);
    const later = await pay('later');
    for (const beside of ['', '-wal', '-shm']) rmSync(`${operator.journal}${beside}`, { force: true });
    copyFileSync(backup, operator.journal);
    const found = await look();
    expect([found.exit, strays(found)]).toEqual([10, [later]]);
    expect((await json(...payAda, '--once', 'later')).exit).toBe(1);
    const elsewhere = await look('--journal', backup);
    expect([elsewhere.exit, strays(elsewhere)]).toEqual([10, [later]]);
    damageJournal(backup, `INSERT INTO closings (kind, who, at, reason) VALUES ('moved', 'w', 1, 'there')`);
    const moved = await look('--journal', backup);
    expect([moved.exit, strays(moved)]).toEqual([10, [later]]);
  });

  test('what a lying service paid under another signature is found, and who may have made it', async () => {
    await pay('first');
    await operator.sandbox.readings({ reply_signature: 'previous', slot_ms: 0 });
    const lied = await json(...payAda, '--once', 'second', '--repeat');
    const [, own] = (await operator.sandbox.ledger()) as { signature?: string }[];
    const found = await look();
    expect([found.exit, strays(found)]).toEqual([10, [own?.signature]]);
    await operator.sandbox.readings({ omit_fields: ['signature'], slot_ms: 0 });
    const unsigned = await json(...payAda, '--once', 'third', '--repeat');
    const named = await look();
    expect([unsigned.exit, named.without_signature]).toEqual([0, [unsigned.entry?.id]]);
    expect(named.error?.message).toContain(
      `1 entry has no signature and may have made some: ${unsigned.entry?.id}.`,
    );
    expect(lied.entry?.state).toBe('held');
  });

  test('stands alone, and is refused without a journal, an entry to begin with, or a wallet', async () => {
    const code = async (...argv: string[]): Promise<unknown[]> => {
      const { exit, error } = await json('verify', '--wallet', ...argv);
      return [exit, error?.code];
    };
    expect(await code('--since', '7d')).toEqual([2, 'no-such-journal']);
    mkdirSync(dirname(operator.journal), { recursive: true, mode: 0o700 });
    writeFileSync(operator.journal, '', { mode: 0o600 });
    expect(await code('--since', '7d')).toEqual([2, 'no-such-journal']);
    expect(readFileSync(operator.journal)).toHaveLength(0);
    await operator.run(['send', '-c', 'conv_demo', '-m', 'hello', '--dry-run']);
    rmSync(operator.journal);
    await operator.run(['resume', '--all']);
    expect(await code()).toEqual([2, 'usage']);
    expect(await code('--since', '7d')).toEqual([9, 'unproven']);
    expect(await code('--all')).toEqual([2, 'usage']);
    expect(await code('some-id')).toEqual([2, 'usage']);
    await operator.run(['config', 'unset', 'payer', 'wallet']);
    expect(await code('--since', '7d')).toEqual([2, 'no-wallet']);
  });
});
