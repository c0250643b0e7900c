import { EventEmitter, once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openFile } from '../../src/once/journal/file/opening.ts';
import { SkippingClock } from '../support/builtHere.ts';
import { jsonLines } from '../support/jsonOutput.ts';
import { nodeBeside } from '../support/nodeBeside.ts';
import { newSharedJournal } from '../support/postgres/newJournal.ts';
import { sharedServer } from '../support/postgres/server.ts';
import { otherRecipient } from '../support/sandbox.ts';
import { type Exited, payAda, SandboxHome, said } from '../support/sandboxHome.ts';

let operator: SandboxHome;
beforeEach(async () => {
  operator = await SandboxHome.openWithNode(new SkippingClock());
  await operator.sandbox.readings({ slot_ms: 0 });
});
afterEach(() => operator.close());

type Chain = { verdict: string; reasons: string[]; signature: string; paid: object };
type Told = Exited & { chain?: Chain; decisions?: object[] };

const told = async (...argv: string[]): Promise<Told> => (await operator.json(argv)) as Told;

async function config(...argv: string[]): Promise<void> {
  const { code, stderr } = await operator.run(['config', ...argv]);
  expect(code, stderr).toBe(0);
}

function addBot(name: string, baseUrl: string): void {
  operator.useProfiles({ payer: operator.chainProfile(), [name]: operator.chainProfile(baseUrl) }, 'payer');
}

describe('verify', () => {
  test('of all goes on past a bot whose profile is gone, and counts what it could not look up', async () => {
    addBot('tips', operator.sandbox.baseUrl);
    await told(...payAda, '--once', 'a');
    await told(...payAda, '--once', 'b', '--repeat', '--profile', 'tips');
    await config('remove', 'tips', '--yes');
    expect(await operator.run(['verify', '--all'])).toMatchObject({
      code: 0,
      stdout: '1 proven, 0 contradicted, 0 undecided, 1 not looked up.\n',
      stderr: expect.stringContaining('warning: The profile tips no longer exists'),
    });
    const again = await operator.run(['verify', '--all']);
    expect(again).toMatchObject({
      code: 0,
      stdout: '0 proven, 0 contradicted, 0 undecided, 1 not looked up.\n',
    });
    expect(again.stderr).toContain('1 transfer was not looked up');
    expect(again.stderr).not.toContain('config set tips');
    expect(await operator.run(['verify', '--all', '--profile', 'tips'])).toMatchObject({ code: 2 });
    const byAnother = await operator.run(['verify', '--all', '--profile', 'payer']);
    expect(byAnother).toMatchObject({ code: 0, stdout: '1 proven, 0 contradicted, 0 undecided.\n' });
  });
});

const [to, other] = [payAda[2], otherRecipient];
const pay = (name: string, amount = '0.5', asset = 'SOL', address: string = to): string[] => [
  ...['transfer', '--to', address, '--asset', asset, '--amount', amount, '--once', name, '--repeat'],
];
const waits = ['--wait'];

/** The node of a host of its own: the sandbox's, but for what `twist` makes of its replies. */
async function anotherNode(twist: (reply: string) => { status?: number; text: string }): Promise<string> {
  const { rpcUrl } = operator.sandbox.node;
  const url = await nodeBeside(async (request, reply) => {
    const body = Buffer.concat(await request.toArray());
    const answer = await fetch(rpcUrl, { method: 'POST', body, headers: json });
    const { status = 200, text } = twist(await answer.text());
    reply.writeHead(status, { ...json, location: rpcUrl }).end(text);
  }, '127.0.0.2');
  return `${url}/?api-key=${secret}`;
}

const json = { 'content-type': 'application/json' };
const secret = 'a-key-that-nobody-may-see';

async function name(url: string): Promise<void> {
  const words = ['config', 'set', 'payer', 'rpc-url', '--token-stdin'];
  const { code } = await operator.run(words, { stdin: url });
  expect(code).toBe(0);
}

describe('a node of another host', () => {
  test.each([
    [403, 3, 'node-refused'],
    [307, 8, 'node-unusable'],
  ] as const)('that answers %i ends it before anything is sent', async (status, exit, code) => {
    await name(await anotherNode((text) => ({ status, text })));
    expect(await told(...pay('a', '1'), ...waits)).toMatchObject({ exit, error: { code } });
    expect(await operator.sandbox.ledger()).toEqual([]);
  });

  test('is shown by nothing but its host, whatever it answers', async () => {
    const url = await anotherNode((text) => ({
      text: text.replace('"jsonrpc"', `"key":"${secret}","jsonrpc"`),
    }));
    await name(url);
    const lines = [
      [...pay('a', '1'), ...waits, '--verbose'],
      ...[
        ['verify', '--all', '--verbose'],
        ['history', '--json'],
        ['config', 'show', 'payer'],
      ],
    ];
    for (const line of lines) {
      const { stdout, stderr } = await operator.run(line);
      expect(stdout + stderr).not.toContain(secret);
    }
    for (const file of [operator.journal, `${operator.journal}-wal`])
      if (existsSync(file)) expect(readFileSync(file).includes(secret)).toBe(false);
  });
});

/** Whoever sends now is taken for dead, although it lives. */
function takeForDead(journal: string): void {
  const { database } = openFile(journal);
  database.exec(
    `UPDATE attempts SET verdict = 'unknown', phase = 'process-died', ended_at = 1 WHERE verdict IS NULL`,
  );
  database.exec(`UPDATE entries SET state = 'unknown', owner = NULL WHERE state = 'sending'`);
  database.close();
}

/** A reply that names its own signature, and another recipient: it is held. */
const namesAnother = { extra_fields: { to_address: other } };

describe('what nobody knew', () => {
  test('is decided by the chain, where a reply of its own named the signature', async () => {
    const { sandbox } = operator;
    await sandbox.readings(namesAnother);
    const held = await told(...pay('a', '1'), ...waits);
    expect(held.outcome).toBe('held');
    const id = held.entry?.id ?? '';
    expect(await told('verify', id)).toMatchObject({
      ...{ exit: 0, outcome: 'resolved', chain: { verdict: 'proven' } },
    });
    expect(await told('history', id)).toMatchObject({ decisions: [{ kind: 'happened', who: 'chain' }] });
    expect(await sandbox.ledger()).toHaveLength(1);
  });

  test('of a payment whose process was killed is in doubt, and is looked for', async () => {
    const gate = await operator.gate();
    addBot('late', gate.baseUrl);
    const came = gate.holdNext('reply');
    const { child, ended } = operator.start([...pay('a', '1'), '--profile', 'late', '--yes']);
    await came;
    child.kill('SIGKILL');
    await ended;
    const all = await operator.run(['verify', '--all']);
    expect([all.code, all.stdout]).toEqual([9, expect.stringContaining('1 undecided')]);
    const [effect] = await operator.sandbox.ledger();
    expect(await told('verify', 'a')).toMatchObject({
      ...{ exit: 9, outcome: 'unknown', candidates: [{ signature: effect?.signature }] },
    });
  });

  test('is shown by the history whatever is wrong with the profiles', async () => {
    await operator.sandbox.readings(namesAnother);
    const id = (await told(...payAda)).entry?.id ?? '';
    operator.home.writeConfig('{');
    const shown = await told('history', id, '--journal', operator.journal);
    expect(shown).toMatchObject({ exit: 0, outcome: 'held', explained: {} });
  });

  test('and was decided not to have happened is told against who decided, where the chain shows it', async () => {
    await operator.sandbox.readings(namesAnother);
    const id = (await told(...pay('a', '1'))).entry?.id ?? '';
    const decide = (...how: string[]): Promise<Told> => told('resolve', id, ...how, '--reason', 'it failed');
    expect(await decide('--did-not-happen')).toMatchObject({ exit: 0 });
    expect(await told('verify', id)).toMatchObject({
      exit: 10,
      chain: { verdict: 'proven' },
      error: { code: 'contradicted', retry: 'decide' },
    });
    expect(await decide('--happened', '--yes')).toMatchObject({ exit: 0 });
    expect(await told('verify', id)).toMatchObject({ exit: 0 });
  });

  test('and is accepted later by another signature than the chain proved is told as paid twice', async () => {
    const { sandbox, journal } = operator;
    const gate = await operator.gate();
    addBot('late', gate.baseUrl);
    await sandbox.readings(namesAnother);
    const id = (await told(...pay('a', '1'), '--profile', 'late')).entry?.id ?? '';
    await sandbox.readings({ extra_fields: {}, repeated_transfer_key: 'ignore' });
    const came = gate.holdNext('reply');
    const { ended } = operator.start(['resume', id, '--profile', 'late', '--yes', '--json']);
    await came;
    takeForDead(journal);
    const [first = '', second = ''] = (await sandbox.ledger()).map(({ signature }) => signature ?? '');
    expect(await told('verify', id)).toMatchObject({
      exit: 0,
      outcome: 'resolved',
      chain: { signature: first },
    });
    gate.release();
    const late = await ended;
    const paidTwice = {
      outcome: 'accepted',
      chain: { verdict: 'proven', signature: first },
      transfer: { signature: second },
      error: {
        ...{ code: 'paid-more-than-once', retry: 'decide' },
        message: expect.stringContaining(second),
      },
    };
    expect({ ...said(late), exit: late.code }).toMatchObject({ ...paidTwice, exit: 10 });
    expect(await told('verify', id)).toMatchObject({ ...paidTwice, exit: 10 });
    const again = [...pay('a', '1'), '--profile', 'late'];
    expect(await told(...again)).toMatchObject({ ...paidTwice, exit: 10, replayed: true });
    expect(await sandbox.ledger()).toHaveLength(2);
  });
});

describe('a batch that is waited for', () => {
  const rows = `id,to_address,asset,amount\na,${to},SOL,1\nb,${to},USDC,2\n`;
  const batch = ['batch', 'transfer', '-', '--once', 'pay', ...waits];
  const run = async (): Promise<{ code: number | null; lines: Told[] }> => {
    const { code, stdout } = await operator.run([...batch, '--json'], { stdin: rows });
    return { code, lines: jsonLines(stdout) as Told[] };
  };

  test('ends when the chain shows all of it, and not before', async () => {
    await operator.sandbox.readings({ commitment_held_at: 'confirmed' });
    const early = await run();
    expect(early.code).toBe(11);
    expect(early.lines.at(-1)).toMatchObject({ error: { code: 'some-unproven', retry: 'same-command' } });
    await operator.sandbox.readings({ commitment_held_at: null });
    const { code, lines } = await run();
    expect(code).toBe(0);
    expect(lines.filter(({ chain }) => chain?.verdict === 'proven')).toHaveLength(2);
    expect(await operator.sandbox.ledger()).toHaveLength(2);
  });
});

test('an environment is enough to prove a payment, and to see the balance', async () => {
  const { node, tokens, baseUrl } = operator.sandbox;
  operator.home.writeConfig({ version: 1, profiles: {} });
  const bot = { BOTCTL_TOKEN: tokens.full, BOTCTL_BASE_URL: baseUrl };
  Object.assign(operator.env, { ...bot, BOTCTL_RPC_URL: node.rpcUrl, BOTCTL_WALLET: node.wallet });
  const proven = { exit: 0, chain: { verdict: 'proven' } };
  const paid = await told(...payAda, '--once', 'a', '--wait');
  expect(paid).toMatchObject(proven);
  expect(await told('verify', paid.entry?.id ?? '')).toMatchObject(proven);
  expect(await told('balance')).toMatchObject({ exit: 0, wallet: node.wallet });
});

/** The sandbox's node, which shows a transaction only when so many ask for it. */
async function nodeForAll(url: string, askers: number): Promise<string> {
  const asked = new EventEmitter();
  const all = once(asked, 'by all');
  let left = askers;
  const beside = await nodeBeside(async (request, reply) => {
    const body = Buffer.concat(await request.toArray()).toString();
    if (body.includes('getTransaction')) {
      left -= 1;
      if (left === 0) asked.emit('by all');
      await all;
    }
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(url, { method: 'POST', body, headers });
    reply.writeHead(answer.status, headers).end(await answer.text());
  });
  return `${beside}/rpc`;
}

test('of two processes that see the same payment at once, one has it', async () => {
  const { sandbox, env } = operator;
  env.NODE = await nodeForAll(sandbox.node.rpcUrl, 2);
  env.BOTCTL_JOURNAL = await newSharedJournal(await sharedServer());
  const run = async (...words: string[]) => (await operator.jsonApart(words)) as Told;
  await sandbox.readings({ slot_ms: 0, extra_fields: { to_address: otherRecipient } });
  const held: string[] = [];
  for (const name of ['a', 'b']) {
    const { entry } = await run(...payAda, '--once', name, '--repeat', '--max-wait', '0s');
    held.push(entry?.id ?? '');
    // The service answers the second with the payment of the first.
    await sandbox.readings({ reply_signature: 'previous' });
  }
  const both = await Promise.all(held.map((id) => run('verify', id, '--timeout', '1m')));
  expect(both.map(({ exit, chain }) => [exit, chain?.verdict, ...(chain?.reasons ?? [])]).sort()).toEqual([
    [0, 'proven'],
    [9, 'undecided', 'anothers'],
  ]);
  const now = await Promise.all(held.map((id) => run('history', id)));
  expect(now.map(({ outcome }) => outcome).sort()).toEqual(['held', 'resolved']);
});
