import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { jsonLines } from '../support/jsonOutput.ts';
import { payAda, type Said, SandboxHome, sendHello } from '../support/sandboxHome.ts';
import { onTerminalHere } from '../support/terminalHere.ts';

let operator: SandboxHome;
beforeEach(async () => {
  operator = await SandboxHome.open();
});
afterEach(() => operator.close());

const ada = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
const bob = '7o36UsWR1JQLpZ9PE2gn9L4SQ69CNNiWAXd4Jt7rqz9Z';
const rows = `id,to_address,asset,amount\nrow-a,${ada},SOL,0.01\nrow-b,${bob},SOL,0.02\n`;

async function list(...argv: string[]): Promise<Said[]> {
  return jsonLines((await operator.run(['history', '--json', ...argv])).stdout) as Said[];
}

async function payroll(): Promise<void> {
  const { code } = await operator.run(['batch', 'transfer', '-', '--once', 'payroll-11', '--yes'], {
    stdin: rows,
  });
  expect(code).toBe(0);
}

describe('batch status', () => {
  test('ends as the batch did where a row is not valid, and says what to do about it', async () => {
    const some = `${rows}row-x,${ada},SOL,x\n`;
    const sent = ['batch', 'transfer', '-', '--once', 'some', '--skip-invalid', '--yes', '--repeat'];
    expect((await operator.run(sent, { stdin: some })).code).toBe(2);
    const standings = { done: 2, invalid: 1 };
    expect(await operator.json(['batch', 'status', 'some'])).toMatchObject({ exit: 2, rows: 3, standings });
    const { stdout } = await operator.run(['batch', 'status', 'some']);
    expect(stdout).toMatch(/^ {2}Invalid +1: fix the file and run the batch again$/mu);
    expect((await operator.run(sent, { stdin: some.replace('SOL,x', 'SOL,0.7') })).code).toBe(0);
    expect(await operator.json(['batch', 'status', 'some'])).toMatchObject({
      exit: 0,
      standings: { done: 3 },
    });
  });

  test('knows all rows of the file, and what is paid', async () => {
    const begin = ['batch', 'transfer', '-', '--once', 'half', '--max-failures', '1', '--concurrency', '1'];
    const half = rows.replace('row-b', 'row-c').replace('row-a', 'row-b');
    await operator.sandbox.script({ status: 402, operation: 'transfer', body: { error: 'x' } });
    const stdin = `${half}row-d,${ada},SOL,0.5\nrow-e,${ada},USDC,1.5\n`;
    expect((await operator.run(begin, { stdin })).code).toBe(11);
    const standings = { rejected: 1, not_sent: 3 };
    expect(await operator.json(['batch', 'status', 'half'])).toMatchObject({
      ...{ exit: 11, rows: 4, begun: 1, standings },
      totals: [{ asset: 'SOL', done: '0', undecided: '0' }],
    });
    expect((await operator.run(begin, { stdin })).code).toBe(0);
    const { code, stdout, stderr } = await operator.run(['batch', 'status', 'half']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^ {2}Rows +4\n {2}Done +4\n {2}Amount +0\.53 SOL done\n +1\.5 USDC done$/mu);
  });

  test('counts what a person decided did not happen as the dry run does: the batch sends it again', async () => {
    await operator.sandbox.faults({ kind: 'drop', when: 'before', times: 1, operation: 'transfer' });
    const batch = ['batch', 'transfer', '-', '--once', 'lost', '--max-wait', '0s'];
    expect((await operator.run(batch, { stdin: rows })).code).toBe(11);
    const [{ entry } = {}] = await list('--state', 'unknown');
    await operator.run(['resolve', entry?.id ?? '', '--did-not-happen', '--reason', 'looked', '--yes']);
    const standings = { done: 1, not_sent: 1 };
    expect(await operator.json(['batch', 'status', 'lost'])).toMatchObject({ exit: 11, standings });
    const dry = await operator.json([...batch, '--dry-run'], { stdin: rows });
    expect(dry).toMatchObject({ exit: 0, rows: { all: 2, to_send: 1, done: 1 } });
    expect((await operator.run(batch, { stdin: rows })).code).toBe(0);
    expect(await operator.sandbox.ledger()).toHaveLength(2);
  });

  test('sees what another process is sending, and what it left when it died', async () => {
    await operator.sandbox.faults({ kind: 'stall', when: 'after', ms: 60_000, operation: 'transfer' });
    const batch = ['batch', 'transfer', '-', '--once', 'long', '--concurrency', '1'];
    const { child, ended } = operator.start(batch, 'pipe');
    child.stdin?.end(rows);
    await operator.effects(1);
    expect(await operator.json(['batch', 'status', 'long'])).toMatchObject({
      exit: 11,
      standings: { sending: 1 },
    });
    child.kill('SIGKILL');
    await ended;
    expect(await operator.json(['batch', 'status', 'long'])).toMatchObject({
      exit: 11,
      standings: { unknown: 1 },
    });
  });
});

describe('history', () => {
  test('finds a recipient by the beginning of the address, or as it was shortened', async () => {
    await payroll();
    for (const to of ['9WzD', '9WzDX…AWWM', '9WzD...AWWM', ada])
      expect(await list('--to', to)).toMatchObject([{ entry: { row: 'row-a' } }]);
    const short = await onTerminalHere(['history'], [], { ...operator.env, NO_COLOR: '1' }, { columns: 100 });
    expect(short.shown).toContain('→ 9WzD…AWWM');
    expect(await list('--to', '9WzD…XXXX')).toEqual([]);
    const alike = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWN';
    const pay = ['transfer', '--to', alike, '--asset', 'SOL', '--amount', '0.03', '--once', 'alike'];
    await operator.run([...pay, '--allow-off-curve']);
    const { code, stderr } = await operator.run(['history', '--to', '9WzD']);
    expect(code).toBe(2);
    expect(stderr).toContain(`--to "9WzD" matches several addresses: ${ada}, ${alike}.`);
    expect(await list('--to', '9WzD…AWWN')).toHaveLength(1);
  });
});

async function exported(...argv: string[]): Promise<Record<string, unknown>[]> {
  const { stdout } = await operator.run(['history', '--format', 'jsonl', ...argv]);
  return jsonLines(stdout);
}

describe('an export', () => {
  test('exports what happened, oldest first, with what books ask for', async () => {
    const stdin = `id,to_address,asset,amount,memo\nrow-a,${ada},SOL,0.01,November\n`;
    await operator.run(['batch', 'transfer', '-', '--once', 'payroll-11'], { stdin });
    await operator.run(sendHello);
    const { entry } = await operator.json(['transfer', '--to', ada, '--asset', 'SOL', '--amount', '9999']);
    expect(entry?.state).toBe('rejected');
    const rows = await exported();
    expect(rows).toEqual([
      {
        settled_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/u),
        id: expect.any(String),
        kind: 'transfer',
        name: 'payroll-11',
        row: 'row-a',
        bot: 'env',
        to: ada,
        asset: 'SOL',
        amount: '0.01',
        memo: 'November',
        transfer_id: expect.any(String),
        signature: expect.any(String),
      },
      expect.objectContaining({ kind: 'message', conversation: 'conv_demo', message_id: expect.any(String) }),
    ]);
    expect(await exported('--kind', 'message')).toHaveLength(1);
  });

  test('as CSV has a heading, and nothing in it is a formula or moves a cursor', async () => {
    await operator.run([...payAda, '--memo', '=1+1', '--once', '@sum,"x"']);
    await operator.run([...payAda, '--memo', 'two\u001b[2Jlines', '--once', 'b', '--repeat']);
    const { code, stdout, stderr } = await operator.run(['history', '--format', 'csv']);
    expect(code).toBe(0);
    const [heading, first, second] = stdout.split('\n');
    expect(heading).toBe(
      'settled_at,id,kind,name,row,bot,conversation,to,asset,amount,memo,message_id,transfer_id,signature,chain,fee,paid_again,columns',
    );
    expect(first).toContain(`,"'@sum,""x""",`);
    expect(first).toContain(",'=1+1,");
    expect(second).toContain('two\\u001b[2Jlines');
    const digest = createHash('sha256').update(stdout).digest('hex');
    expect(stderr).toBe(`note: 2 rows, SHA-256 ${digest}\n`);
  });

  test('names what is not settled, and exits 11', async () => {
    await operator.run([...payAda, '--once', 'done']);
    await operator.sandbox.faults({ kind: 'drop', when: 'before', operation: 'transfer' });
    const { entry } = await operator.json([...payAda, '--once', 'lost', '--repeat']);
    const id = entry?.id ?? '';
    const { code, stdout, stderr } = await operator.run(['history', '--format', 'jsonl']);
    expect(code).toBe(11);
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
    expect(stderr).toContain(`1 entry is not settled and not in this export: ${id} (unknown).`);
    await operator.run(['resolve', id, '--happened', '--reason', 'seen']);
    expect(await operator.run(['history', '--format', 'jsonl', '--quiet'])).toMatchObject({
      code: 0,
      stderr: '',
    });
    // What a person said is not what a chain shows.
    expect(await exported()).toMatchObject([{}, { id }]);
    expect((await exported())[1]).not.toHaveProperty('chain');
  });

  test('says that it was cut, and at which end', async () => {
    for (const name of ['a', 'b', 'c']) await operator.run([...payAda, '--once', name, '--repeat']);
    const { code, stdout, stderr } = await operator.run(['history', '--format', 'jsonl', '--limit', '2']);
    expect(code).toBe(0);
    expect(jsonLines(stdout).map(({ name }) => name)).toEqual(['a', 'b']);
    expect(stderr).toContain('warning: There are more: only the oldest 2 entries were considered.');
    expect((await operator.run(['history', '--format', 'jsonl', '--limit', '3'])).stderr).not.toContain(
      'more',
    );
  });

  test('a row that was rejected and then settled as another payment is in the books once', async () => {
    const stdin = `id,to_address,asset,amount\na,${payAda[2]},SOL,0.5\n`;
    const batch = ['batch', 'transfer', '-', '--once', 'nov', '--yes'];
    await operator.sandbox.faults({ kind: 'reply', status: 400, when: 'before', times: 1 });
    expect((await operator.run(batch, { stdin })).code).toBe(2);
    expect((await operator.run([...payAda, '--once', 'paid'])).code).toBe(0);
    expect((await operator.run([...batch, '--skip-repeats'], { stdin })).code).toBe(0);
    expect((await exported()).map(({ name }) => name)).toEqual(['paid']);
  });
});
