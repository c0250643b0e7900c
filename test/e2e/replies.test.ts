import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SkippingClock } from '../support/builtHere.ts';
import { startTestSandbox, type TestSandbox } from '../support/sandbox.ts';
import { payAda, SandboxHome, sendHello } from '../support/sandboxHome.ts';

// What replies prove: each is made up, and nothing was done, so whatever is told as done is told wrongly.

let operator: SandboxHome;
let elsewhere: TestSandbox;
beforeAll(async () => {
  operator = await SandboxHome.open(new SkippingClock());
  elsewhere = await startTestSandbox();
});
afterAll(async () => {
  await elsewhere.close();
  await operator.close();
});

let names = 0;
function next(): number {
  names += 1;
  return names;
}
const newName = (): string => `name-${next()}`;
const answers = (status: number, body: unknown, { sandbox } = operator) =>
  sandbox.faults({ kind: 'reply', status, when: 'before', body });
const send = (...more: string[]) => operator.json([...sendHello, '--once', newName(), ...more]);
/** Each pays another amount. */
const pay = (more: Record<string, string> = {}) =>
  operator.json([...payAda.slice(0, -1), `0.0${next()}`, '--once', newName()], { env: more });
const done = () => operator.sandbox.ledger();

test('a 404 for a payment does not ask for a conversation, which it has not', async () => {
  await answers(404, { message: 'Not found' });
  expect(await pay()).toMatchObject({
    ...{ exit: 4, outcome: 'rejected' },
    error: { hint: 'Check the base URL, then run the same command again.' },
  });
});

describe('a 409 for the first request of a name', () => {
  test.each([
    [{ detail: 'A request is outstanding for this Idempotency-Key; it is being processed' }, 9],
    [{ message: 'Duplicate idempotency key', details: [{ note: 'the message was not created' }] }, 10],
  ])('is not told as done if it says that nothing was: %j', async (body, exit) => {
    const before = await done();
    await answers(409, body);
    const told = await send();
    expect(told).toMatchObject({ exit, outcome: exit === 9 ? 'unknown' : 'held' });
    // All its words are shown.
    for (const text of JSON.stringify(body).match(/(?<=:")[^"]+/gu) ?? [])
      expect(told.error?.message).toContain(text);
    expect(await done()).toEqual(before);
  });

  test('is told as done if it is a repetition with the entry’s own key in it, with one warning', async () => {
    const key = 'notify-another-label-42';
    await answers(409, { message: `Duplicate idempotency key ${key}` });
    const told = await operator.json([...sendHello, '--idempotency-key', key]);
    expect(told).toMatchObject({
      ...{ exit: 0, outcome: 'accepted', duplicate: true },
      warnings: [expect.stringContaining('This journal had not used the name before')],
    });
  });

  test('has its words shown in a batch too', async () => {
    const path = join(operator.home.path, 'rows.csv');
    writeFileSync(path, 'id,conversation_id,content\n1,conv_demo,one\n');
    for (const json of [[], ['--json']]) {
      await answers(409, { message: 'Duplicate idempotency key, seen at noon' });
      const { code, stderr } = await operator.run([
        'batch',
        'send',
        path,
        '--once',
        newName(),
        '--yes',
        ...json,
      ]);
      expect({ code, stderr }).toMatchObject({ code: 0 });
      expect(stderr).toContain('Duplicate idempotency key, seen at noon');
    }
  });
});

describe('a 2xx of a payment', () => {
  test('a success that a reply tells in its transfer is told like any other', async () => {
    const transfer = { transfer_id: 'tr_nested', signature: 'sig_nested', status: 'confirmed' };
    await operator.sandbox.faults({ kind: 'reply', status: 200, when: 'before', body: { transfer } });
    const argv = [...payAda.slice(0, -1), '0.03', '--once', 'nested'];
    expect(await operator.json(argv)).toMatchObject({ exit: 0, transfer: { signature: 'sig_nested' } });
    expect((await operator.run([...argv, '--quiet'])).stdout).toBe('sig_nested\n');
    const { stdout } = await operator.run(['history', 'nested']);
    for (const part of ['sig_nested', 'tr_nested']) expect(stdout).toContain(part);
  });

  test('with a number that lost digits as its id is accepted, and the number is not shown', async () => {
    for (const id of ['12345678901234567891', '12345678901234567892']) {
      await answers(200, `{"transfer_id":${id},"status":"confirmed","more":{"seq":${id}}}`);
      const told = await pay();
      expect(told).toMatchObject({ exit: 0, outcome: 'accepted' });
      expect(told.transfer).toEqual({ status: 'confirmed', more: {} });
      const { stdout } = await operator.run(['history', told.entry?.name ?? '']);
      expect(stdout).not.toContain('1234567890');
    }
  });

  test('with the signature of another entry is held, wherever that came from', async () => {
    const signature = `${'5'.repeat(86)}a`;
    await answers(200, { transfer_id: newName(), status: 'confirmed', signature });
    expect(await pay()).toMatchObject({ exit: 0 });
    const there = { BOTCTL_BASE_URL: elsewhere.baseUrl, BOTCTL_TOKEN: elsewhere.tokens.full };
    await elsewhere.faults({
      kind: 'reply',
      status: 200,
      when: 'before',
      body: { transfer_id: newName(), status: 'confirmed', signature },
    });
    expect(await pay(there)).toMatchObject({ exit: 10, outcome: 'held', entry: { why: 'id-taken' } });
    expect(await elsewhere.ledger()).toEqual([]);
  });
});
