import { readFileSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { payAda, SandboxHome } from '../support/sandboxHome.ts';

let operator: SandboxHome;
beforeEach(async () => {
  operator = await SandboxHome.open();
});
afterEach(() => operator.close());

const transfers = async (): Promise<number> => (await operator.sandbox.ledger({ kind: 'transfer' })).length;

test('a journal of the first edition is neither used nor changed, and every command says why', async () => {
  expect((await operator.run([...payAda, '--yes'])).code).toBe(0);
  const journal = new DatabaseSync(operator.journal);
  journal.exec('PRAGMA user_version = 2; PRAGMA wal_checkpoint(TRUNCATE)');
  journal.close();
  const before = readFileSync(operator.journal);
  const commands: readonly (readonly [readonly string[], end: RegExp])[] = [
    [[...payAda, '--yes'], /\. Nothing was sent this time\.$/u],
    [['history'], /unchanged\.$/u],
    [['journal', 'accept-loss', '--yes'], /\. Nothing was changed\.$/u],
    [['journal', 'backup', join(dirname(operator.journal), 'copy.db')], /\. Nothing was changed\.$/u],
  ];
  for (const [argv, end] of commands) {
    const refused = await operator.json(argv);
    expect(refused).toMatchObject({ exit: 1, error: { code: 'journal-schema', retry: 'after-fix' } });
    expect(refused.error?.message).toMatch(
      /has the journal version 2, and this botctl needs version \d+\. It was left unchanged/u,
    );
    expect(refused.error?.message).toMatch(end);
  }
  expect((await operator.run(['doctor'])).stdout).toMatch(/✗? *journal.*this botctl needs version/u);
  expect(readFileSync(operator.journal).equals(before)).toBe(true);
  expect(await transfers()).toBe(1);
});

describe('a journal whose files go away while something is sent', () => {
  test('after the bytes: what came back is told, and that it is not on record', async () => {
    const gate = await operator.gate();
    const came = gate.holdNext('reply');
    const { ended } = operator.start([...payAda, '--yes']);
    await came;
    renameSync(operator.journal, `${operator.journal}.moved`);
    gate.release();
    const { code, stdout, stderr } = await ended;
    expect(code).toBe(9);
    expect(stdout).toMatch(/Signature/u);
    expect(stderr).toContain('journal.db is gone');
  });
});
