import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { botctl, type Ran, started } from '../support/botctl.ts';
import { botctlHere, SkippingClock } from '../support/builtHere.ts';
import { closedAfterTest } from '../support/closedAfterTest.ts';
import { damageJournal } from '../support/damageJournal.ts';
import { startGate } from '../support/gate.ts';
import { Home } from '../support/home.ts';
import { jsonLines } from '../support/jsonOutput.ts';
import { foreignBin } from '../support/program.ts';
import { otherRecipient, recipient, startTestSandbox, type TestSandbox } from '../support/sandbox.ts';

let home: Home;
let sandbox: TestSandbox;
let env: Record<string, string>;

beforeEach(async () => {
  home = new Home();
  sandbox = await startTestSandbox();
  env = { ...home.env, BOTCTL_BASE_URL: sandbox.baseUrl, BOTCTL_TOKEN: sandbox.tokens.full };
});
afterEach(async () => {
  await sandbox.close();
  home.remove();
});

const file = (name: string, text: string): string => home.file(name, text);

const csv = (...rows: string[]): string => `id,conversation_id,content\n${rows.join('\n')}\n`;

/** Rows whose ids count from 1. */
const messages = (...contents: string[]): string =>
  csv(...contents.map((content, nth) => `${nth + 1},conv_demo,${content}`));

function send(path: string, ...words: string[]): Promise<Ran> {
  return botctlHere(['batch', 'send', path, '--once', 'news', ...words], { env });
}

function sendApart(path: string): Promise<Ran> {
  return botctl(['batch', 'send', path, '--once', 'news'], { env });
}

function transfer(path: string, ...words: string[]): Promise<Ran> {
  return botctlHere(['batch', 'transfer', path, '--once', 'pay', ...words], { env });
}

const requests = (): number =>
  sandbox.lines.filter(({ operation }) => operation === 'message' || operation === 'transfer').length;

const contents = async () => (await sandbox.ledger()).map(({ request }) => request.content);

describe('identity', () => {
  test('a re-run sends nothing, a reordered one neither, and an added row alone is new', async () => {
    const path = file('a.csv', messages('one', 'two'));
    expect((await sendApart(path)).code).toBe(0);
    expect(requests()).toBe(2);
    expect(await send(path)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('2 of 2 done, 2 of them earlier'),
    });
    file('a.csv', csv('2,conv_demo,two', '3,conv_demo,three', '1,conv_demo,one'));
    const added = await send(path);
    expect(added.code).toBe(0);
    expect(added.stderr).toContain('1 to send, 2 done');
    expect(requests()).toBe(3);
    expect((await contents()).sort()).toEqual(['one', 'three', 'two']);
  });

  test('rows without an id are their body and which of their equals they are', async () => {
    const text = (contents: readonly string[]): string =>
      contents.map((content) => `${JSON.stringify({ conversation_id: 'conv_demo', content })}\n`).join('');
    const path = file('a.jsonl', text(['x', 'y', 'x']));
    expect((await send(path)).code).toBe(0);
    file('a.jsonl', text(['x', 'x', 'x', 'y']));
    expect((await send(path)).stderr).toContain('1 to send, 3 done');
    expect((await contents()).sort()).toEqual(['x', 'x', 'x', 'y']);
  });

  test('a row that is done and was damaged in the journal says so with --json, and keeps no other from going', async () => {
    const path = file('a.csv', messages('one'));
    await send(path);
    damageJournal(join(home.path, 'data/botctl/journal.db'), `UPDATE entries SET body = CAST('{' AS BLOB)`);
    file('a.csv', messages('one', 'two'));
    const { code, stdout } = await send(path, '--json');
    expect(code).toBe(0);
    expect(jsonLines(stdout).slice(0, 2)).toMatchObject([
      {
        line: 2,
        id: '1',
        error: { code: 'journal-damaged', message: expect.stringContaining('The message is accepted') },
      },
      { line: 3, id: '2', outcome: 'accepted' },
    ]);
  });
});

describe('checking', () => {
  const bad = `id,to_address,asset,amount
ada,${recipient},SOL,1.5
bob,${recipient},SOL,0
eve,${otherRecipient},US\u200bDC,1
bob,${recipient},SOL,2
 x,nonsense,SOL,1e3
dan,${otherRecipient},SOL,0.25
`;

  test('nothing is sent while a row is not valid; all bad rows are listed and reported', async () => {
    const ran = await transfer(file('p.csv', bad), '--report', join(home.path, 'r.jsonl'));
    expect(ran.code).toBe(2);
    expect(requests()).toBe(0);
    expect(ran.stderr).toContain('line 3 (id bob): amount "0" is zero');
    expect(ran.stderr).toContain('line 4 (id eve): asset "US\\u200bDC" has spaces around it');
    expect(ran.stderr).toContain('2 rows (lines 3 and 5): id "bob" is given twice');
    expect(ran.stderr).toContain('line 6 (id x): to_address "nonsense" is 6 bytes long');
    expect(ran.stderr).toContain('4 of 6 rows in');
    const report = jsonLines(readFileSync(join(home.path, 'r.jsonl'), 'utf8'));
    const outcomes = ['not-sent', 'invalid', 'invalid', 'invalid', 'invalid', 'not-sent'];
    expect(report.map(({ state }) => state)).toEqual(outcomes);
    expect(existsSync(join(home.path, 'data', 'botctl', 'journal.db'))).toBe(true);
  });

  test('a dry run exits as the run itself would', async () => {
    const both = async (path: string, ...words: string[]): Promise<(number | null)[]> => [
      (await transfer(path, '--dry-run', ...words)).code,
      (await transfer(path, ...words)).code,
    ];
    const rows = (...cells: string[]): string =>
      file('p.csv', `id,to_address,asset,amount\n${cells.join('\n')}\n`);
    const one = `a,${recipient},SOL,1`;
    expect(await both(rows(one))).toEqual([0, 0]);
    expect(await both(rows(one))).toEqual([0, 0]);
    expect(await both(rows(`a,${recipient},SOL,2`))).toEqual([6, 6]);
    expect(await both(rows(one, `b,${recipient},SOL,x`))).toEqual([2, 2]);
    expect(await both(rows(one, `b,${recipient},SOL,x`), '--skip-invalid')).toEqual([2, 2]);
    // Kept for an operator: nothing shows that it was done.
    await sandbox.faults({ kind: 'reply', status: 200, operation: 'transfer', body: '{}' });
    const held = rows(one, `c,${recipient},SOL,3`);
    expect((await transfer(held)).code).toBe(10);
    expect(await both(held)).toEqual([10, 10]);
  });
});

describe('running', () => {
  const many = (count: number): string =>
    csv(...Array.from({ length: count }, (_, row) => `r${row},conv_demo,row ${row}`));

  test.skipIf(foreignBin)('a rate limit slows the whole batch (one clock: not with BOTCTL_BIN)', async () => {
    // A service by the same clock: it has time for the next row when the batch has waited, however slow the machine.
    const clock = new SkippingClock();
    const service = closedAfterTest(await startTestSandbox({ nowMs: () => clock.now() }));
    await service.readings({ rate_limit: { per_second: 5, capacity: 1 } });
    const most = ['--max-wait', '0s', '--concurrency', '1'];
    const words = ['batch', 'send', file('a.csv', many(15)), '--once', 'news', ...most];
    const ofService = { BOTCTL_BASE_URL: service.baseUrl, BOTCTL_TOKEN: service.tokens.full };
    const ran = await botctlHere(words, { env: { ...env, ...ofService }, clock });
    expect(ran).toMatchObject({ code: 0 });
    expect(await service.ledger()).toHaveLength(15);
    const limited = service.lines.filter(({ status }) => status === 429).length;
    expect(limited).toBeGreaterThan(0);
    expect(limited).toBeLessThan(15);
  });

  test('row after row that is held ends it; and what is only held is not to be run again for ever', async () => {
    await sandbox.faults({ kind: 'reply', status: 200, body: 'OK', when: 'after', times: 1000 });
    const path = file('a.csv', many(20));
    const ran = await send(path, '--concurrency', '4', '--json');
    expect(ran.code).toBe(11);
    expect(jsonLines(ran.stdout).at(-1)).toMatchObject({
      stopped: 'failures-in-a-row',
      error: { retry: 'same-command' },
    });
    const held = requests();
    expect(held).toBeLessThan(9);
    await sandbox.clearFaults();
    const rest = await send(path, '--json');
    expect(rest.code).toBe(10);
    expect(requests()).toBe(20);
    expect(jsonLines(rest.stdout).at(-1)).toMatchObject({
      result: { done: 20 - held, held },
      error: { code: 'some-held', retry: 'decide' },
    });
  });

  test('Ctrl-C lands what is in flight, reports, and says how to go on', async () => {
    await sandbox.faults({ kind: 'stall', ms: 150, when: 'before', times: 1000 });
    const path = file('a.csv', many(60));
    const more = ['--concurrency', '4', '--report', join(home.path, 'r.csv')];
    const { child, ended } = started(['batch', 'send', path, '--once', 'news', ...more], env);
    while ((await sandbox.ledger()).length < 8) await new Promise((resolve) => setTimeout(resolve, 20));
    child.kill('SIGINT');
    const { code, stderr } = await ended;
    expect(code).toBe(11);
    expect(stderr).toContain('it waited for the requests already sent');
    expect(stderr).toMatch(/^note: Interrupted: no new row is started\. .* Interrupt again to leave/mu);
    expect(stderr).toContain(`botctl batch send ${path} --once news`);
    const report = readFileSync(join(home.path, 'r.csv'), 'utf8').trim().split('\n').slice(1);
    const happened = (await sandbox.ledger()).length;
    expect(report).toHaveLength(60);
    expect(report.filter((line) => line.includes(',done,'))).toHaveLength(happened);
    // Nor was a row that was claimed when the signal came.
    expect(report.filter((line) => line.includes(',not-sent,'))).toHaveLength(60 - happened);
    await sandbox.clearFaults();
    expect((await send(path)).code).toBe(0);
    expect(await sandbox.ledger()).toHaveLength(60);
  });

  test('two processes at once send each row once', async () => {
    const path = file('a.csv', many(60));
    const both = await Promise.all([sendApart(path), sendApart(path)]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(await sandbox.ledger()).toHaveLength(60);
    expect(requests()).toBe(60);
  });

  test('a row that another process is sending holds nothing up', async () => {
    const gate = closedAfterTest(await startGate(sandbox.baseUrl));
    env.BOTCTL_BASE_URL = gate.baseUrl;
    const most = ['--concurrency', '1', '--timeout', '5m', '--json'];
    const words = ['batch', 'send', file('a.csv', many(6)), '--once', 'news', ...most];
    const stalled = gate.holdNext('reply');
    const { child, ended } = started(words, env);
    closedAfterTest({ close: () => child.kill('SIGKILL') });
    await stalled;
    const other = botctl(words, { env });
    while ((await sandbox.ledger()).length < 6) await new Promise((resolve) => setTimeout(resolve, 20));
    gate.release();
    expect(jsonLines((await ended).stdout).at(-1)).toMatchObject({ result: { done: 6 } });
    const { code, stdout } = await other;
    expect(code).toBe(0);
    expect(jsonLines(stdout).at(-1)).toMatchObject({ result: { done: 6 } });
    expect(requests()).toBe(6);
    const journal = new DatabaseSync(join(home.path, 'data', 'botctl', 'journal.db'), { readOnly: true });
    const attempts = journal.prepare(
      'SELECT number, verdict, count(*) AS rows FROM attempts GROUP BY 1, 2 ORDER BY 1, 2',
    );
    expect(attempts.all()).toEqual([{ number: 1, verdict: 'accepted', rows: 6 }]);
    journal.close();
  });
});
