import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Ran } from '../support/botctl.ts';
import { SkippingClock } from '../support/builtHere.ts';
import { jsonLines, lastLine } from '../support/jsonOutput.ts';
import { newSharedJournal } from '../support/postgres/newJournal.ts';
import { sharedServer } from '../support/postgres/server.ts';
import { otherRecipient, recipient } from '../support/sandbox.ts';
import { payAda, type Said, SandboxHome } from '../support/sandboxHome.ts';
import { onTerminalHere } from '../support/terminalHere.ts';

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

type Equal = { entry: string; name?: string; state: string };
type Repeated = Said & { exit: number | null; equal_payment?: Equal };

async function pay(name: string, ...more: string[]): Promise<Repeated> {
  return (await operator.json(named(name, ...more))) as Repeated;
}

const stopped = { exit: 10, error: { code: 'paid-already' } };

describe('a payment equal to one under another name', () => {
  test('stops, with its name, time and state, also with --yes, and leaves no entry', async () => {
    await pay('rent-10');
    clock.skippedMs += 3 * hourMs;
    const second = await pay('rent-11', '--yes');
    expect(second).toMatchObject({ ...stopped, equal_payment: { name: 'rent-10', state: 'accepted' } });
    expect(second.error?.message).toMatch(
      /^Already paid: 0\.5 SOL to the same address, 3 hours ago, as rent-10 \([0-9a-f]{12}\)\./u,
    );
    expect(second.error?.next?.join()).toMatch(/^botctl history [0-9a-f]{12}$/u);
    expect(await operator.json(['history', '--total'])).toMatchObject({ exit: 0 });
    expect(await effects()).toBe(1);
    clock.skippedMs += 9 * hourMs;
    expect(await pay('rent-11')).toMatchObject({ exit: 0 });
  });

  test('is paid besides with --repeat, which needs a name', async () => {
    await pay('rent-10');
    expect(await operator.json([...payAda, '--repeat'])).toMatchObject({ exit: 2, error: { code: 'usage' } });
    expect(await pay('rent-11', '--repeat')).toMatchObject({ exit: 0 });
    expect(await pay('rent-11', '--repeat')).toMatchObject({ exit: 0, replayed: true });
    expect(await effects()).toBe(2);
  });

  test('is asked about on a terminal, in one line beside it: No is 130, Yes pays', async () => {
    const { entry } = await pay('rent-10');
    clock.skippedMs += 4000;
    expect((await pay('rent-11')).error?.message).toMatch(/, [4-9] s ago, as rent-10 /u);
    clock.skippedMs -= 4000;
    const asked = 'Pay it a second time, as rent-11? [y/N] ';
    const no = await onTerminalHere(named('rent-11'), [[asked, 'n\r']], operator.env);
    expect(no.code).toBe(130);
    expect(no.shown.replace(/\s+/gu, ' ')).toMatch(
      new RegExp(
        `Already paid: 0.5 SOL to the same address, (just now|[0-9]+ s ago), as rent-10 \\(${Object(entry).id}\\). Pay it`,
        'u',
      ),
    );
    expect(no.shown.split(payAda[2] ?? '')).toHaveLength(2);
    expect(await effects()).toBe(1);
    const yes = await onTerminalHere(named('rent-11'), [[asked, 'y\r']], operator.env);
    expect(yes.code).toBe(0);
    expect(await effects()).toBe(2);
  });

  test('and has no name itself: "again?" answers both', async () => {
    await operator.json(payAda);
    expect((await operator.json(payAda)).replayed).toBe(true);
    const again = await onTerminalHere(payAda, [['Do it again? [y/N] ', 'y\r']], operator.env);
    expect(again.code).toBe(0);
    expect(await effects()).toBe(2);
    const no = await onTerminalHere(payAda, [['Do it again? [y/N] ', 'n\r']], operator.env);
    expect(no.code).toBe(130);
    expect(await operator.json([...payAda, '--memo', 'rent'])).toMatchObject(stopped);
  });

  test('that began while "again?" stood is no part of what was shown: nothing more is paid', async () => {
    await operator.json(payAda);
    await operator.json(payAda);
    const meanwhile = `botctl ${named('rent-10', '--repeat').join(' ')}`;
    const again = await onTerminalHere(payAda, [['Do it again? [y/N] ', 'y\r', meanwhile]], operator.env);
    expect([again.code, again.shown]).toEqual([10, expect.stringMatching(/(ago|now),\s+as\s+rent-10/u)]);
    expect(await effects()).toBe(2);
    // Both stand there when it is asked the next time.
    const both = await onTerminalHere(payAda, [['Do it again? [y/N] ', 'y\r']], operator.env);
    expect([both.code, await effects()]).toEqual([0, 3]);
  });
});

type Row = readonly [id: string, to: string, amount: string];

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

type LastLine = { [field: string]: unknown; error?: { code: string; next?: string[] } };
const lastOf = ({ stdout }: Ran): LastLine => lastLine(stdout);

const journals: Readonly<Record<string, () => Promise<Record<string, string>>>> = {
  'a file': async () => ({}),
  'a server': async () => ({ BOTCTL_JOURNAL: await newSharedJournal(await sharedServer()) }),
};

describe.each(Object.entries(journals))('with a journal in %s', (_which, journalOf) => {
  beforeEach(async () => {
    Object.assign(operator.env, await journalOf());
  });

  test('two processes with two names make one payment: the other ends 10', async () => {
    const gate = await operator.gate();
    const held = gate.holdNext('request');
    const first = operator.apart(named('rent-10'));
    await held;
    expect(await operator.jsonApart(named('rent-11', '--yes'))).toMatchObject({
      ...stopped,
      equal_payment: { name: 'rent-10', state: 'sending' },
    });
    gate.release();
    expect((await first).code).toBe(0);
    expect(await effects()).toBe(1);
  });

  test('a batch stops before its first request, and goes on as its options say', async () => {
    await batch(file('pay.csv', 2), 'payroll-11');
    const path = file('more.csv', 4);
    for (const words of [[], ['--yes'], ['--dry-run']]) {
      const { code, stderr } = await batch(path, 'payroll-12', ...words);
      expect(code).toBe(10);
      expect(stderr).toContain('line 2 (id r1)');
      expect(stderr).not.toMatch(/botctl batch .*--(?:repeat|skip-repeats)/u);
    }
    expect((await batch(path, 'payroll-12', '--repeat', '--skip-repeats')).code).toBe(2);
    expect(await effects()).toBe(2);
    const skipped = await batch(path, 'payroll-12', '--skip-repeats', '--json');
    expect(skipped.code).toBe(0);
    // Nobody else sent what was left out.
    const { result } = lastOf(skipped) as { result: Record<string, number> };
    expect([result.done, result.done_now, result.done_by_others ?? 0]).toEqual([4, 2, 0]);
    expect(await effects()).toBe(4);
    const [status] = jsonLines((await operator.run(['batch', 'status', 'payroll-12', '--json'])).stdout);
    expect(status).toMatchObject({ standings: { done: 4 }, paid_as: [{ name: 'payroll-11', rows: 2 }] });
    expect(status?.totals).toMatchObject([{ asset: 'SOL', done: '0.072' }]);
    const books = await operator.run(['history', '--format', 'jsonl']);
    expect(jsonLines(books.stdout)).toHaveLength(4);
    const { totals } = JSON.parse((await operator.run(['history', '--total', '--json'])).stdout);
    expect(totals).toMatchObject([{ state: 'accepted', entries: 4 }]);
    // What was left out is done for good, also where the option is not given any more.
    expect((await batch(path, 'payroll-12')).code).toBe(0);
    expect(await effects()).toBe(4);
    expect((await batch(path, 'payroll-13', '--repeat')).code).toBe(0);
    expect(await effects()).toBe(8);
  });

  test('a row that another pays meanwhile is left, and the batch ends 10', async () => {
    const path = file('pay.csv', 3);
    const gate = await operator.gate();
    const held = gate.holdNext('request');
    const running = batch(path, 'payroll', '--concurrency', '1', '--json');
    await held;
    const rent = [...payAda.slice(0, -1), '0.031', '--once', 'rent'];
    expect((await operator.jsonApart(rent)).exit).toBe(0);
    gate.release();
    const ended = await running;
    expect(ended.code).toBe(10);
    expect(lastOf(ended)).toMatchObject({ result: { done: 2, paid_already: 1 } });
    expect(await effects()).toBe(3);
  });
});

describe('a batch', () => {
  test('says which other batch of the last 45 days has paid the most of its rows', async () => {
    await batch(file('first.csv', 3), 'pay-11');
    await batch(rows('one.csv', [['x', recipient, '0.011']]), 'pay-10', '--repeat');
    clock.skippedMs += 13 * hourMs;
    const next = file('second.csv', 4);
    const dry = await batch(next, 'pay-12', '--dry-run');
    expect([dry.code, dry.stdout]).toEqual([
      0,
      expect.stringContaining('3 of 4 rows pay what pay-11 paid, 13 hours ago'),
    ]);
    const json = lastOf(await batch(next, 'pay-12', '--dry-run', '--json'));
    expect(json).toMatchObject({ earlier: { batch: 'pay-11', rows: 3 } });
    clock.skippedMs += 46 * 24 * hourMs;
    expect((await batch(next, 'pay-12', '--dry-run')).stdout).not.toContain('paid,');
    expect((await batch(next, 'pay-11', '--dry-run')).stdout).not.toContain('paid,');
  });

  test('that is renumbered with a newcomer on top sends nothing', async () => {
    await batch(file('pay.csv', 3), 'payroll');
    const renumbered = rows('pay.csv', [
      ['r1', otherRecipient, '0.5'],
      ['r2', recipient, '0.011'],
      ['r3', recipient, '0.021'],
      ['r4', recipient, '0.031'],
    ]);
    const ended = await batch(renumbered, 'payroll', '--yes');
    expect(ended.code).toBe(6);
    const says = ended.stderr.replace(/\s+/gu, ' ');
    expect(says).toContain('rows of this file have other ids in the journal: the file was numbered again.');
    expect(says).toContain('use as the id a column that stays with the person or the invoice');
    expect(says).not.toContain('A row with a new id');
    expect((await batch(renumbered, 'payroll', '--yes', '--repeat')).code).toBe(6);
    expect(await effects()).toBe(3);
  });

  test('pays the same in two rows of one file, and does not stop at itself', async () => {
    const path = rows('twice.csv', [
      ['a', recipient, '0.1'],
      ['b', otherRecipient, '0.1'],
      ['c', recipient, '0.10'],
    ]);
    expect((await batch(path, 'payroll')).code).toBe(0);
    expect((await batch(path, 'payroll')).code).toBe(0);
    expect(await effects()).toBe(3);
  });

  test('of two runs under one name, the second numbered anew, is paid once by the first that begins', async () => {
    const twice = (id: string): readonly Row[] => [1, 2].map((nth) => [`${id}${nth}`, recipient, '0.011']);
    const renamed = rows('again.csv', twice('x'));
    const meanwhile = `botctl batch transfer ${rows('pay.csv', twice('r'))} --once payroll`;
    const words = ['batch', 'transfer', renamed, '--once', 'payroll'];
    const asked = await onTerminalHere(
      words,
      [['Pay 0.022 SOL to 1 person? [y/N] ', 'y\r', meanwhile]],
      operator.env,
    );
    expect([asked.code, await effects()]).toEqual([10, 2]);
  });

  test('finds the entry of an invalid row of its own by the id: it is no obstacle to the others', async () => {
    const twice: readonly Row[] = [1, 2].map((nth) => [`r${nth}`, recipient, '0.011']);
    expect((await batch(rows('pay.csv', twice.slice(0, 1)), 'payroll')).code).toBe(0);
    const invalid = rows('pay.csv', [['r1', recipient, 'much'], ...twice.slice(1)]);
    expect((await batch(invalid, 'payroll', '--skip-invalid')).code).toBe(2);
    expect(await effects()).toBe(2);
  });

  test('that was answered with "pay" pays beside what was shown, and not beside what began meanwhile', async () => {
    await batch(file('first.csv', 2), 'payroll-11');
    const late = [...payAda.slice(0, -1), '0.011', '--once', 'late', '--repeat'].join(' ');
    const words = ['batch', 'transfer', file('second.csv', 3), '--once', 'payroll-12'];
    const ended = await onTerminalHere(words, [['[N]o: stop ', 'p\r', `botctl ${late}`]], operator.env);
    expect([ended.code, await effects()]).toEqual([10, 5]);
    expect(ended.shown.replace(/\s+/gu, ' ')).toContain(', as late');
  });

  test('whose row is stopped as paid already leaves the limit of a day to the other rows', async () => {
    const limits = { SOL: { day: '4' } };
    operator.env.BOTCTL_POLICY = operator.home.policy({ schema: 'botctl-policy/1', limits });
    const path = rows('pay.csv', [
      ['r1', recipient, '1.5'],
      ['r2', otherRecipient, '2'],
    ]);
    const rent = [...payAda.slice(0, -1), '1.5', '--once', 'rent'].join(' ');
    const words = ['batch', 'transfer', path, '--once', 'payroll'];
    const asked = [['? [y/N] ', 'y\r', `botctl ${rent}`]] as const;
    const ended = await onTerminalHere(words, asked, operator.env);
    expect([ended.code, await effects()]).toEqual([10, 2]);
  });
});
