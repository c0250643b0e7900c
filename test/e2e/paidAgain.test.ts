import { afterEach, beforeEach, expect, test } from 'vitest';
import { SkippingClock } from '../support/builtHere.ts';
import { damageJournal } from '../support/damageJournal.ts';
import { jsonLines } from '../support/jsonOutput.ts';
import { nodeBeside } from '../support/nodeBeside.ts';
import { type Exited, payAda, SandboxHome } from '../support/sandboxHome.ts';

// A service that does not honour its keys, and a request whose reply was lost: nobody can prevent from outside that it
// pays twice, so whatever is asked about such a payment says so.

let operator: SandboxHome;
beforeEach(async () => {
  operator = await SandboxHome.openWithNode(new SkippingClock());
  await operator.sandbox.readings({ slot_ms: 0, repeated_transfer_key: 'ignore' });
});
afterEach(() => operator.close());

type Told = Exited & { payments?: { signature: string; own?: true }[]; warnings?: string[] };
type Fault = Parameters<SandboxHome['sandbox']['faults']>[0];

const lost: Fault = { kind: 'drop', when: 'after' };
const broken: Fault = { kind: 'reply', status: 503, when: 'after' };
const unsure = 'The service was asked more than once; only the chain shows whether it paid once.';
const again = 'Another machine or person paid the same, or this service does not honour keys.';

/** With the retries that a command has by itself: a test's home allows none otherwise. */
async function told(...argv: string[]): Promise<Told> {
  const { code, stdout, stderr } = await operator.run([...argv, '--json']);
  const [line = '{}'] = [stdout, stderr].flatMap((text) =>
    text.split('\n').filter((one) => one.startsWith('{')),
  );
  return { ...(JSON.parse(line) as Told), exit: code ?? -1 };
}

const pay = [...payAda, '--once', 'rent', '--yes', '--max-wait', '60s'];
const signatures = async (): Promise<unknown[]> =>
  (await operator.sandbox.ledger()).map(({ signature }) => signature).sort();

test.each([
  ['a lost reply', lost],
  ['503 after the effect', broken],
])('after %s: a payment warns, and --wait and verify end with 10', async (_what, fault) => {
  await operator.sandbox.faults(fault);
  const paid = await told(...pay);
  expect(paid).toMatchObject({ exit: 0, outcome: 'accepted', warnings: [unsure] });
  const found = {
    ...{ exit: 10, outcome: 'accepted', chain: { verdict: 'proven' } },
    error: { code: 'paid-more-than-once', hint: again, retry: 'decide' },
  };
  const waited = await told(...pay, '--wait');
  expect(waited).toMatchObject(found);
  expect(waited.payments?.map(({ signature }) => signature).sort()).toEqual(await signatures());
  expect(waited.payments?.map(({ own = false }) => own)).toEqual([true, false]);
  expect(await told('verify', paid.entry?.id ?? '')).toMatchObject(found);
  const all = await operator.run(['verify', '--all', '--json']);
  expect([all.code, jsonLines(all.stdout)]).toMatchObject([10, [{ payments: waited.payments }, {}]]);
  // A person has seen it, and the state stays.
  expect(await told('history', 'rent')).toMatchObject({ exit: 0, outcome: 'accepted' });
  expect((await operator.run(['history', 'rent'])).stdout).toContain(
    `Paid again    ${waited.payments?.at(-1)?.signature}`,
  );
});

test('a batch says it once, with its count, or ends with 10 where it waits', async () => {
  const rows = `id,to_address,asset,amount\na,${payAda[2]},SOL,1\nb,${payAda[2]},SOL,2\nc,${payAda[2]},SOL,3\n`;
  const batch = (name: string, ...more: string[]) =>
    operator.run(['batch', 'transfer', '-', '--once', name, '--yes', ...more], { stdin: rows });
  await operator.sandbox.faults(lost, lost);
  const told = await batch('one');
  expect(told.code).toBe(0);
  expect(told.stderr.split('The service was asked more than once for 2 transfers;')).toHaveLength(2);
  await operator.sandbox.faults(lost);
  const waited = await batch('two', '--wait', '--repeat');
  expect(waited.code).toBe(10);
  expect(waited.stderr).toContain('1 paid more than once');
});

test('a batch says it also where the journal is lost while it waits', async () => {
  const headers = { 'content-type': 'application/json' };
  const url = await nodeBeside(async (request, reply) => {
    const body = Buffer.concat(await request.toArray());
    if (body.includes('getTransaction')) damageJournal(operator.journal, `UPDATE entries SET state = 'lost'`);
    const answer = await fetch(operator.sandbox.node.rpcUrl, { method: 'POST', body, headers });
    reply.writeHead(200, headers).end(await answer.text());
  });
  operator.env.NODE = url;
  await operator.sandbox.faults(lost);
  const batch = ['batch', 'transfer', '-', '--once', 'one', '--yes', '--wait'];
  const stdin = `id,to_address,asset,amount\na,${payAda[2]},SOL,1\n`;
  const { code, stderr } = await operator.run(batch, { stdin });
  expect([code, stderr]).toEqual([11, expect.stringContaining('asked more than once for 1 transfer;')]);
});

test('a mark stays until a person has noted it, and what is found later is told', async () => {
  const run = async (...argv: string[]): Promise<[number | null, string]> => {
    const { code, stdout, stderr } = await operator.run(argv);
    return [code, `${stdout}${stderr}`];
  };
  await told(...payAda.slice(0, -1), '2', '--once', 'once');
  await operator.sandbox.faults(lost);
  const { entry } = await told(...pay);
  const id = entry?.id ?? '';
  const own = String((await told('history', id)).transfer?.signature);
  expect(await run('history')).toEqual([0, expect.not.stringContaining('twice')]);
  expect(await run('verify', '--all')).toEqual([
    10,
    expect.stringContaining('1 proven, 1 paid twice, 0 contradicted'),
  ]);
  const further = (await signatures()).filter((one) => one !== own);
  const [again = ''] = further.filter((one) => !String(one).startsWith('x')).map(String);
  for (let noted = 0; noted < 2; noted += 1) {
    expect((await run('history'))[1]).toMatch(/0\.5 SOL → \S+ \[rent\] \(paid twice\)/u);
    expect((await run('history', id))[1]).toContain('Transfer accepted (paid twice)');
    const rows = await operator.run(['history', '--format', 'jsonl']);
    const books = jsonLines(rows.stdout) as { id: string; signature: string; paid_again?: string }[];
    const row = books.find((one) => one.id === id);
    expect([books.length, row?.signature]).toEqual([2, own]);
    expect(further).toContain(row?.paid_again);
    const [, doctor] = await run('doctor');
    const warned = expect.stringContaining('1 payment was made more than once');
    expect(doctor).toEqual(noted === 0 ? warned : expect.not.stringContaining('more than once'));
    expect((await run('verify', '--all'))[0]).toBe(noted === 0 ? 10 : 0);
    expect((await told('verify', id)).exit).toBe(noted === 0 ? 10 : 0);
    expect((await told('verify', '--wallet')).exit).toBe(0);
    const wrong = await told('resolve', id, '--did-not-happen', '--reason', 'no', '--yes');
    expect([wrong.exit, wrong.error?.code]).toEqual([2, 'not-allowed-now']);
    if (noted === 0)
      expect(await told('resolve', id, '--happened', '--reason', 'both', '--yes')).toMatchObject({
        exit: 0,
        outcome: 'accepted',
      });
  }
  expect(again).not.toBe('');
  // Somebody else pays the same, with the same key.
  const { key, request } = (await told('history', id)).entry ?? {};
  await operator.sandbox.post('transfer', { ...request, idempotency_key: key });
  expect((await told('verify', id)).exit).toBe(10);
  expect((await run('history'))[1]).toContain('(paid 3 times)');
});
