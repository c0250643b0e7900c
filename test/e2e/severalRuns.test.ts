import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { started } from '../support/botctl.ts';
import { botctlHere } from '../support/builtHere.ts';
import { lastLine } from '../support/jsonOutput.ts';
import { startCuttableProxy } from '../support/postgres/cuttableProxy.ts';
import { newSharedJournal } from '../support/postgres/newJournal.ts';
import { sharedServer } from '../support/postgres/server.ts';
import { recipient } from '../support/sandbox.ts';
import { SandboxHome } from '../support/sandboxHome.ts';

let operator: SandboxHome;
beforeEach(async () => {
  operator = await SandboxHome.open();
});
afterEach(() => operator.close());

const csv = (...rows: string[]): string => `id,to_address,asset,amount\n${rows.join('\n')}\n`;
const manyRows = (rows: number): string =>
  csv(...Array.from({ length: rows }, (_, n) => `r${n},${recipient},SOL,0.00${1000 + n}`));
const words = (file: string, ...more: string[]): string[] => [
  ...['batch', 'transfer', file, '--once', 'pay', '--yes', '--json'],
  ...more,
];
const paid = async (): Promise<number> => (await operator.sandbox.ledger()).length;
const paidAtLeast = async (count: number): Promise<void> => {
  while ((await paid()) < count) await new Promise((done) => setTimeout(done, 20));
};

test('of two runs with a journal in a file, one that is interrupted knows what the other has paid, also in its report', async () => {
  const { env, home } = operator;
  const file = home.file('pay.csv', manyRows(8));
  const report = `${home.path}/report.csv`;
  const slow = started(words(file, '--rate', '30/m', '--report', report), env);
  await paidAtLeast(1);
  expect((await botctlHere(words(file), { env })).code).toBe(0);
  slow.child.kill('SIGINT');
  const { stdout, code } = await slow.ended;
  expect([code, await paid()]).toEqual([0, 8]);
  expect(lastLine(stdout)).toMatchObject({ result: { done: 8 } });
  expect(readFileSync(report, 'utf8').match(/,done,/gu)).toHaveLength(8);
});

test('a runner whose token may not pay leaves its rows to the others', async () => {
  const { sandbox, env, home } = operator;
  const gate = await operator.gate();
  env.BOTCTL_JOURNAL = await newSharedJournal(await sharedServer());
  const file = home.file('pay.csv', manyRows(8));
  const held = gate.holdNext('request');
  const runs = started(words(file, '--concurrency', '1'), env);
  await held;
  const poor = { BOTCTL_TOKEN: sandbox.tokens.no_wallet, XDG_DATA_HOME: `${home.path}/other` };
  const refused = await botctlHere(words(file), { env: { ...env, ...poor } });
  expect([refused.code, await paid()]).toEqual([11, 0]);
  gate.release();
  expect([(await runs.ended).code, await paid()]).toEqual([0, 8]);
});

test('a batch whose journal goes away while it waits for the chain tells what it sent', async () => {
  const node = await SandboxHome.openWithNode();
  const server = await sharedServer();
  const proxy = await startCuttableProxy(server.port);
  const env = { ...node.env, BOTCTL_JOURNAL: proxy.through(await newSharedJournal(server)) };
  await node.sandbox.readings({ commitment_held_at: 'processed' });
  const waits = ['--wait', '--max-wait', '2s'];
  const run = started(words(node.home.file('pay.csv', manyRows(2)), ...waits), env);
  await new Promise<void>((done) => {
    run.child.stderr?.on('data', (said: string) => said.includes('Waiting up to') && done());
  });
  proxy.refuse();
  proxy.now('cut');
  const { code, stdout } = await run.ended;
  expect([code, lastLine(stdout)]).toEqual([
    11,
    expect.objectContaining({ result: expect.objectContaining({ done: 2 }) }),
  ]);
  await proxy.close();
  await node.close();
});
