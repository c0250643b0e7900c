// Driven by the SDK's own client, and on a terminal by raw lines. Each call is a process, as it is for users.
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Gate } from '../support/gate.ts';
import { program, programWords } from '../support/program.ts';
import { recipient } from '../support/sandbox.ts';
import { SandboxHome } from '../support/sandboxHome.ts';
import { noTerminal, shellOnTerminal } from '../support/terminal.ts';

/** All calls but a few go through one server, to a service behind one gate, each with a name of its own. */
let operator: SandboxHome;
let gate: Gate;
let shared: Client;
const clients: Client[] = [];
beforeAll(async () => {
  operator = await SandboxHome.open();
  gate = await operator.gate();
  shared = (await serve(operator.env, '--max-wait', '0s')).client;
});
beforeEach(() => operator.sandbox.reset());
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await operator.close();
});

type Server = { readonly client: Client; readonly pid: number };

async function serve(env: Record<string, string>, ...words: string[]): Promise<Server> {
  const transport = new StdioClientTransport({
    command: program,
    args: [...programWords, ...words, 'mcp'],
    env,
  });
  const client = new Client({ name: 'test', version: '1' });
  clients.push(client);
  await client.connect(transport);
  return { client, pid: transport.pid ?? 0 };
}

type Answer = { readonly text: string; readonly isError: boolean };

type How = { readonly signal?: AbortSignal; readonly client?: Client };

async function call(name: string, given: object, { client = shared, ...options }: How = {}): Promise<Answer> {
  const { content, isError } = await client.callTool({ name, arguments: { ...given } }, options);
  const [first] = content as { text?: string }[];
  expect(first?.text).not.toContain(operator.sandbox.tokens.full);
  return { text: first?.text ?? '', isError: isError === true };
}

const rentOf = (month: string) => ({ name: `rent-${month}`, to: recipient, asset: 'SOL', amount: '0.5' });
const helloTo = (name: string) => ({ name: `hello-${name}`, conversation: 'conv_demo', content: 'Hello' });
const today = (): string => new Date().toISOString().slice(0, 10);
const idIn = ({ text }: Answer): string => /"id":"(\w+)"/u.exec(text)?.[1] ?? '';
const ledger = () => operator.sandbox.ledger();

async function approve(id: string): Promise<void> {
  expect((await operator.run(['approve', id, '--yes'])).code).toBe(0);
}

describe('the tools', () => {
  test('are these eight; what sends needs a name, and none decides, repeats, or takes a path', async () => {
    const { tools } = await shared.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'preview_message',
      'send_message',
      'preview_payment',
      'propose_payment',
      'find',
      'batch_status',
      'balance',
      'policy',
    ]);
    const takes = tools.flatMap(({ inputSchema }) => Object.keys(inputSchema.properties ?? {}));
    expect([...new Set(takes)].sort().join(' ')).toBe(
      'amount asset batch buttons content conversation entry kind limit memo name reply_to since state to',
    );
    for (const { name, title, description, inputSchema, annotations } of tools) {
      const sends = name === 'send_message' || name === 'propose_payment';
      expect([title, description].every((text) => text !== undefined && text !== '')).toBe(true);
      expect(annotations).toMatchObject({ readOnlyHint: !sends, idempotentHint: true });
      expect(inputSchema.required?.includes('name') ?? false).toBe(sends || name.startsWith('preview'));
    }
    // What a model pays for in each of its turns: some 1,600 tokens.
    expect(JSON.stringify(tools).length).toBeLessThan(7000);
  });

  test('that look, look', async () => {
    const [hello, rent] = [helloTo('looked-for'), rentOf('2026-01')];
    await call('send_message', hello);
    // The bot has no node.
    const [found, transfers, policy, batches, balance, seen] = await Promise.all([
      call('find', { entry: hello.name }),
      call('find', { kind: 'transfer' }),
      ...['policy', 'batch_status', 'balance'].map((name) => call(name, {})),
      call('preview_payment', rent),
    ]);
    expect(found).toMatchObject({ isError: false, text: expect.stringContaining('"attempts":[{') });
    expect(transfers?.text).not.toContain(hello.name);
    expect([policy, batches, balance].map((one) => one?.isError)).toEqual([false, false, true]);
    expect(seen).toMatchObject({ isError: false, text: expect.stringContaining('"needs-approval"') });
    expect(await ledger()).toHaveLength(1);
  });
});

test('a call is for the profile that was in use when the server was started', async () => {
  const own = await SandboxHome.open();
  const other = { 'base-url': 'http://127.0.0.1:9' };
  own.useProfiles({ main: {}, other }, 'main');
  const { client } = await serve(own.env);
  own.useProfiles({ main: {}, other }, 'other');
  expect(await call('send_message', helloTo('main'), { client })).toMatchObject({ isError: false });
  expect(await own.sandbox.ledger()).toHaveLength(1);
  await own.close();
});

test('an answer is cut at 256 KB, and is what it was', async () => {
  const body = { message: { id: 'msg_1', content: 'x'.repeat(300_000) } };
  await operator.sandbox.faults({ kind: 'reply', when: 'after', operation: 'message', status: 200, body });
  const { text, isError } = await call('send_message', helloTo('long'));
  expect([isError, text.length]).toEqual([false, 256 * 1024 + '\n(cut at 256 KB)'.length]);
});

describe('a payment', () => {
  test('waits, is paid by the same call once a person approved it, and not again', async () => {
    const rent = rentOf('2026-12');
    let id = '';
    for (const _ of [1, 2]) {
      const waiting = await call('propose_payment', rent);
      expect(waiting.isError).toBe(false);
      expect(waiting.text).toMatch(/^Waiting for a person’s approval; nothing was sent/u);
      id = idIn(waiting);
    }
    await approve(id);
    const paid = await call('propose_payment', rent);
    expect(paid).toMatchObject({ isError: false, text: expect.stringMatching(/^\{.*"outcome":"accepted"/u) });
    const again = await call('propose_payment', rent);
    expect(again.isError).toBe(false);
    expect(again.text.split('\n')[0]).toBe(`Already paid on ${today()}; nothing was sent now.`);
    const other = await call('propose_payment', { ...rent, amount: '0.6' });
    expect(other).toMatchObject({ isError: true, text: expect.stringContaining('"other-body"') });
    expect(await ledger()).toHaveLength(1);
  });

  test('that was declined is no success, and is not told as waiting', async () => {
    const rent = { ...rentOf('2026-11'), amount: '0.7' };
    const id = idIn(await call('propose_payment', rent));
    await operator.run(['decline', id, '--reason', 'the invoice says 0.4', '--yes']);
    const declined = await call('propose_payment', rent);
    expect(declined).toMatchObject({ isError: true, text: expect.stringContaining('the invoice says 0.4') });
    expect(declined.text).not.toContain('Waiting');
    expect(await ledger()).toEqual([]);
  });
});

describe('an argument', () => {
  test('that is wrong is told, and nothing is sent', async () => {
    const hello = helloTo('wrong');
    const wrong: Readonly<Record<string, object>> = {
      'no name': { ...hello, name: undefined },
      'what no tool takes': { ...hello, yes: true },
      'another profile': { ...hello, profile: 'other' },
      'a number': { ...hello, content: 1 },
      'more than 64 KB': { ...hello, content: 'é'.repeat(40_000) },
      'a NUL': { ...hello, content: 'a\0b' },
      'half a character': { ...hello, content: '\ud83d' },
      stdin: { ...hello, content: '-' },
    };
    for (const [what, given] of Object.entries(wrong))
      expect(await call('send_message', given), what).toMatchObject({ isError: true });
    await expect(call('approve', {})).rejects.toThrow('approve');
    expect(await ledger()).toEqual([]);
  });

  test('what begins with - is a value', async () => {
    const given = { ...helloTo('dash'), name: '--repeat', content: '--yes' };
    expect(await call('send_message', given)).toMatchObject({ isError: false });
    expect((await call('find', { entry: '--repeat' })).text).toContain('"content":"--yes"');
    expect(await call('batch_status', { batch: '--help' })).toMatchObject({ isError: true });
  });
});

describe('it happened once', () => {
  /** It waits for what another of its calls sends. */
  let patient: Server;
  beforeAll(async () => {
    patient = await serve(operator.env);
  });

  test('where the answer was lost and the call is made again', async () => {
    const hello = helloTo('lost');
    await operator.sandbox.faults({ kind: 'drop', when: 'after', operation: 'message' });
    const lost = await call('send_message', hello);
    expect(lost).toMatchObject({ isError: true, text: expect.stringContaining('"same-command"') });
    expect(await call('send_message', hello)).toMatchObject({ isError: false });
    const again = await call('send_message', hello);
    expect(again.text).toMatch(/^Already sent on \d{4}-\d\d-\d\d; nothing was sent now\.\n/u);
    expect(await ledger()).toHaveLength(1);
  });

  test('where two calls come at once, of one name and of two', async () => {
    const [two, other] = [helloTo('two'), helloTo('other')];
    const { client } = patient;
    const all = [two, two, other].map((given) => call('send_message', given, { client }));
    expect((await Promise.all(all)).map(({ isError }) => isError)).toEqual([false, false, false]);
    expect(await ledger()).toHaveLength(2);
  });

  test('where the call is cancelled: as with Ctrl-C, it is not told as done', async () => {
    const hello = helloTo('cancelled');
    const arrived = gate.holdNext('reply');
    const cancel = new AbortController();
    const cancelled = call('send_message', hello, { signal: cancel.signal });
    await arrived;
    cancel.abort();
    await expect(cancelled).rejects.toThrow();
    gate.release();
    expect(await call('send_message', hello)).toMatchObject({ isError: false });
    expect(await ledger()).toHaveLength(1);
  });

  test('where the server is killed in flight, and the call is made to another', async () => {
    const hello = helloTo('killed');
    const { client, pid } = patient;
    const arrived = gate.holdNext('reply');
    const lost = call('send_message', hello, { client }).catch(() => 'lost');
    await arrived;
    process.kill(pid, 'SIGKILL');
    expect(await lost).toBe('lost');
    const again = call('send_message', hello);
    gate.release();
    expect(await again).toMatchObject({ isError: false });
    expect(await ledger()).toHaveLength(1);
  });
});

test.skipIf(noTerminal !== '')(`on a terminal it asks nothing there${noTerminal}`, async () => {
  const rent = { ...rentOf('2026-10'), amount: '0.9' };
  const { to, asset, amount, name } = rent;
  const pay = `transfer --to ${to} --asset ${asset} --amount ${amount}`;
  const proposed = await operator.json([...pay.split(' '), '--propose', '--once', name]);
  await approve(proposed.entry?.id ?? '');
  const client = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'raw', version: '1' },
  };
  const lines = [
    { id: 1, method: 'initialize', params: client },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/call', params: { name: 'propose_payment', arguments: rent } },
  ].map((one) => JSON.stringify({ jsonrpc: '2.0', ...one }));
  const input = operator.home.file('lines', `${lines.join('\n')}\n`);
  const raw = [
    'coproc S { botctl mcp; }',
    `cat '${input}' >&"\${S[1]}"`,
    `while read -r got <&"\${S[0]}"; do case $got in *'"id":2'*) echo "$got"; break ;; esac; done`,
  ];
  const { code, shown } = await shellOnTerminal(raw.join('; '), [], operator.env);
  expect(code).toBe(0);
  expect(shown.replaceAll(/\s/gu, '')).toContain(String.raw`\"outcome\":\"accepted\"`);
  expect(shown).not.toContain('[y/N]');
  expect(await ledger()).toHaveLength(1);
});
