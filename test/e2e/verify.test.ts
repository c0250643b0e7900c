import { existsSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openFile } from '../../src/once/journal/file/opening.ts';
import { openJournal } from '../../src/once/journal/file/openJournal.ts';
import { SkippingClock } from '../support/builtHere.ts';
import { jsonLines } from '../support/jsonOutput.ts';
import { nodeBeside } from '../support/nodeBeside.ts';
import { type Exited, payAda, SandboxHome, said } from '../support/sandboxHome.ts';
import { onTerminalHere } from '../support/terminalHere.ts';

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

describe('a transfer that is waited for', () => {
  test('is proven by the node: what was paid, and to whom', async () => {
    const { exit, chain, entry } = await told(...payAda, '--once', 'a', '--wait');
    expect(exit).toBe(0);
    expect(chain).toMatchObject({
      verdict: 'proven',
      commitment: 'finalized',
      paid: { to: payAda[2], units: '500000000', decimals: 9, received: '500000000', fee_units: '0' },
      reasons: [],
    });
    const shown = await told('history', entry?.id ?? '');
    expect(shown).toMatchObject({ chain });
  });

  test('of a token is proven by its mint', async () => {
    const pay = ['transfer', '--to', payAda[2], '--asset', 'USDC', '--amount', '1.25', '--memo', 'rent'];
    const { exit, chain, entry } = await told(...pay, '--once', 'a', '--wait=confirmed');
    const { stdout } = await operator.run(['history', entry?.id ?? '']);
    expect(stdout).toContain(
      `Paid          1.25 USDC (mint ${operator.sandbox.node.assets.USDC}) to ${payAda[2]}`,
    );
    expect({ exit, chain }).toMatchObject({
      exit: 0,
      chain: { paid: { mint: operator.sandbox.node.assets.USDC, units: '1250000' } },
    });
  });

  test('in a batch shows how many rows are done, as sending them does', async () => {
    const rows = operator.home.file('rows.csv', `id,to_address,asset,amount\na,${payAda[2]},SOL,0.7\n`);
    const words = ['batch', 'transfer', rows, '--once', 'nov', '--yes', '--wait'];
    const { code, shown } = await onTerminalHere(words, [], operator.env);
    expect([code, shown]).toEqual([0, expect.stringContaining('On chain: 0/1 done, 0 failed')]);
  });

  test('is proven by no node of another cluster, also where it was sent before', async () => {
    await operator.sandbox.readings({ commitment_held_at: 'confirmed' });
    expect(await told(...pay('a'), ...waits)).toMatchObject({ exit: 9 });
    await operator.sandbox.readings({ commitment_held_at: null });
    await config('set', 'payer', 'cluster', 'mainnet');
    expect(await told(...pay('a'), ...waits)).toMatchObject({
      exit: 9,
      chain: { verdict: 'undecided', reasons: ['other-cluster'] },
    });
  });
});

describe('verify', () => {
  test('leads with what the chain shows, and says it once', async () => {
    const { entry } = await told(...payAda, '--once', 'a');
    const { stdout } = await operator.run(['verify', entry?.id ?? '']);
    expect(stdout).toMatch(/^✔ Proven on chain\. Transfer accepted\n {2}Amount /u);
    expect(stdout.match(/on chain/gu)).toHaveLength(1);
  });

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

const { to, other } = { to: payAda[2], other: '7o36UsWR1JQLpZ9PE2gn9L4SQ69CNNiWAXd4Jt7rqz9Z' };
const pay = (name: string, amount = '0.5', asset = 'SOL', address: string = to): string[] => [
  ...['transfer', '--to', address, '--asset', asset, '--amount', amount, '--once', name, '--repeat'],
];
const waits = ['--wait'];

describe('what the node shows', () => {
  test.each([
    ['a transaction that is confirmed and not final', { commitment_held_at: 'confirmed' }, 'not-final'],
    ['a node whose storage is down', { node_history: 'unavailable' }, 'not-seen'],
  ] as const)('%s decides nothing', async (_what, change, reason) => {
    await operator.sandbox.readings(change);
    const ended = await told(...pay('a'), ...waits);
    expect(ended).toMatchObject({
      exit: 9,
      outcome: 'accepted',
      chain: { verdict: 'undecided', reasons: [reason] },
      error: {
        ...{ code: 'unproven', retry: 'same-command' },
        hint: expect.stringContaining('ask the service about it, by its transfer ID:'),
      },
    });
    // The same command goes on waiting, and does nothing else.
    await operator.sandbox.readings({
      ...{ commitment_held_at: null, node_history: 'whole', slot_ms: 0, node_lag_slots: 0 },
    });
    expect(await told(...pay('a'), ...waits)).toMatchObject({ exit: 0, chain: { verdict: 'proven' } });
    expect(await operator.sandbox.ledger()).toHaveLength(1);
  });

  test('a mint that keeps a fee proves it, with a warning', async () => {
    await operator.sandbox.readings({ token_replies: 'token-2022-fee' });
    const { chain, warnings, exit } = await told(...pay('a', '100', 'USDC'), ...waits);
    expect({ chain, exit }).toMatchObject({
      chain: { verdict: 'proven', reasons: [] },
      exit: 0,
    });
    expect(warnings).toEqual([
      'On the chain, the mint kept a fee: the recipient received less than was sent.',
    ]);
  });

  test('a signature of another payment contradicts it, loudly and for good', async () => {
    await told(...pay('a', '1'), ...waits);
    await operator.sandbox.readings({ reply_signature: 'previous' });
    const mine = ['--journal', `${operator.home.path}/other.db`];
    const ended = await told(...pay('b', '2'), ...waits, ...mine);
    expect(ended).toMatchObject({
      exit: 10,
      outcome: 'accepted',
      chain: { verdict: 'contradicted', reasons: ['not-paid'] },
      error: { code: 'contradicted', retry: 'decide' },
    });
    const id = ended.entry?.id ?? '';
    expect(await told(...pay('b', '2'), ...mine)).toMatchObject({ exit: 10, replayed: true });
    expect(await told('verify', id, ...mine)).toMatchObject({ exit: 10, error: { code: 'contradicted' } });
    for (const _look of ['first', 'again'])
      expect(await operator.run(['verify', '--all', ...mine])).toMatchObject({
        ...{ code: 10, stdout: '0 proven, 1 contradicted, 0 undecided.\n' },
      });
  });
});

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

  test('is not asked by plain HTTP', async () => {
    const words = ['config', 'set', 'payer', 'rpc-url'];
    const set = async (stdin: string): Promise<number | null> =>
      (await operator.run([...words, '--token-stdin'], { stdin })).code;
    expect(await set('http://127.0.0.1:1/')).toBe(0);
    expect(await set('http://node.example/')).toBe(2);
    expect(await set('https://user:key@node.example/')).toBe(2);
    const argument = await operator.run([...words, `https://node.example/${secret}`]);
    expect(argument.code).toBe(2);
    expect(argument.stderr).not.toContain(secret);
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

  test('is told first by verify where it is held, and is not reported by it', async () => {
    await operator.sandbox.readings(namesAnother);
    const id = (await told(...payAda)).entry?.id ?? '';
    expect(await told('history', id)).toMatchObject({ explained: { next: [`botctl verify ${id}`] } });
    expect(await told('verify', id)).toMatchObject({ exit: 0, outcome: 'resolved' });
    const journal = openJournal(operator.journal, 'look');
    expect((await journal.reads.get(id))?.reportedAtMs).toBeUndefined();
    await journal.close();
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

  test('an operator’s signature is looked at: another’s payment is refused', async () => {
    const paid = await told(...pay('a', '1'), ...waits);
    await operator.sandbox.faults({ kind: 'drop', when: 'after' });
    const unknown = await told(...pay('b', '2'));
    expect(unknown.outcome).toBe('unknown');
    const id = unknown.entry?.id ?? '';
    const resolve = (signature: string): Promise<Told> =>
      told('resolve', id, '--happened', '--signature', signature, '--reason', 'seen');
    expect(await resolve(paid.chain?.signature ?? '')).toMatchObject({ exit: 2 });
    const effects = await operator.sandbox.ledger();
    expect(await resolve(effects[1]?.signature ?? '')).toMatchObject({
      ...{ exit: 0, outcome: 'resolved', chain: { verdict: 'proven' } },
    });
  });
});

describe('a batch that is waited for', () => {
  const rows = `id,to_address,asset,amount\na,${to},SOL,1\nb,${to},USDC,2\n`;
  const batch = ['batch', 'transfer', '-', '--once', 'pay', ...waits];
  const run = async (): Promise<{ code: number | null; lines: Told[] }> => {
    const { code, stdout } = await operator.run([...batch, '--json'], { stdin: rows });
    return { code, lines: jsonLines(stdout) as Told[] };
  };

  test('is not begun where what is named as a mint is none', async () => {
    await config('set', 'payer', 'assets', `USDC=${other}`);
    const { code, lines } = await run();
    expect({ code, last: lines.at(-1) }).toMatchObject({ code: 2, last: { error: { code: 'no-mint' } } });
    expect(await operator.sandbox.ledger()).toEqual([]);
  });

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
