import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { botctl, type Ran, type Started, started } from '../support/botctl.ts';
import { botctlHere } from '../support/builtHere.ts';
import { closedAfterTest } from '../support/closedAfterTest.ts';
import { startGate } from '../support/gate.ts';
import { Home } from '../support/home.ts';
import { jsonLines } from '../support/jsonOutput.ts';
import { asRole } from '../support/postgres/asRole.ts';
import { startCuttableProxy } from '../support/postgres/cuttableProxy.ts';
import { newSharedJournal } from '../support/postgres/newJournal.ts';
import { type PostgresServer, sharedServer } from '../support/postgres/server.ts';
import { silence, silenceUntil, upForLong } from '../support/postgres/silence.ts';
import { startTestSandbox, type TestSandbox } from '../support/sandbox.ts';

type End = {
  rows: { all: number };
  result: Record<string, number>;
  stopped?: string;
  error?: { code: string; retry: string; message: string };
};

let server: PostgresServer;
let sandbox: TestSandbox;
beforeAll(async () => {
  server = await sharedServer(18);
  sandbox = await startTestSandbox();
});
afterAll(() => sandbox.close());

let journal: string;
let baseUrl: string;
beforeEach(async () => {
  await sandbox.reset();
  journal = await newSharedJournal(server);
  await upForLong(journal);
  baseUrl = sandbox.baseUrl;
});

/** A machine of its own: it has nothing in common with the others but the journal. */
function machine(): Record<string, string> {
  const home = new Home();
  onTestFinished(() => home.remove());
  return {
    ...home.env,
    BOTCTL_JOURNAL: journal,
    BOTCTL_BASE_URL: baseUrl,
    BOTCTL_TOKEN: sandbox.tokens.full,
  };
}

/** The same file on that machine. */
function fileOf({ HOME = '' }: Record<string, string>, rows: number, change = ''): string {
  const path = join(HOME, 'news.csv');
  const lines = Array.from({ length: rows }, (_, row) => `r${row},conv_demo,row ${row}`);
  writeFileSync(path, `id,conversation_id,content\n${lines.join('\n')}\n${change}`);
  return path;
}

const words = (path: string, ...more: string[]) => ['batch', 'send', path, '--once', 'news', ...more];

function start(rows: number, ...more: string[]): Started {
  const env = machine();
  const runner = started(words(fileOf(env, rows), '--json', ...more), env);
  onTestFinished(() => void runner.child.kill('SIGKILL'));
  return runner;
}

function run(rows: number, ...more: string[]): Promise<Ran> {
  const env = machine();
  return botctlHere(words(fileOf(env, rows), '--json', ...more), { env });
}

const endOf = ({ stdout }: Ran): End => jsonLines(stdout).at(-1) as End;

async function effects(count: number): Promise<void> {
  while ((await sandbox.state()).counts.messages < count) await new Promise((done) => setTimeout(done, 10));
}

/** Some runner has something on record: its request is in flight, or about to leave. */
async function firstAttempt(): Promise<void> {
  const look = () => server.query('SELECT FROM botctl.attempts', [], journal);
  while ((await look()).length === 0) await new Promise((done) => setTimeout(done, 10));
}

/** How often each row happened. */
async function timesOf(rows: number): Promise<number[]> {
  const ledger = await sandbox.ledger();
  expect(ledger.length).toBe(rows);
  return Array.from({ length: rows }, (_, row) => {
    return ledger.filter(({ request }) => request.content === `row ${row}`).length;
  });
}

const onceEach = (rows: number) => Array.from({ length: rows }, () => 1);

test('the runners of a batch share its rows: each once, and each runner tells its own share and the whole', async () => {
  const rows = 30;
  const reports = [1, 2].map((runner) => join(machine().HOME ?? '', `report-${runner}.csv`));
  const runners = reports.map((report) => start(rows, '--rate', '60/s', '--report', report));
  const ended = await Promise.all(runners.map(({ ended }) => ended));
  expect(ended.map(({ code }) => code)).toEqual([0, 0]);
  expect(await timesOf(rows)).toEqual(onceEach(rows));
  const results = ended.map((one) => endOf(one).result);
  for (const { done, done_now = 0, done_before = 0, done_by_others = 0 } of results) {
    expect(done).toBe(rows);
    expect(done_now + done_before + done_by_others).toBe(rows);
  }
  expect(results.reduce((sum, { done_now = 0 }) => sum + done_now, 0)).toBe(rows);
  const [first, second] = reports.map((report) => readFileSync(report, 'utf8'));
  expect(first).toBe(second);
  const lines = first?.trimEnd().split('\n').slice(1) ?? [];
  expect(lines).toHaveLength(rows);
  for (const [row, line] of lines.entries())
    expect(line).toMatch(new RegExp(`^r${row},conv_demo,row ${row},done,[0-9a-f]{12},msg_`));
  const env = machine();
  const quiet = await botctlHere(words(fileOf(env, rows), '--quiet'), { env });
  expect(quiet.stdout.trimEnd().split('\n')).toEqual(lines.map((line) => line.split(',')[5]));
});

test('a runner goes on with all rows but the one that another waits for', async () => {
  const rows = 12;
  const gate = closedAfterTest(await startGate(sandbox.baseUrl));
  baseUrl = gate.baseUrl;
  const most = ['--concurrency', '1', '--timeout', '5m'];
  const stalled = gate.holdNext('reply');
  const slow = start(rows, ...most);
  await stalled;
  const other = run(rows, ...most);
  await effects(rows);
  gate.release();
  const ended = await Promise.all([slow.ended, other]);
  expect(ended.map(({ code }) => code)).toEqual([0, 0]);
  expect(ended.map((one) => endOf(one).result)).toMatchObject([
    { done: rows, done_now: 1, done_by_others: rows - 1 },
    { done: rows, done_now: rows - 1, done_by_others: 1 },
  ]);
  expect(await timesOf(rows)).toEqual(onceEach(rows));
});

test('the rows of a runner that is killed are taken over', async () => {
  const rows = 30;
  const killed = start(rows, '--rate', '60/s');
  const other = run(rows, '--rate', '60/s');
  await effects(8);
  killed.child.kill('SIGKILL');
  await silenceUntil(journal, killed.child.pid, other);
  const ended = await other;
  expect([ended.code, endOf(ended).result.done]).toEqual([0, rows]);
  expect(await timesOf(rows)).toEqual(onceEach(rows));
});

test('so are those of one that is stopped past its lease; continued, it starts nothing new', async () => {
  const rows = 15;
  const gate = closedAfterTest(await startGate(sandbox.baseUrl));
  baseUrl = gate.baseUrl;
  const answered = gate.holdNext('reply');
  // No door can know that a lease ended before its time, as here.
  const stopped = start(rows, '--concurrency', '1');
  await answered;
  stopped.child.kill('SIGSTOP');
  const taking = run(rows);
  await silenceUntil(journal, stopped.child.pid, taking);
  const other = await taking;
  expect([other.code, endOf(other).result]).toEqual([0, expect.objectContaining({ done: rows })]);
  const requests = sandbox.lines.length;
  gate.release();
  stopped.child.kill('SIGCONT');
  const late = await stopped.ended;
  // What came of its one request is on record by whoever was first; all else is done.
  expect([late.code, late.stderr]).toEqual([0, expect.anything()]);
  expect(endOf(late)).toMatchObject({ result: { done: rows, done_now: 1 } });
  expect(sandbox.lines.slice(requests).filter(({ operation }) => operation === 'message')).toEqual([]);
  expect(await timesOf(rows)).toEqual(onceEach(rows));
});

test('who is done early waits for the others, and says so; after --max-wait it leaves the rest to them', async () => {
  const rows = 20;
  await sandbox.faults({ kind: 'stall', when: 'before', ms: null, times: 1 });
  const slow = start(rows, '--concurrency', '1');
  await firstAttempt();
  const early = await run(rows, '--max-wait', '1s');
  expect([early.code, early.stderr]).toEqual([
    11,
    expect.stringContaining('waiting for 1 row that another process is sending'),
  ]);
  expect(endOf(early)).toMatchObject({
    error: { code: 'not-all-done', retry: 'same-command' },
  });
  const { result } = endOf(early);
  expect((result.not_sent ?? 0) + (result.sending ?? 0) + (result.done ?? 0)).toBe(rows);
  slow.child.kill('SIGKILL');
  const taking = run(rows);
  await silenceUntil(journal, slow.child.pid, taking);
  const last = await taking;
  expect([last.code, endOf(last).result.done]).toEqual([0, rows]);
  expect(await timesOf(rows)).toEqual(onceEach(rows));
});

describe('the journal', () => {
  test('needs no more of a runner’s role than journal migrate prints', async () => {
    const { stdout } = await botctlHere(['journal', 'migrate', '--quiet'], { env: machine() });
    const sql = stdout.replaceAll('botctl_runner', 'sharer');
    await server.query(`CREATE ROLE sharer LOGIN PASSWORD 'shares'`);
    await server.query(sql, [], journal);
    journal = asRole(journal, 'sharer', 'shares');
    expect((await run(3)).code).toBe(0);
    const file = fileOf(machine(), 3, 'r3,conv_demo,row 3');
    const more = await botctlHere(words(file, '--json'), { env: machine() });
    expect([more.code, endOf(more).result.done]).toEqual([0, 4]);
  });

  test('taken for dead by the others, a runner begins no new rows and says so', async () => {
    const rows = 60;
    // So slow that it is far from its end, however long the look takes.
    const fenced = start(rows, '--rate', '10/s');
    await effects(3);
    await server.query('UPDATE botctl.owners SET ended_at = renewed_at', [], journal);
    const ended = await fenced.ended;
    expect(ended.code).toBe(11);
    const { stopped, error, result } = endOf(ended);
    expect([stopped, error?.code, error?.retry]).toEqual(['failure', 'not-all-done', 'same-command']);
    expect(error?.message).toMatch(/silent for too long.*counts it as ended.*No new rows were started\.$/u);
    expect(error?.message).not.toContain('Nothing was sent');
    const { done_now: _now, done_before: _before, done_by_others: _others, ...stand } = result;
    expect(Object.values(stand).reduce((sum, count) => sum + count, 0)).toBe(rows);
    expect(result.not_sent).toBeGreaterThan(0);
    expect((await run(rows)).code).toBe(0);
    expect(await timesOf(rows)).toEqual(onceEach(rows));
  });

  test('away for a moment, is waited for; away for longer, it ends the batch and nothing is said that is not so', async () => {
    const rows = 60;
    const proxy = closedAfterTest(await startCuttableProxy(server.port));
    const { HOME = '', ...rest } = machine();
    const env = { ...rest, HOME, BOTCTL_JOURNAL: proxy.through(journal) };
    const report = join(HOME, 'report.csv');
    const argv = words(fileOf(env, rows), '--json', '--report', report);
    // Never at a COMMIT: one without an answer ends the run.
    const recording = { from: 'client', has: 'SET ended_at' } as const;
    const cut = proxy.when({ ...recording, nth: 3 }, 'cut');
    const running = botctl([...argv, '--rate', '10/s', '--max-wait', '2s'], { env });
    await cut;
    await effects(6);
    proxy.refuse();
    await proxy.when(recording, 'cut');
    const ended = await running;
    expect(ended.code).toBe(11);
    const { error, result } = endOf(ended);
    expect(error).toMatchObject({ code: 'not-all-done', retry: 'same-command' });
    expect(error?.message).toMatch(/\d not known\..*cannot be reached.*No new rows were started\.$/u);
    expect(error?.message).not.toContain('othing was sent');
    expect(result.unread).toBeGreaterThan(0);
    expect([existsSync(report), ended.stderr]).toEqual([false, expect.stringContaining('was not written')]);
    await proxy.accept();
    // It could not say that it left.
    await silence(journal);
    const again = await botctlHere(argv, { env });
    expect([again.code, endOf(again).result.done]).toEqual([0, rows]);
    expect(await timesOf(rows)).toEqual(onceEach(rows));
  });
});
