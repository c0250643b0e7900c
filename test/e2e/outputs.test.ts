import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { started } from '../support/botctl.ts';
import { payAda, SandboxHome, sendHello } from '../support/sandboxHome.ts';

let operator: SandboxHome;
beforeEach(async () => {
  operator = await SandboxHome.open();
});
afterEach(() => operator.close());

const inHome = (name: string): string => join(operator.home.path, name);
const sent = () => operator.sandbox.ledger();

const rows = 'id,conversation_id,content\na,conv_demo,Hi\nb,conv_demo,Ho\n';
const batch = (name: string, report: string): string[] => [
  ...['batch', 'send', operator.home.file('rows.csv', rows), '--once', name, '--report', report],
];

const outputs: [string, string, (path: string) => string[]][] = [
  ['the report of a batch', 'r.csv', (path) => batch('one', path)],
  ['a report as JSON Lines', 'r.jsonl', (path) => batch('one', path)],
  ['the report of a dry run', 'r.csv', (path) => [...batch('one', path), '--dry-run']],
  ['a backup', 'copy.db', (path) => ['journal', 'backup', path]],
];

describe.each(outputs)('%s', (_what, name, words) => {
  // A backup needs a journal.
  beforeEach(async () => void (await operator.run(sendHello)));

  test.each([
    ['another file', (path: string) => writeFileSync(path, 'of somebody')],
    ['nothing', () => {}],
  ])('follows no link to %s', async (_where, make) => {
    const [aim, path] = [inHome('aim'), inHome(name)];
    make(aim);
    symlinkSync(aim, path);
    const before = existsSync(aim) ? readFileSync(aim, 'utf8') : undefined;
    const { code, stderr } = await operator.run(words(path));
    expect([code, stderr]).toEqual([2, expect.stringMatching(/is a link|is there already/u)]);
    expect(existsSync(aim) ? readFileSync(aim, 'utf8') : undefined).toBe(before);
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    expect(await sent()).toHaveLength(1);
  });
});

test('a summary for GitHub follows no link', async () => {
  const [aim, path] = [operator.home.file('aim', 'of somebody'), inHome('summary')];
  symlinkSync(aim, path);
  const env = { ...operator.env, GITHUB_STEP_SUMMARY: path };
  for (const words of [payAda, sendHello]) expect((await operator.run(words, { env })).code).toBe(0);
  expect(readFileSync(aim, 'utf8')).toBe('of somebody');
});

test('a summary for GitHub waits for no reader of a pipe', async () => {
  const path = inHome('summary');
  execFileSync('mkfifo', [path]);
  const { child, ended } = started(payAda, { ...operator.env, GITHUB_STEP_SUMMARY: path });
  const timer = setTimeout(() => child.kill('SIGKILL'), 20_000);
  expect(await ended).toMatchObject({ code: 0, signal: null });
  clearTimeout(timer);
  expect(await operator.sandbox.ledger()).toHaveLength(1);
});
