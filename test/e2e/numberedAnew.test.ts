import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Ran } from '../../testing/botctl.ts';
import { SkippingClock } from '../../testing/builtHere.ts';
import { jsonLines, lastLine } from '../../testing/jsonOutput.ts';
import { newSharedJournal } from '../../testing/postgres/newJournal.ts';
import { sharedServer } from '../../testing/postgres/server.ts';
import { otherRecipient, recipient } from '../../testing/sandbox.ts';
import { SandboxHome } from '../../testing/sandboxHome.ts';
import { onTerminalHere } from '../../testing/terminalHere.ts';

let operator: SandboxHome;
let clock: SkippingClock;
beforeEach(async () => {
  clock = new SkippingClock();
  operator = await SandboxHome.open(clock);
});
afterEach(() => operator.close());

const dayMs = 24 * 3_600_000;
const effects = async (): Promise<number> => (await operator.sandbox.ledger()).length;

type Row = readonly [id: string, amount: string, to?: string];

function file(rows: readonly Row[]): string {
  const lines = rows.map(([id, amount, to = recipient]) => `${id},${to},SOL,${amount}\n`);
  return operator.home.file('pay.csv', `id,to_address,asset,amount\n${lines.join('')}`);
}

const words = (rows: readonly Row[], ...more: string[]): string[] => {
  return ['batch', 'transfer', file(rows), '--once', 'pay-nov', ...more];
};

function batch(rows: readonly Row[], ...more: string[]): Promise<Ran> {
  return operator.run(words(rows, ...more));
}

const first: readonly Row[] = [
  ['u1', '0.6'],
  ['u2', '0.5', otherRecipient],
];
const anew: readonly Row[] = [
  ['x1', '0.6'],
  ['x2', '0.5', otherRecipient],
];

const journals: Readonly<Record<string, () => Promise<Record<string, string>>>> = {
  'a file': async () => ({}),
  'a server': async () => ({ BOTCTL_JOURNAL: await newSharedJournal(await sharedServer()) }),
};

describe.each(Object.entries(journals))(
  'with a journal in %s, an export with new ids',
  (_which, journalOf) => {
    beforeEach(async () => {
      Object.assign(operator.env, await journalOf());
      expect((await batch(first)).code).toBe(0);
    });

    test('stops under its own name, also with --yes and in a dry run', async () => {
      for (const more of [[], ['--yes'], ['--dry-run']]) {
        const { code, stderr } = await batch(anew, ...more);
        expect(code).toBe(10);
        expect(stderr).toContain('Both rows were already paid the same amount, in batch pay-nov, just now');
        expect(stderr).toContain(`line 2 (id x1): ${recipient} was paid 0.6 SOL in batch pay-nov (row u1)`);
        const commands = stderr.split('\n').filter((line) => line.includes('  botctl batch'));
        expect(commands.map((line) => line.trim().split(' ').at(-1))).toEqual(['--skip-repeats', '--repeat']);
      }
      expect(await effects()).toBe(2);
    });

    test('names what paid each row in JSON and in the report', async () => {
      const report = join(operator.home.path, 'report.jsonl');
      const ended = await batch(anew, '--json', '--report', report);
      expect(ended.code).toBe(10);
      expect(jsonLines(ended.stdout).map(({ id, repeats }) => [id, repeats])).toMatchObject([
        ['x1', [{ name: 'pay-nov', row: 'u1', state: 'accepted' }]],
        ['x2', [{ name: 'pay-nov', row: 'u2', state: 'accepted' }]],
        [undefined, { rows: 2, of: 2 }],
      ]);
      expect(lastLine(ended.stdout)).toMatchObject({ error: { code: 'paid-already' } });
      expect(readFileSync(report, 'utf8')).toContain('paid already in batch pay-nov (row u1)');
    });

    test('is skipped or paid as a person says, and batch status never says that more than all is done', async () => {
      expect((await batch(anew, '--skip-repeats')).code).toBe(0);
      expect(await effects()).toBe(2);
      const status = () => operator.json(['batch', 'status', 'pay-nov']);
      expect(await status()).toMatchObject({
        exit: 0,
        ...{ rows: 4, begun: 2, not_in_file: 2, standings: { done: 2, skipped: 2 } },
        totals: [{ asset: 'SOL', all: '1.1', done: '1.1', left: '0', not_in_file: '1.1' }],
      });
      expect((await batch(anew, '--repeat')).code).toBe(0);
      expect(await effects()).toBe(4);
      expect(await status()).toMatchObject({
        exit: 0,
        ...{ rows: 4, begun: 4, not_in_file: 2, standings: { done: 4 } },
        totals: [{ asset: 'SOL', all: '2.2', done: '2.2', left: '0', not_in_file: '1.1' }],
      });
      const { stdout } = await operator.run(['batch', 'status', 'pay-nov']);
      expect(stdout).toContain('4, 2 of them not in the latest file');
      expect(stdout).toContain('2.2 of 2.2 SOL done, 1.1 SOL of it not in the latest file');
    });

    test('stops where the payments are in doubt as well, and says so', async () => {
      const lost = { kind: 'drop', when: 'after' } as const;
      await operator.sandbox.faults(lost, lost);
      const doubtful = [...first, ['u3', '0.7'], ['u4', '0.8']] as const;
      expect((await batch(doubtful, '--max-wait', '0s')).code).toBe(11);
      const { code, stderr } = await batch([...first, ['x3', '0.7'], ['x4', '0.8'], ['x1', '0.6']]);
      expect(code).toBe(10);
      expect(stderr).toContain(`line 4 (id x3): ${recipient} may have been paid 0.7 SOL`);
      expect(stderr).toContain('2 of these 3 rows may have been paid the same amount, in batch pay-nov');
      expect(stderr).not.toContain('(id x1)');
      expect(await effects()).toBe(4);
    });

    test('stops for one row where another has the id of another payment', async () => {
      const ended = await batch([['u1', '0.8'], first[1] as Row, ['x1', '0.6']]);
      expect(ended.code).toBe(10);
      expect(ended.stderr).toContain('This row was already paid the same amount, in batch pay-nov');
      expect(await effects()).toBe(2);
    });

    test('stops where the old ids are there, but not valid', async () => {
      const invalid = first.map(([id, , to]): Row => [id, 'much', to ?? recipient]);
      expect((await batch([...invalid, ...anew], '--skip-invalid')).code).toBe(10);
      expect(await effects()).toBe(2);
    });

    test('with more rows of one payment than were paid leaves them to a person, and names them', async () => {
      const rows: Row[] = [['x1', '0.6'], ['y1', '0.60'], anew[1] as Row];
      for (const more of [['--skip-repeats'], []]) {
        const { code, stderr } = await batch(rows, ...more);
        expect(code).toBe(10);
        expect(stderr).toContain(
          `Lines 2 and 3 pay the same: 0.6 SOL to ${recipient}. Under this name it was paid once`,
        );
        expect(stderr).toMatch(/ --repeat\n/u);
        expect(stderr).not.toMatch(/botctl batch .*--skip-repeats/u);
      }
      expect(await effects()).toBe(2);
      expect((await batch(rows, '--repeat')).code).toBe(0);
      expect(await effects()).toBe(5);
    });

    test('is none where the old rows are in the file, too: rows of one file that pay the same are two payments', async () => {
      const both = await batch([...first, ...anew]);
      expect(both).toMatchObject({ code: 0, stderr: expect.not.stringContaining('already paid') });
      expect(await effects()).toBe(4);
      const more = await batch([...anew, ...first, ['z1', '0.6'], ['z2', '0.5', otherRecipient]]);
      expect(more).toMatchObject({ code: 0, stderr: expect.not.stringContaining('already paid') });
      expect(await effects()).toBe(6);
    });
  },
);

describe('with a journal in a file, an export with new ids', () => {
  test('counts for 21 days, whatever the repeat window', async () => {
    await batch(first);
    clock.skippedMs += 20 * dayMs;
    expect((await batch(anew)).code).toBe(10);
    clock.skippedMs += 2 * dayMs;
    expect((await batch(anew)).code).toBe(0);
    expect(await effects()).toBe(4);
  });

  test('is asked about on a terminal, with what is paid more often', async () => {
    await batch(first);
    const rows: Row[] = [['x1', '0.6'], ['y1', '0.6'], anew[1] as Row];
    const { code, shown } = await onTerminalHere(words(rows), [['[N]o ', 's\r']], operator.env);
    expect(code).toBe(10);
    expect(shown.replaceAll(/\s+/gu, ' ')).toContain('Under this name it was paid once');
    expect(await effects()).toBe(2);
    const paid = await onTerminalHere(words(rows), [['[N]o ', 'a\r']], operator.env);
    expect(paid.code).toBe(0);
    expect(await effects()).toBe(5);
  });

  test('waits under the same name until the earlier file has ended', async () => {
    const gate = await operator.gate();
    const held = gate.holdNext('request');
    const running = batch([['r1', '0.3'], ...first], '--concurrency', '1', '--json');
    await held;
    const refused = await operator.apart(words(anew));
    expect([refused.code, refused.stderr]).toEqual([6, expect.stringContaining('is at work on it')]);
    gate.release();
    expect((await running).code).toBe(0);
    expect(await effects()).toBe(3);
    expect((await batch(anew)).code).toBe(10);
    expect(await effects()).toBe(3);
  });

  test('takes its place where nothing is in hand, and the earlier file’s run claims no more', async () => {
    const slow = ['--concurrency', '1', '--rate', '30/m', '--json'];
    const running = operator.apart(words([...first, ['r1', '0.3']], ...slow));
    while ((await effects()) === 0) await new Promise((done) => setTimeout(done, 10));
    let other: Ran;
    do other = await operator.apart(words([['n1', '0.7']]));
    while (other.code === 6);
    expect([other.code, await effects()]).toEqual([0, 2]);
    const ended = await running;
    expect(lastLine(ended.stdout)).toMatchObject({ stopped: 'failure', error: { code: 'stopped' } });
    expect([ended.code, ended.stdout]).toEqual([
      11,
      expect.stringContaining('is no longer the file of the batch'),
    ]);
    expect(await effects()).toBe(2);
  });
});
