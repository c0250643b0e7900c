import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Ran } from '../../testing/botctl.ts';
import { SkippingClock } from '../../testing/builtHere.ts';
import { jsonLines, lastLine } from '../../testing/jsonOutput.ts';
import { newSharedJournal } from '../../testing/postgres/newJournal.ts';
import { sharedServer } from '../../testing/postgres/server.ts';
import { otherRecipient, recipient } from '../../testing/sandbox.ts';
import { payAda, type Said, SandboxHome } from '../../testing/sandboxHome.ts';
import { onTerminalHere } from '../../testing/terminalHere.ts';

let operator: SandboxHome;
let clock: SkippingClock;
beforeEach(async () => {
  clock = new SkippingClock();
  operator = await SandboxHome.open(clock);
});
afterEach(() => operator.close());

const hourMs = 3_600_000;
const named = (name: string, ...more: string[]): string[] => [...payAda, '--once', name, ...more];
const effects = async (): Promise<number> => (await operator.sandbox.ledger()).length;

type Repeated = Said & { exit: number | null; repeats?: { name?: string; state: string }[] };

async function pay(name: string, ...more: string[]): Promise<Repeated> {
  return (await operator.json(named(name, ...more))) as Repeated;
}

describe('a transfer that was made under another name', () => {
  test('is made, with one line of warning that names it and with repeats in JSON', async () => {
    expect(await pay('rent-10')).toMatchObject({ exit: 0, warnings: [] });
    clock.skippedMs += 3 * hourMs;
    const said = `${recipient} was paid 0.5 SOL as rent-10, 3 hours ago`;
    const { code, stderr } = await operator.run(named('rent-11', '--yes'));
    expect(code).toBe(0);
    expect(stderr.trimEnd().split('\n')).toEqual([expect.stringContaining(`warning: ${said}`)]);
    const third = await pay('rent-12');
    expect(third.repeats).toMatchObject([
      { name: 'rent-11', state: 'accepted' },
      { name: 'rent-10', state: 'accepted' },
    ]);
    expect(third.warnings).toEqual([expect.stringContaining('as rent-11')]);
    expect(await effects()).toBe(3);
  });

  test('without a name is warned of where what it repeats had one', async () => {
    await operator.json(payAda);
    await pay('rent');
    clock.skippedMs += 21 * hourMs;
    await pay('rent-2');
    const { repeats } = (await operator.json(payAda)) as Repeated;
    expect(repeats?.map(({ name }) => name)).toEqual(['rent-2']);
  });

  test('and neither has a name but another memo is asked about on a terminal, and warned of elsewhere', async () => {
    await operator.json(payAda);
    const withMemo = [...payAda, '--memo', 'rent'];
    const question = 'was paid 0.5 SOL without a name, just now. Pay again? [y/N] ';
    const asked = await onTerminalHere(withMemo, [[question, 'n\r']], operator.env);
    expect(asked.code).toBe(130);
    expect(await effects()).toBe(1);
    const { exit, repeats, warnings } = (await operator.json(withMemo)) as Repeated;
    expect(exit).toBe(0);
    expect(repeats).toMatchObject([{ state: 'accepted' }]);
    expect(warnings).toEqual([expect.stringContaining('was paid 0.5 SOL without a name')]);
    expect(((await operator.json(withMemo)) as Repeated).repeats).toBeUndefined();
  });

  test('is shown by a dry run', async () => {
    await pay('rent');
    const dry = await pay('rent-2', '--dry-run');
    expect(dry).toMatchObject({ exit: 0, repeats: [{ name: 'rent' }] });
    expect(dry.warnings).toEqual([expect.stringContaining('as rent')]);
    expect(await effects()).toBe(1);
  });
});

describe('on a terminal', () => {
  test('a repeated transfer asks whether to pay again; No sends nothing, Yes sends without a warning', async () => {
    await pay('rent-10');
    const question = '9WzD…AWWM was paid 0.5 SOL as rent-10, just now. Pay again? [y/N] ';
    const no = await onTerminalHere(named('rent-11'), [[question, 'n\r']], operator.env);
    expect(no.code).toBe(130);
    expect(no.shown).toContain(recipient);
    expect(await effects()).toBe(1);
    const yes = await onTerminalHere(named('rent-11'), [[question, 'y\r']], operator.env);
    expect(yes.code).toBe(0);
    expect(yes.shown).not.toContain('warning');
    expect(await effects()).toBe(2);
  });

  test.each([
    ['s', 0, 6],
    ['all', 0, 14],
    ['', 130, 4],
    ['y', 130, 4],
  ])('a repeated batch is asked about, and %j ends %i with %i payments', async (answer, code, paid) => {
    await batch(file('first.csv', 4), 'payroll-11');
    const path = file('second.csv', 10);
    const words = ['batch', 'transfer', path, '--once', 'payroll-1'];
    const { shown, code: ended } = await onTerminalHere(words, [['[N]o ', `${answer}\r`]], operator.env);
    expect(shown.replaceAll(/\s+/gu, ' ')).toContain(
      '4 of these 10 rows were already paid the same amount, in batch payroll-11, just now:',
    );
    expect(shown).toContain('Pay them again? [s]kip those / pay [a]ll / [N]o ');
    expect(shown).toContain('line 2 (id r1)');
    expect(shown).toContain('… and 1 more');
    expect(ended).toBe(code);
    expect(await effects()).toBe(answer === 's' ? 10 : paid);
  });

  test('a batch with one new row asks as a transfer does', async () => {
    await pay('rent');
    const path = rows('one.csv', [['r1', recipient, '0.5']]);
    const words = ['batch', 'transfer', path, '--once', 'payroll'];
    const { shown, code } = await onTerminalHere(words, [['Pay again? [y/N] ', 'n\r']], operator.env);
    expect(code).toBe(130);
    expect(shown).toContain('9WzD…AWWM was paid 0.5 SOL as rent, just now. Pay again?');
    operator.home.file('one.csv', `id,to_address,asset,amount,name\nr1,${recipient},SOL,0.5,Ada\n`);
    const named = await onTerminalHere(words, [['Pay again? [y/N] ', 'n\r']], operator.env, { columns: 120 });
    expect(named.shown).toContain(`line 2 (id r1, Ada): ${recipient} was paid 0.5 SOL as rent, just now`);
    expect(await effects()).toBe(1);
  });

  test('rows of one file that pay the same are listed and asked about', async () => {
    const path = rows('twice.csv', twice);
    const words = ['batch', 'transfer', path, '--once', 'payroll'];
    const { shown, code } = await onTerminalHere(words, [['[y/N] ', 'n\r']], operator.env);
    expect(code).toBe(130);
    expect(shown.replaceAll(/\s+/gu, ' ')).toContain(`Lines 2 and 4 pay the same: 0.1 SOL to ${recipient}`);
    expect(shown).toContain('Make 3 transfers as payroll, 2 of them the same as others? [y/N]');
  });
});

type Row = readonly [id: string, to: string, amount: string];

const twice: readonly Row[] = [
  ['a', recipient, '0.1'],
  ['b', otherRecipient, '0.1'],
  ['c', recipient, '0.10'],
];

function rows(name: string, all: readonly Row[]): string {
  const lines = all.map(([id, to, amount]) => `${id},${to},SOL,${amount}\n`);
  return operator.home.file(name, `id,to_address,asset,amount\n${lines.join('')}`);
}

/** So many payments, each of another amount: a longer file has those of a shorter one, too. */
function file(name: string, count: number, first = 1): string {
  const all = Array.from({ length: count }, (_, nth): Row => {
    const row = first + nth;
    return [`r${row}`, recipient, `0.0${row}1`];
  });
  return rows(name, all);
}

function batch(path: string, name: string, ...more: string[]): Promise<Ran> {
  return operator.run(['batch', 'transfer', path, '--once', name, ...more]);
}

function status(name: string): ReturnType<SandboxHome['json']> {
  return operator.json(['batch', 'status', name]);
}

type LastLine = { [field: string]: unknown; error?: { code: string; next?: string[] } };
const lastOf = ({ stdout }: Ran): LastLine => lastLine(stdout);

describe('a batch of which rows were paid under another name', () => {
  test('is refused without a terminal, and with --yes, with the commands that go on', async () => {
    await batch(file('pay.csv', 4), 'payroll-11');
    const path = join(operator.home.path, 'pay.csv');
    for (const words of [[], ['--yes']]) {
      const { code, stderr } = await batch(path, 'payroll-1', ...words);
      expect(code).toBe(10);
      expect(stderr).toContain('All 4 rows were already paid the same amount, in batch payroll-11, just now');
      const commands = stderr.split('\n').filter((line) => line.includes('  botctl batch'));
      const yes = words.map((word) => ` ${word}`).join('');
      expect(commands.map((line) => line.trim())).toEqual([
        `botctl batch transfer ${path}${yes} --once payroll-11`,
        `botctl batch transfer ${path} --once payroll-1${yes} --skip-repeats`,
        `botctl batch transfer ${path} --once payroll-1${yes} --repeat`,
      ]);
    }
    expect(await effects()).toBe(4);
    expect(await batch(path, 'payroll-11')).toMatchObject({ code: 0 });
    const skipped = await batch(path, 'payroll-1', '--skip-repeats');
    expect(skipped).toMatchObject({ code: 0, stdout: expect.stringContaining('0 of 4 accepted') });
    expect(await effects()).toBe(4);
    expect((await batch(path, 'payroll-1')).code).toBe(10);
    expect((await batch(path, 'payroll-1', '--repeat')).code).toBe(0);
    expect(await effects()).toBe(8);
    expect((await batch(path, 'payroll-1')).code).toBe(0);
    expect(await effects()).toBe(8);
  });

  test('does not suggest the earlier name where its rows are not that batch’s', async () => {
    await batch(file('pay.csv', 4), 'payroll-11');
    const others = rows(
      'others.csv',
      [1, 2, 3].map((row): Row => [`x${row}`, recipient, `0.0${row}1`]),
    );
    const { code, stderr } = await batch(others, 'payroll-1');
    expect(code).toBe(10);
    expect(stderr).not.toContain('--once payroll-11');
    expect(stderr).toContain('--skip-repeats');
  });

  test.each([
    ['two of eight', 2, 8, 10],
    ['two of nine', 2, 9, 0],
  ])('%s: %i of %i rows ends %i', async (_name, paid, all, exit) => {
    await batch(file('first.csv', paid), 'payroll-11');
    const ended = await batch(file('second.csv', all), 'payroll-1', '--json');
    expect(ended.code).toBe(exit);
    expect(await effects()).toBe(exit === 0 ? paid + all : paid);
    expect(lastOf(ended).repeats).toEqual({ rows: paid, of: all });
    const warned = exit === 0 ? /already paid .*paid again/u : /line 2 \(id r1\)/u;
    expect(ended.stderr).toMatch(warned);
  });

  test('names all of them in the report and in JSON, also of a dry run, which ends the same', async () => {
    await batch(file('first.csv', 4), 'payroll-11');
    const path = file('second.csv', 6);
    const report = join(operator.home.path, 'report.jsonl');
    for (const words of [['--dry-run'], []]) {
      const ended = await batch(path, 'payroll-1', '--json', '--report', report, ...words);
      expect(ended.code).toBe(10);
      const told = jsonLines(ended.stdout);
      expect(told.map(({ id, outcome }) => [id, outcome])).toEqual([
        ['r1', 'not-begun'],
        ['r2', 'not-begun'],
        ['r3', 'not-begun'],
        ['r4', 'not-begun'],
        [undefined, undefined],
      ]);
      expect(told[0]?.repeats).toMatchObject([{ name: 'payroll-11', row: 'r1', state: 'accepted' }]);
      expect(lastOf(ended).error?.code).toBe('paid-already');
      const errors = jsonLines(readFileSync(report, 'utf8')).map(({ error }) => error);
      expect(errors.slice(0, 4)).toEqual(
        Array(4).fill(expect.stringContaining('paid already in batch payroll-11')),
      );
      expect(errors.slice(4)).toEqual([undefined, undefined]);
    }
    expect(await effects()).toBe(4);
  });

  test('says for whom a repeated row is, and speaks of no sum where nothing is left', async () => {
    const columns = 'id,Name,note,to_address,asset,amount';
    const path = operator.home.file('named.csv', `${columns}\nr1,Ada,October,${recipient},SOL,0.011\n`);
    expect((await batch(path, 'payroll-11')).code).toBe(0);
    const text = `${columns}\nr1,Ada,October,${recipient},SOL,0.011\nr2,,,${recipient},SOL,0.012\n`;
    operator.home.file('named.csv', text);
    await batch(path, 'payroll-1');
    const { stderr } = await batch(path, 'payroll-2');
    expect(stderr).toContain(`line 2 (id r1, Ada · October): ${recipient} was paid`);
    expect(stderr).toContain(`line 3 (id r2): ${recipient} was paid`);
    const skipped = await batch(path, 'payroll-3', '--skip-repeats');
    expect(skipped.stderr).toContain('note: batch payroll-3: 2 rows: 2 skipped');
    expect(skipped.stderr).not.toContain('recipients');
  });

  test('that skips them ends 10 while what paid one is in doubt itself, and says so', async () => {
    await operator.sandbox.faults({ kind: 'drop', when: 'after' });
    expect((await operator.json([...payAda.slice(0, -1), '0.011', '--once', 'doubtful'])).exit).toBe(9);
    const path = file('pay.csv', 3);
    for (const words of [['--dry-run'], [], ['--json']]) {
      const ended = await batch(path, 'payroll', '--skip-repeats', ...words);
      expect(ended.code).toBe(10);
      expect(`${ended.stdout}${ended.stderr}`).toContain('may have been paid the same amount');
    }
    expect(await effects()).toBe(3);
    await operator.run([...payAda.slice(0, -1), '0.011', '--once', 'doubtful']);
    expect((await batch(path, 'payroll', '--skip-repeats')).code).toBe(0);
  });

  test('is not whole to batch status while what paid a skipped row is in doubt', async () => {
    await operator.sandbox.faults({ kind: 'drop', when: 'after' });
    const doubtful = [...payAda.slice(0, -1), '0.011', '--once', 'doubtful'];
    expect((await operator.json(doubtful)).exit).toBe(9);
    const path = file('pay.csv', 3);
    expect((await batch(path, 'payroll', '--skip-repeats')).code).toBe(10);
    const inDoubt = { done: 2, skipped_in_doubt: 1 };
    expect(await status('payroll')).toMatchObject({ exit: 10, standings: inDoubt });
    expect((await operator.json(doubtful)).exit).toBe(0);
    expect((await batch(path, 'payroll', '--skip-repeats')).code).toBe(0);
    expect(await status('payroll')).toMatchObject({ exit: 0, standings: { done: 2, skipped: 1 } });
  });

  test('judges itself never, and asks again for what is left of it', async () => {
    await batch(file('pay.csv', 4), 'payroll-11');
    expect((await batch(file('pay.csv', 9), 'payroll-11')).code).toBe(0);
    expect(await effects()).toBe(9);
    expect((await batch(file('pay.csv', 9), 'payroll-12', '--repeat')).code).toBe(0);
    const again = await batch(file('pay.csv', 9), 'payroll-12');
    expect(again).toMatchObject({ code: 0, stderr: expect.not.stringContaining('already paid') });
    expect(await effects()).toBe(18);
  });

  test('does not hide an unsettled payment without a name, which --repeat does not answer', async () => {
    await operator.sandbox.faults({ kind: 'drop', when: 'after' });
    expect((await operator.json([...payAda.slice(0, -1), '0.011'])).exit).toBe(9);
    const barred = await batch(file('pay.csv', 1), 'payroll', '--repeat');
    expect(barred).toMatchObject({ code: 10, stderr: expect.stringContaining('may have been made') });
    expect(await effects()).toBe(1);
  });

  test('with --repeat beside nothing to repeat is sent as ever', async () => {
    const { code, stderr } = await batch(file('pay.csv', 2), 'payroll', '--repeat');
    expect(code).toBe(0);
    expect(stderr).not.toContain('warning');
    expect(await effects()).toBe(2);
  });
});

const journals: Readonly<Record<string, () => Promise<Record<string, string>>>> = {
  'a file': async () => ({}),
  'a server': async () => ({ BOTCTL_JOURNAL: await newSharedJournal(await sharedServer()) }),
};

describe.each(Object.entries(journals))('with a journal in %s', (_which, journalOf) => {
  beforeEach(async () => {
    Object.assign(operator.env, await journalOf());
  });

  test('a batch leaves a row unbegun that another pays meanwhile, ends 11, and judges it in the next run', async () => {
    const path = file('pay.csv', 3);
    const gate = await operator.gate();
    const held = gate.holdNext('request');
    const running = batch(path, 'payroll', '--concurrency', '1', '--json');
    await held;
    const rent = [...payAda.slice(0, -1), '0.031', '--once', 'rent'];
    expect((await operator.jsonApart(rent)).exit).toBe(0);
    gate.release();
    const ended = await running;
    expect(ended.code).toBe(11);
    expect(lastOf(ended)).toMatchObject({
      result: { done: 2, not_begun: 1 },
      error: { code: 'not-all-done' },
    });
    expect(ended.stdout).toContain('paid to the same address meanwhile, as rent');
    expect(await effects()).toBe(3);
    const next = await batch(path, 'payroll');
    expect(next.stderr).toContain('This row was already paid the same amount, as rent');
    expect(next.code).toBe(0);
    expect(await effects()).toBe(4);
  });

  test('a transfer with a name is sent beside one under another name that is on its way, with a warning', async () => {
    const gate = await operator.gate();
    const held = gate.holdNext('request');
    const first = operator.apart(named('rent-10'));
    await held;
    const second = await operator.jsonApart(named('rent-11', '--yes'));
    expect(second).toMatchObject({ exit: 0, repeats: [{ name: 'rent-10', state: 'sending' }] });
    expect(second.warnings).toEqual([expect.stringContaining('may have been paid 0.5 SOL as rent-10')]);
    gate.release();
    expect((await first).code).toBe(0);
    expect(await effects()).toBe(2);
  });

  test('batch status knows what a batch skipped, also in a run that found nothing else to do', async () => {
    await batch(file('two.csv', 2), 'payroll-11');
    const path = file('pay.csv', 4);
    const skips = async (): Promise<void> => {
      expect((await batch(path, 'payroll-1', '--skip-repeats')).code).toBe(0);
      const standings = { done: 2, skipped: 2 };
      expect(await status('payroll-1')).toMatchObject({ exit: 0, rows: 4, begun: 2, standings });
    };
    await skips();
    await skips();
    const { stdout } = await operator.run(['batch', 'status']);
    expect(stdout).toContain('payroll-1   2 of 4 transfers done, 2 skipped\n');
    expect((await batch(path, 'payroll-1', '--repeat')).code).toBe(0);
    expect(await status('payroll-1')).toMatchObject({ exit: 0, standings: { done: 4 } });
  });
});

describe('rows of one file that pay the same', () => {
  test('are sent without a terminal, with a warning that names their lines, once', async () => {
    const path = rows('twice.csv', twice);
    const warning = `Lines 2 and 4 pay the same: 0.1 SOL to ${recipient}`;
    const first = await batch(path, 'payroll');
    expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining(warning) });
    expect(await effects()).toBe(3);
    expect((await batch(path, 'payroll')).stderr).not.toContain('pay the same');
  });
});
