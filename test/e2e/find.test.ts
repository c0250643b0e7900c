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

/** The parts of the list that say what each is. */
async function shown(...argv: string[]): Promise<string[]> {
  const { stdout } = await operator.run(['history', ...argv]);
  return stdout.trimEnd().split('\n').slice(1);
}

describe('batch status', () => {
  test('counts how its rows stand, and exits as they stand', async () => {
    await payroll();
    const done = await operator.json(['batch', 'status', 'payroll-11']);
    expect(done).toMatchObject({ exit: 0, rows: 2, bots: ['env'], standings: { done: 2 } });
    await operator.sandbox.faults({ kind: 'drop', when: 'before', operation: 'transfer' });
    await operator.run(['batch', 'transfer', '-', '--once', 'next', '--max-wait', '0s', '--repeat'], {
      stdin: rows,
    });
    const { code, stdout } = await operator.run(['batch', 'status', 'next']);
    expect(code).toBe(11);
    expect(stdout).toMatch(/^ {2}Unknown +1: may have happened; run the batch again$/mu);
    expect((await operator.run(['batch', 'status', 'next', '--quiet'])).stdout).toBe('1/2\n');
  });

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

  test('of all batches is a list, the latest first', async () => {
    expect(await operator.run(['batch', 'status'])).toMatchObject({ code: 0, stdout: '' });
    await payroll();
    await operator.run(['batch', 'send', '-', '--once', 'news'], {
      stdin: 'id,conversation_id,content\n1,conv_demo,hello\n2,nowhere,hello\n',
    });
    const { stdout } = await operator.run(['batch', 'status']);
    expect(stdout.replace(/^\S+Z/gmu, 'NOW')).toBe(
      'NOW  news        1 of 2 messages done, 1 rejected\nNOW  payroll-11  2 of 2 transfers done\n',
    );
    expect((await operator.run(['batch', 'status', '--quiet'])).stdout).toBe('news\npayroll-11\n');
    expect(await operator.run(['batch', 'status', '--json'])).toMatchObject({ code: 0 });
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
  test('of an asset, of a week, and whole where a program asks', async () => {
    await payroll();
    for (let n = 0; n < 22; n += 1) await operator.run([...sendHello, '--once', `hello-${n}`]);
    expect(await list()).toHaveLength(24);
    expect(await list('--limit', '3')).toHaveLength(3);
    expect(await list('--asset', 'sol', '--since', '1w')).toHaveLength(2);
    expect(await list('--asset', 'USDC')).toEqual([]);
    expect(await shown()).toHaveLength(20);
    expect(await shown('-n', 'all')).toHaveLength(24);
  });

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

  test('sums what was sent, per asset and state', async () => {
    await payroll();
    await operator.run(sendHello);
    await operator.run(['transfer', '--to', ada, '--asset', 'SOL', '--amount', '5000', '--once', 'much']);
    expect(await operator.json(['history', '--total'])).toMatchObject({
      exit: 0,
      totals: [
        { state: 'accepted', kind: 'message', entries: 1 },
        { state: 'accepted', kind: 'transfer', asset: 'SOL', amount: '0.03', entries: 2 },
        { state: 'rejected', kind: 'transfer', asset: 'SOL', amount: '5000', entries: 1 },
      ],
    });
    const { stdout } = await operator.run(['history', '--total', '--kind', 'transfer', '--to', '9WzD']);
    const [period, ...sums] = stdout.split('\n');
    expect(sums).toEqual([
      expect.stringMatching(/accepted +0.01 SOL, 1 transfer$/u),
      expect.stringMatching(/rejected +5,000 SOL, 1 transfer$/u),
      expect.stringMatching(/paid +0.01 SOL$/u),
      '',
    ]);
    expect(period).toMatch(/^Since \d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z, (just now|\d+ s ago)$/u);
    expect((await operator.run(['history', '--total', 'abcd'])).code).toBe(2);
  });

  test('finds by batch, recipient and time', async () => {
    await operator.run([...payAda, '--once', 'rent']);
    await operator.run(sendHello);
    await payroll();
    const names = async (...argv: string[]) =>
      (await list(...argv)).map(
        ({ entry }) =>
          (entry as { row?: string; name?: string } | undefined)?.row ?? entry?.name ?? 'unnamed',
      );
    expect(await names('--batch', 'payroll-11', '--to', ada)).toEqual(['row-a']);
    expect(await names('--to', ada)).toEqual(['row-a', 'rent']);
    const today = new Date().toISOString().slice(0, 10);
    expect(await names('--since', '2d', '--until', today)).toHaveLength(4);
    expect(await names('--until', '1d')).toEqual([]);
  });

  test('takes several, and shows none where one is not there', async () => {
    await operator.run(sendHello);
    await operator.run(payAda);
    const ids = (await list()).map(({ entry }) => entry?.id ?? '');
    expect((await list(...ids)).map(({ entry }) => entry?.id)).toEqual(ids);
    const { stdout } = await operator.run(['history', ...ids]);
    for (const id of ids) expect(stdout).toContain(id);
    expect(await operator.run(['history', ids[0] ?? '', 'zzzz'])).toMatchObject({ code: 2, stdout: '' });
  });
});
