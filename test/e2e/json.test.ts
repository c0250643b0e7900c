import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { outputs } from '../../scripts/schema/outputs.ts';
import { botctlHere } from '../support/builtHere.ts';
import { Home } from '../support/home.ts';
import { jsonLines, undocumented } from '../support/jsonOutput.ts';
import { sharedServer } from '../support/postgres/server.ts';
import { recipient } from '../support/sandbox.ts';
import { startSandboxProcess } from '../support/sandboxProcess.ts';

let home: Home;
beforeAll(() => {
  home = new Home();
});
afterAll(() => home.remove());

const seen = new Set<string>();

/** Runs a command with --json, and notes which of the documented objects it printed. */
async function lines(words: readonly string[], stdin = ''): Promise<Record<string, unknown>[]> {
  const { stdout } = await botctlHere([...words, '--json'], { env: home.env, stdin });
  const found = jsonLines(stdout);
  for (const line of found) note(line);
  return found;
}

function idOf(line: Record<string, unknown> | undefined): { id: string } {
  return (line?.entry ?? { id: '' }) as { id: string };
}

function note(line: unknown): void {
  expect(undocumented(JSON.stringify(line))).toBeUndefined();
  for (const { name, schema } of outputs) if (schema.safeParse(line).success) seen.add(name);
}

async function printMost(): Promise<void> {
  const message = ['--sandbox', 'send', '--conversation', 'conv_demo', '--content', 'x'];
  const [sent] = await lines([...message, '--button', 'label=Yes,id=y', '--once', 'a']);
  expect(sent).toMatchObject({ outcome: 'accepted', replayed: false, entry: { name: 'a' } });
  expect((await lines([...message, '--button', 'label=Yes,id=y', '--once', 'a']))[0]).toMatchObject({
    replayed: true,
  });
  await lines([...message, '--dry-run']);
  await lines([...message, '--once', 'a', '--content-file', '-'], 'y');
  const paid = ['--sandbox', 'transfer', '--to', recipient, '--asset', 'SOL', '--amount'];
  const [transfer] = await lines([...paid, '1']);
  expect(transfer).toMatchObject({ transfer: { signature: expect.any(String) } });
  const [poor] = await lines([...paid, '100000']);
  expect(poor).toMatchObject({ outcome: 'rejected', error: { code: 'insufficient-balance' } });
  expect((await lines(['--sandbox', 'history'])).length).toBe(3);
  expect((await lines(['--sandbox', 'history', '--total'])).length).toBe(1);
  const { id } = idOf(sent);
  expect((await lines(['--sandbox', 'history', id]))[0]).toMatchObject({
    attempts: [{ number: 1, verdict: 'accepted' }],
  });
  await lines(['--sandbox', 'verify', '--all']);
  await lines(['--sandbox', 'verify', '--wallet']);
  await lines(['--sandbox', 'balance']);
  await lines(['--sandbox', 'resume', id]);
  await lines(['--sandbox', 'resolve', id, '--happened', '--reason', 'seen']);

  const batch = ['--sandbox', 'batch', 'transfer', '-', '--once', 'b'];
  const rows = `id,to_address,asset,amount\n1,${recipient},SOL,0.1\n2,${recipient},SOL,0.2\n`;
  await lines([...batch, '--dry-run'], rows);
  await lines(['batch', 'transfer', home.file('rows.csv', rows), '--dry-run']);
  await lines(batch, rows);
  await lines(['--sandbox', 'batch', 'transfer', '-', '--once', 'c'], rows);
  await lines(['--sandbox', 'batch', 'status', 'b']);
  await lines([...batch, '--skip-invalid'], `${rows}3,${recipient},SOL,zero\n`);
  await lines(batch, rows.replace('0.2', '0.3'));
  await lines(batch, `${rows}3,${recipient},SOL,zero\n`);

  await lines(['config', 'journal']);
  await lines(
    ['config', 'add', 'prod', '--base-url', 'https://bots.example.com', '--token-stdin'],
    'abcdefghijklmnop\n',
  );
  await lines(['config', 'set', 'prod', 'timeout', '5s']);
  await lines(['config', 'list']);
  await lines(['config', 'show']);
  await lines(['config', 'remove', 'prod', '--yes']);
  await lines(['--sandbox', 'journal', 'backup', join(home.path, 'backup.db')]);
  const closed = await lines(['--sandbox', 'journal', 'close', '--reason', 'leaked']);
  expect(closed).toMatchObject([{ closed: true, reason: 'leaked' }]);
  expect(await lines(['--sandbox', 'journal', 'open'])).toMatchObject([{ closed: false }]);
  const nothing = await lines(['--sandbox', 'journal', 'accept-loss', '--yes']);
  expect(nothing).toMatchObject([{ accepted: false, missing: [] }]);
  rmSync(join(home.path, 'data', 'botctl', 'sandbox', 'journal.db'));
  expect(await lines(['--sandbox', 'journal', 'accept-loss', '--yes'])).toMatchObject([{ accepted: true }]);
  for (const words of [['doctor', '--sandbox'], ['help', 'send'], ['completion', 'zsh'], ['sned']])
    await lines(words);
}

async function printShared(): Promise<void> {
  const server = await sharedServer();
  home.env.BOTCTL_JOURNAL = await server.newDatabase();
  expect((await lines(['journal', 'migrate']))[0]).toMatchObject({ made: true });
  const policy = home.policy('{"schema":"botctl-policy/1","limits":{"SOL":{"day":"5"}}}');
  expect((await lines(['policy', 'check', policy]))[0]).toMatchObject({ command: 'policy check' });
  expect((await lines(['journal', 'accept-loss']))[0]).toMatchObject({ accepted: false, missing: [] });
  delete home.env.BOTCTL_JOURNAL;
}

async function printDecision(): Promise<void> {
  const service = await startSandboxProcess(['--ephemeral']);
  try {
    const { base_url, tokens } = service.greeting;
    note(service.greeting);
    home.env.BOTCTL_TOKEN = tokens.full;
    home.env.BOTCTL_BASE_URL = base_url;
    await fetch(`${base_url}/control/faults`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ faults: [{ kind: 'drop', when: 'after', times: 1 }] }),
    });
    const unknown = ['transfer', '--to', recipient, '--asset', 'SOL', '--amount', '0.5', '--max-wait', '0s'];
    const [first] = await lines(unknown);
    expect(first).toMatchObject({ outcome: 'unknown', error: { code: 'unknown', retry: 'same-command' } });
    const { id } = idOf(first);
    expect((await lines(['history', '--state', 'unknown']))[0]).toMatchObject({ entry: { id } });
    const onChain =
      '5rDWq8ntdFdPYUHNDAyGFUVv1oyPC5Y662Gbtokvvhm5vUVnpQqfnvJtAkSx9TRu7NFbRuVxik6xTsjYr9jRrz1c';
    const decided = await lines(['resolve', id, '--happened', '--signature', onChain, '--reason', 'seen']);
    expect(decided[0]).toMatchObject({ outcome: 'resolved', transfer: { signature: onChain } });
    expect((await lines(['history', id]))[0]).toMatchObject({ decisions: [{ kind: 'happened' }] });
    await expect.poll(() => service.lines.length).toBeGreaterThan(0);
    for (const line of service.lines) note(line);
  } finally {
    await service.end('SIGTERM');
  }
}

test('every documented object is printed by some command, and nothing else is', async () => {
  await printMost();
  await printDecision();
  await printShared();
  expect([...seen].sort()).toEqual(outputs.map(({ name }) => name).sort());
});
