// The built program's `botctl sandbox`, as a person or a script runs it.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { botctl } from '../support/botctl.ts';
import { Home } from '../support/home.ts';
import { program, programWords } from '../support/program.ts';
import { controlOf, paths, recipient } from '../support/sandbox.ts';
import { type Greeting, type SandboxProcess, startSandboxProcess } from '../support/sandboxProcess.ts';

const shared = new Home();

let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'botctl-e2e-'));
});
afterAll(() => {
  rmSync(home, { recursive: true, force: true });
  shared.remove();
});

type Posted = { status: number; json: Record<string, unknown> };

async function post(
  { base_url, tokens }: Greeting,
  operation: 'message' | 'transfer',
  body: object,
): Promise<Posted> {
  const response = await fetch(base_url + paths[operation], {
    method: 'POST',
    headers: { Authorization: `Bot ${tokens.full}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
}

const hello = { conversation_id: 'conv_demo', content: 'hello', idempotency_key: 'first-key-of-all' };
const pay = { to_address: recipient, asset: 'SOL', amount: '1', idempotency_key: 'k' };

function run(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const env = { ...process.env, XDG_DATA_HOME: join(home, 'share'), NO_COLOR: '1' };
  return spawnSync(program, [...programWords, 'sandbox', ...args], {
    env,
    encoding: 'utf8',
    timeout: 10_000,
  });
}

async function linesOf(sandbox: SandboxProcess, count: number): Promise<Record<string, unknown>[]> {
  for (let waited = 0; sandbox.lines.length < count && waited < 1000; waited += 1) await sleep(20);
  return sandbox.lines;
}

describe('botctl sandbox', () => {
  test('says with --json on its first line where it is, then a line per request', async () => {
    const sandbox = await startSandboxProcess(['--data', join(home, 'lines')]);
    const { greeting } = sandbox;
    expect(greeting).toEqual({
      schema: 'botctl/1',
      command: 'sandbox',
      base_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      tokens: { full: expect.any(String), no_send: expect.any(String), no_wallet: expect.any(String) },
      conversations: expect.arrayContaining(['conv_demo']),
      wallet: {
        address: expect.any(String),
        balances: [
          { asset: 'SOL', amount: '100' },
          { asset: 'USDC', amount: '10000' },
        ],
      },
      rpc_url: `${greeting.base_url}/rpc`,
      genesis_hash: expect.any(String),
      assets: { USDC: expect.any(String) },
    });
    const { json } = await post(greeting, 'transfer', pay);
    await post(greeting, 'message', { ...hello, conversation_id: 'nowhere' });
    expect(await linesOf(sandbox, 2)).toMatchObject([
      { at: expect.any(String), operation: 'transfer', status: 200, key: 'k', effect: json.signature },
      { operation: 'message', status: 404, key: 'first-key-of-all', reason: 'conversation_not_found' },
    ]);
    expect(await sandbox.end('SIGINT')).toBe(0);
  });

  test('keeps its tokens, wallet, money and keys across a restart', async () => {
    const data = ['--data', join(home, 'restart')];
    const first = await startSandboxProcess(data);
    const before = await post(first.greeting, 'transfer', pay);
    expect(await first.end('SIGTERM')).toBe(0);
    const second = await startSandboxProcess(data);
    expect(second.greeting.tokens).toEqual(first.greeting.tokens);
    expect(second.greeting.wallet.balances[0]).toEqual({ asset: 'SOL', amount: '98.999995' });
    expect(await post(second.greeting, 'transfer', pay)).toEqual(before);
    await second.end('SIGTERM');
  });

  test.each(['SIGTERM'] as const)('%s lets what is in flight land', async (signal) => {
    const data = join(home, `flight-${signal}`);
    const sandbox = await startSandboxProcess(['--data', data]);
    await post(sandbox.greeting, 'transfer', { ...pay, idempotency_key: 'warm' });
    const bodies = Array.from({ length: 20 }, (_, n) => ({ ...pay, idempotency_key: `k${n}` }));
    const flights = bodies.map((body) => post(sandbox.greeting, 'transfer', body).catch(() => undefined));
    await Promise.race(flights);
    const ended = sandbox.end(signal);
    const landed = (await Promise.all(flights)).filter((reply) => reply?.status === 200).length;
    expect(await ended).toBe(0);
    const again = await startSandboxProcess(['--data', data]);
    const effects = await controlOf(again.greeting.base_url).ledger();
    expect(effects).toHaveLength(landed + 1);
    await again.end('SIGTERM');
  });

  test.runIf(process.platform === 'linux')('loads the VM for the first transfer and not before', async () => {
    const sandbox = await startSandboxProcess(['--ephemeral']);
    const loaded = (): boolean => readFileSync(`/proc/${sandbox.child.pid}/maps`, 'utf8').includes('litesvm');
    await post(sandbox.greeting, 'message', hello);
    await controlOf(sandbox.greeting.base_url).state();
    expect(loaded()).toBe(false);
    await post(sandbox.greeting, 'transfer', pay);
    expect(loaded()).toBe(true);
    await sandbox.end('SIGTERM');
  });

  test('--ephemeral leaves nothing behind', async () => {
    const temporary = mkdtempSync(join(home, 'tmp-'));
    const sandbox = await startSandboxProcess(['--ephemeral'], { TMPDIR: temporary });
    expect(readdirSync(temporary)).toHaveLength(1);
    await post(sandbox.greeting, 'message', hello);
    expect(await sandbox.end('SIGINT')).toBe(0);
    expect(readdirSync(temporary)).toEqual([]);
  });

  test.each([[[]], [['--json']]])(
    'ends when the reader of its output has gone, and says so %j',
    async (face) => {
      const child = spawn(program, [...programWords, 'sandbox', '--ephemeral', ...face], {
        env: { ...process.env, ...shared.env },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let [shown, said] = ['', ''];
      child.stderr.on('data', (chunk) => {
        said += chunk;
      });
      for await (const chunk of child.stdout) {
        shown += chunk;
        // Leaving the loop closes the pipe.
        if (/http:\/\/[\d.]+:\d+[\s\S]*\n/u.test(shown)) break;
      }
      const [baseUrl = ''] = shown.match(/http:\/\/[\d.]+:\d+/u) ?? [];
      // Whoever writes hears of it: a line for each request.
      while (child.exitCode === null) await fetch(`${baseUrl}/api/bot/v1/none`).catch(() => {});
      expect(child.exitCode).toBe(0);
      expect(said).toContain('The reader of the sandbox’s output is gone, so the sandbox ends.');
    },
  );

  test('a port in use, or a folder that is none, is one clear sentence', async () => {
    const sandbox = await startSandboxProcess(['--ephemeral']);
    const { port } = new URL(sandbox.greeting.base_url);
    const taken = run('--ephemeral', '--port', port);
    expect([taken.status, taken.stderr]).toEqual([
      1,
      expect.stringMatching(/^botctl: The sandbox cannot start: the port is already in use\./),
    ]);
    await sandbox.end('SIGTERM');
    expect(run('--data', '/dev/null/x').status).toBe(1);
  });

  test('prints a line that makes a profile for it and for its chain, to be pasted', async () => {
    const { env } = shared;
    const sandbox = await startSandboxProcess(['--ephemeral']);
    const where = ['--sandbox', '--base-url', sandbox.greeting.base_url];
    const { code, stdout } = await botctl(['config', 'add', 'local', ...where, '--json'], { env });
    await sandbox.end('SIGTERM');
    const { base_url, wallet, genesis_hash: cluster, assets } = sandbox.greeting;
    const chain = { rpc: new URL(base_url).host, cluster, wallet: wallet.address, assets };
    expect({ code, profile: JSON.parse(stdout).profile }).toMatchObject({
      code: 0,
      profile: { base_url, ...chain },
    });
    const { stdout: shown } = await botctl(['sandbox', '--ephemeral'], { env, interruptAtOutput: true });
    expect(shown).toMatch(/^ {2}botctl config add local --sandbox( --base-url http:\S+)?$/mu);
  });
});
