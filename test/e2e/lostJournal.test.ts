import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
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

/** What was done to the journal after the money went out. */
const hurts: readonly (readonly [string, (journal: string) => void])[] = [
  ['the journal removed', (journal) => rmSync(journal)],
  ['the journal emptied', (journal) => writeFileSync(journal, '')],
];

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

describe('a payment whose record was lost is not made again', () => {
  test.each(hurts)('%s: refused, with how much is missing and the way on', async (_what, hurt) => {
    expect((await operator.apart([...payAda, '--yes'])).code).toBe(0);
    hurt(operator.journal);
    const again = await operator.jsonApart([...payAda, '--yes']);
    expect(again).toMatchObject({ exit: 1, error: { code: 'journal-lost', retry: 'after-fix' } });
    expect(again.error?.message).toContain(
      'is gone, empty or replaced by another; it had at least 1 request',
    );
    expect(await transfers()).toBe(1);
  });

  test('an older backup put back is refused, and the loss can be accepted', async () => {
    expect((await operator.apart([...payAda, '--yes'])).code).toBe(0);
    execFileSync('cp', ['-r', dirname(operator.journal), `${dirname(operator.journal)}.backup`]);
    expect((await operator.apart([...payAda, '--once', 'second', '--repeat', '--yes'])).code).toBe(0);
    copyFileSync(join(`${dirname(operator.journal)}.backup`, 'journal.db'), operator.journal);
    const refused = await operator.apart([...payAda, '--once', 'second', '--repeat', '--yes']);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('has lost 1 request or decision that it acknowledged to this machine');
    expect(refused.stderr).toMatch(/A person must decide:\n +botctl doctor\n/u);
    const asked = await operator.apart(['journal', 'accept-loss']);
    expect([asked.code, asked.stderr]).toEqual([
      2,
      expect.stringContaining('may send it again. There is no terminal for the question.'),
    ]);
    const accepted = await operator.apart(['journal', 'accept-loss', '--yes', '--json']);
    expect(JSON.parse(accepted.stdout)).toMatchObject({
      missing: [{ entry: expect.any(String), attempt: 1 }],
    });
    // Named, so the service still knows the key: it happened once all the same.
    expect((await operator.apart([...payAda, '--once', 'second', '--repeat', '--yes'])).code).toBe(0);
    expect(await transfers()).toBe(2);
    expect((await operator.apart(['journal', 'accept-loss', '--yes'])).stdout).toContain(
      'has everything that it acknowledged',
    );
  });

  test('what is left can be looked at, with a warning, and nothing is decided', async () => {
    expect((await operator.apart([...payAda, '--yes'])).code).toBe(0);
    const early = readFileSync(operator.journal);
    expect((await operator.apart([...payAda, '--once', 'second', '--repeat', '--yes'])).code).toBe(0);
    writeFileSync(operator.journal, early);
    for (const words of [['history'], [...payAda, '--dry-run']]) {
      const looked = await operator.apart(words);
      expect(looked.code).toBe(0);
      expect(looked.stderr).toContain('has lost 1 request');
    }
    const { stdout, code } = await operator.apart(['doctor', '--json']);
    expect([code, stdout]).toEqual([1, expect.stringContaining('has lost 1 request')]);
    const id = (await operator.apart(['history', '--quiet'])).stdout.trim();
    for (const words of [
      ['resume', '--all'],
      ['resolve', id, '--happened', '--reason', 'seen'],
    ]) {
      expect((await operator.apart(words)).stderr).toContain('has lost 1 request');
    }
  });
});

test('an empty file gets one warning, and becomes a journal', async () => {
  const path = join(operator.home.path, 'empty.db');
  writeFileSync(path, '');
  const done = await operator.run([...payAda, '--yes', '--journal', path]);
  expect([done.code, done.stderr]).toEqual([0, expect.stringContaining('is an empty file')]);
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
