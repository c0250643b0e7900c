import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Ran } from '../support/botctl.ts';
import { lastLine } from '../support/jsonOutput.ts';
import { otherRecipient, recipient } from '../support/sandbox.ts';
import { SandboxHome } from '../support/sandboxHome.ts';
import { onTerminalHere } from '../support/terminalHere.ts';

let operator: SandboxHome;
let report: string;
beforeEach(async () => {
  operator = await SandboxHome.open();
  report = join(operator.home.path, 'report.csv');
});
afterEach(() => operator.close());

const file = (name: string, ...lines: string[]): string =>
  operator.home.file(name, `id,to_address,asset,amount,note\n${lines.join('\n')}\n`);

const words = (path: string, name: string, ...more: string[]): string[] => [
  ...['batch', 'transfer', path, '--once', name, '--report', report, ...more],
];

const pay = (path: string, name: string, ...more: string[]): Promise<Ran> =>
  operator.run(words(path, name, ...more));

type Row = Record<string, string>;

/** None of the cells has a comma. */
function reported(): Row[] {
  const [head = '', ...lines] = readFileSync(report, 'utf8').trimEnd().split('\n');
  const titles = head.split(',');
  return lines.map((line) =>
    Object.fromEntries(line.split(/,(?! )/u).map((cell, nth) => [titles[nth], cell])),
  );
}

const signatures = async (): Promise<unknown[]> =>
  (await operator.sandbox.ledger({ kind: 'transfer' })).map(({ signature }) => signature);

describe('the report of a run that was refused', () => {
  const first = [`a,${recipient},SOL,0.5,x`, `b,${otherRecipient},SOL,0.25,y`];

  test('has what the journal has of each row: who was paid stays so, and what differs is taken', async () => {
    expect((await pay(file('pay.csv', ...first), 'pay')).code).toBe(0);
    const good = reported();
    const changed = [first[0] ?? '', `b,${otherRecipient},SOL,0.75,y`, `c,${otherRecipient},SOL,0.1,z`];
    const ended = await pay(file('pay.csv', ...changed), 'pay');
    expect(ended.code).toBe(6);
    const [a, b, c, ...more] = reported();
    expect(a).toEqual(good[0]);
    expect(b).toMatchObject({ amount: '0.75', state: 'taken', entry: good[1]?.entry, time: good[1]?.time });
    expect(b?.error).toContain('it was 0.25 SOL');
    expect(c).toMatchObject({ id: 'c', state: 'not-sent', entry: '', result: '' });
    expect(more).toEqual([]);
    expect([a?.result, b?.result].sort()).toEqual((await signatures()).sort());
  });

  test('because another bot began it says who was paid and who began it, and pays no new row', async () => {
    const path = file('pay.csv', ...first);
    await pay(path, 'pay');
    const good = reported();
    const profile = [
      'config',
      'add',
      'other',
      '--base-url',
      operator.sandbox.baseUrl,
      '--token-env',
      'OTHER',
    ];
    const env = { ...operator.env, OTHER: operator.sandbox.tokens.full };
    expect((await operator.run(profile, { env })).code).toBe(0);
    const longer = file('longer.csv', ...first, `c,${recipient},SOL,0.1,z`);
    for (const [again, more] of [
      [path, []],
      [longer, []],
      [longer, ['--dry-run']],
    ] as const) {
      rmSync(report, { force: true });
      const ended = await operator.run(words(again, 'pay', '--profile', 'other', ...more), { env });
      expect([ended.code, ended.stderr]).toEqual([
        6,
        expect.stringMatching(/^botctl: pay was begun by env,/u),
      ]);
      // No profile began it.
      expect(ended.stderr).not.toMatch(/Did you mean|new id/u);
      expect(reported().slice(0, 2)).toEqual(good);
    }
    expect(await signatures()).toHaveLength(2);
    operator.useProfiles({ ops: {}, tips: {} }, 'ops');
    const own = (name: string) => words(path, 'own', '--repeat', '--profile', name);
    expect((await operator.run(own('ops'))).code).toBe(0);
    const wrong = await operator.run(own('tips'));
    expect([wrong.code, wrong.stderr]).toEqual([
      6,
      expect.stringMatching(
        /begun by ops, and this is tips\.[^\n]*\n *Did you mean --profile ops\?\n *botctl batch/u,
      ),
    ]);
    expect((await operator.run(own('ops'))).code).toBe(0);
    expect(await signatures()).toHaveLength(4);
  });

  test('because a row is not valid, or by a No at the question, says who was paid', async () => {
    await pay(file('pay.csv', ...first), 'pay');
    const good = reported();
    const [, b = ''] = first;
    const broken = file('broken.csv', `a,${recipient},SOL,"1,5",x`, b, `c,${recipient},SOL,0.1,z`);
    expect((await pay(broken, 'pay')).code).toBe(2);
    const said = readFileSync(report, 'utf8').split('\n');
    expect(said[1]).toContain(`a,${recipient},SOL,"1,5",x,invalid,${good[0]?.entry},${good[0]?.result},`);
    expect(said[1]).toContain('0.5 SOL to');
    expect(said[2]).toBe(`${b},done,${good[1]?.entry},${good[1]?.result},,${good[1]?.time}`);
    const longer = file('longer.csv', ...first, `c,${recipient},SOL,0.1,z`);
    const no = await onTerminalHere(words(longer, 'pay'), [['person? [y/N] ', 'n\r']], operator.env);
    expect(no.code).toBe(130);
    expect(reported().map(({ state, result }) => [state, result])).toEqual([
      ['done', good[0]?.result],
      ['done', good[1]?.result],
      ['not-sent', ''],
    ]);
    expect(await signatures()).toHaveLength(2);
  });

  test('says why an earlier run left a row in doubt', async () => {
    await operator.sandbox.faults({ kind: 'drop', when: 'after' });
    const path = file('pay.csv', ...first);
    expect(
      (await pay(path, 'pay', '--concurrency', '1', '--max-failures', '1', '--max-wait', '0s')).code,
    ).toBe(11);
    const ended = await pay(file('pay.csv', first[0] ?? '', `b,${recipient},SOL,-1,y`), 'pay');
    expect(ended.code).toBe(2);
    expect(reported()).toMatchObject([
      { state: 'unknown', error: expect.stringMatching(/may have/u) },
      { state: 'invalid', amount: "'-1" },
    ]);
  });
});

describe('a row in the report', () => {
  test.each([
    ['as.jsonl', JSON.stringify({ id: 1, to_address: 'nobody', asset: ' sol', amount: 1.5, memo: null })],
    ['as.csv', 'id,to_address,asset,amount,memo,idempotency_key\n 7 ,nobody,SOL,"1,234.50",,k1'],
  ])('that is not valid keeps every column as it was: %s', async (name, text) => {
    report = join(operator.home.path, `report.${name}`);
    expect((await pay(operator.home.file(name, `${text}\n`), 'pay')).code).toBe(2);
    const [row = ''] = readFileSync(report, 'utf8').trimEnd().split('\n').slice(-1);
    if (name.endsWith('.jsonl'))
      expect(JSON.parse(row)).toMatchObject({ ...JSON.parse(text), state: 'invalid' });
    else expect(row).toContain(' 7 ,nobody,SOL,"1,234.50",,k1,invalid,');
  });
});

describe('what another batch paid', () => {
  const two = [`a,${recipient},SOL,2,x`, `b,${recipient},SOL,0.25,y`];

  test('is not counted as paid by the run that left it out, nor by a later one', async () => {
    await pay(file('nov.csv', two[0] ?? ''), 'pay-11');
    const [before] = reported();
    const path = file('dec.csv', ...two);
    const ended = await pay(path, 'pay-12', '--skip-repeats');
    expect(ended.code).toBe(0);
    expect(ended.stdout).toMatch(/Of these +1 paid now, 1 paid earlier as pay-11$/mu);
    expect(ended.stdout).toMatch(/Paid now +0\.25 SOL$/mu);
    expect(ended.stdout).not.toContain('2.25');
    const [settled, paid] = reported();
    expect(settled).toMatchObject({ state: 'done', entry: before?.entry, result: before?.result });
    expect((await signatures()).sort()).toEqual([settled?.result, paid?.result].sort());
    const again = await pay(path, 'pay-12');
    expect(again.stdout).toMatch(/2 of 2 done, 2 of them earlier\n +Of these +1 paid earlier as pay-11$/mu);
    expect(again.stdout).not.toMatch(/2\.25|paid now/iu);
    expect(reported()).toEqual([settled, paid]);
    const status = await operator.run(['batch', 'status', 'pay-12']);
    expect(status.stdout).toMatch(/Of these +1 paid earlier as pay-11/u);
    expect(status.stdout).toMatch(/Amount +0\.25 SOL done/u);
    const end = lastLine((await pay(path, 'pay-12', '--json')).stdout);
    expect(end).toMatchObject({
      result: { done: 2, done_now: 0, done_before: 2 },
      paid_as: [{ name: 'pay-11', rows: 1 }],
      paid_now: [],
    });
    expect(await signatures()).toHaveLength(2);
  });
});
