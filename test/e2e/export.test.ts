import { createHash } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { jsonLines } from '../support/jsonOutput.ts';
import { payAda, SandboxHome, sendHello } from '../support/sandboxHome.ts';

let operator: SandboxHome;
beforeEach(async () => {
  operator = await SandboxHome.open();
});
afterEach(() => operator.close());

const ada = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';

async function lines(...argv: string[]): Promise<Record<string, unknown>[]> {
  const { stdout } = await operator.run(['history', '--format', 'jsonl', ...argv]);
  return jsonLines(stdout);
}

test('exports what happened, oldest first, with what books ask for', async () => {
  const stdin = `id,to_address,asset,amount,memo\nrow-a,${ada},SOL,0.01,November\n`;
  await operator.run(['batch', 'transfer', '-', '--once', 'payroll-11'], { stdin });
  await operator.run(sendHello);
  const { entry } = await operator.json(['transfer', '--to', ada, '--asset', 'SOL', '--amount', '9999']);
  expect(entry?.state).toBe('rejected');
  const rows = await lines();
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
  expect(await lines('--kind', 'message')).toHaveLength(1);
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
  expect(await lines()).toMatchObject([{}, { id }]);
  expect((await lines())[1]).not.toHaveProperty('chain');
});

test('says that it was cut, and at which end', async () => {
  for (const name of ['a', 'b', 'c']) await operator.run([...payAda, '--once', name, '--repeat']);
  const { code, stdout, stderr } = await operator.run(['history', '--format', 'jsonl', '--limit', '2']);
  expect(code).toBe(0);
  expect(jsonLines(stdout).map(({ name }) => name)).toEqual(['a', 'b']);
  expect(stderr).toContain('warning: There are more: only the oldest 2 entries were considered.');
  expect((await operator.run(['history', '--format', 'jsonl', '--limit', '3'])).stderr).not.toContain('more');
});

test('a row that was rejected and then settled as another payment is in the books once', async () => {
  const stdin = `id,to_address,asset,amount\na,${payAda[2]},SOL,0.5\n`;
  const batch = ['batch', 'transfer', '-', '--once', 'nov', '--yes'];
  await operator.sandbox.faults({ kind: 'reply', status: 400, when: 'before', times: 1 });
  expect((await operator.run(batch, { stdin })).code).toBe(2);
  expect((await operator.run([...payAda, '--once', 'paid'])).code).toBe(0);
  expect((await operator.run([...batch, '--skip-repeats'], { stdin })).code).toBe(0);
  expect((await lines()).map(({ name }) => name)).toEqual(['paid']);
});
