// `botctl --sandbox …` and `botctl sandbox` on one data folder, all at once.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { botctl } from '../support/botctl.ts';
import { Home } from '../support/home.ts';
import { imbalances } from '../support/killRounds.ts';
import { controlOf, recipient } from '../support/sandbox.ts';
import { startSandboxProcess } from '../support/sandboxProcess.ts';

let home: Home;
beforeEach(() => {
  home = new Home();
});
afterEach(() => home.remove());

const send = (content: string): string[] => [
  ...['--sandbox', 'send', '--conversation', 'conv_demo', '--content', content],
];
const transfer = (amount: string): string[] => [
  ...['--sandbox', 'transfer', '--to', recipient, '--asset', 'SOL', '--amount', amount],
];

test('several commands and a running sandbox share one folder, from its first moment on', async () => {
  const commands = [send('a'), transfer('1'), send('b'), transfer('2')];
  const [sandbox, ...ended] = await Promise.all([
    startSandboxProcess([], home.env),
    ...commands.map((line) => botctl([...line, '--quiet'], { env: home.env })),
  ]);
  expect(ended.map(({ code, stderr }) => [code, stderr])).toEqual(commands.map(() => [0, '']));
  const { ledger, state, readings } = controlOf(sandbox.greeting.base_url);
  const effects = await ledger();
  expect(effects.map(({ signature, id }) => signature ?? id).sort()).toEqual(
    ended.map(({ stdout }) => stdout.trim()).sort(),
  );
  expect(imbalances(await state())).toEqual([]);
  await readings({ transfer_status: 'settling' });
  const { stdout } = await botctl([...transfer('3'), '--json'], { env: home.env });
  expect(JSON.parse(stdout)).toMatchObject({ transfer: { status: 'settling' } });
  await sandbox.end('SIGTERM');
});

test('nothing is written outside the data folder', async () => {
  const data = join(home.path, 'elsewhere');
  const sandbox = await startSandboxProcess(['--data', data], home.env);
  await sandbox.end('SIGTERM');
  expect(readdirSync(home.path)).toEqual(['elsewhere']);
  expect(readdirSync(data).filter((name) => !name.startsWith('sandbox.db'))).toEqual([]);
  expect(statSync(join(data, 'sandbox.db')).size).toBeGreaterThan(0);
  expect(statSync(join(data, 'sandbox.db-wal'), { throwIfNoEntry: false })?.size ?? 0).toBe(0);
});
