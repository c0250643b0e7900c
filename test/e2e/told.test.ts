import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { jsonLines } from '../../testing/jsonOutput.ts';
import { otherRecipient, recipient } from '../../testing/sandbox.ts';
import { payAda, SandboxHome, sendHello } from '../../testing/sandboxHome.ts';

// What is told is what happened: two machines, one service, and replies that say something else than was asked.

let operator: SandboxHome;
beforeEach(async () => {
  operator = await SandboxHome.open();
});
afterEach(() => operator.close());

/** A machine of its own: it shares the service, the token and the names, but not the journal. */
const on = (machine: string, ...words: string[]): string[] => [
  ...words,
  '--journal',
  join(operator.home.path, `${machine}.db`),
];
const pay = (to: string, amount: string, ...more: string[]): string[] => [
  ...['transfer', '--to', to, '--asset', 'SOL', '--amount', amount],
  ...more,
];
const bonus = ['--once', 'bonus'];

describe('on a second machine, under a name that the first has used for another payment', () => {
  beforeEach(async () => {
    expect((await operator.run(on('first', ...pay(recipient, '0.2', ...bonus)))).code).toBe(0);
  });

  test('a person is told that the request was accepted, and not that it was made', async () => {
    const second = await operator.apart(on('second', ...pay(otherRecipient, '2', ...bonus)));
    expect(second).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^warning: [^\n]* is a new journal, [^\n]*\n$/u),
    });
    expect(second.stdout).toContain('Transfer accepted');
    expect(second.stdout).toContain(`Amount        2 SOL\n  To            ${otherRecipient}`);
    expect(second.stdout).not.toMatch(/made/u);
    expect(await operator.sandbox.ledger()).toHaveLength(1);
    const again = await operator.run(on('second', ...pay(otherRecipient, '2', ...bonus)));
    expect(again.stdout + again.stderr).not.toMatch(/made/u);
  });
});

describe('where the service gives back what it was asked', () => {
  beforeEach(() => operator.sandbox.readings({ echo_fields: ['to_address', 'asset', 'amount'] }));

  test('another payment under the name is held, and another name does this one', async () => {
    expect(await operator.json(on('first', ...pay(recipient, '0.2', ...bonus)))).toMatchObject({
      verified: true,
    });
    const second = await operator.json(on('second', ...pay(otherRecipient, '2', ...bonus)));
    expect(second).toMatchObject({ exit: 10, outcome: 'held', intent: { why: 'other-payment' } });
    expect(second.error).toMatchObject({ retry: 'decide', hint: expect.stringContaining('a new name') });
    const other = (second.error as { next?: string[] }).next?.find((line) => line.includes('--once bonus-'));
    expect((await operator.shell(`${other} --yes`)).code).toBe(0);
    const amounts = (await operator.sandbox.ledger()).map(({ request }) => request.amount);
    expect(amounts).toEqual(['0.2', '2']);
    const quiet = await operator.run(on('third', ...pay(otherRecipient, '2', ...bonus, '--quiet')));
    expect(quiet).toMatchObject({ code: 10, stdout: '' });
  });
});

describe('a 2xx that says it failed', () => {
  const answers = (status: string) =>
    operator.sandbox.script({
      status: 200,
      operation: 'transfer',
      body: { transfer_id: 'tr', signature: 's', status },
    });

  test('is held, and --quiet prints no id', async () => {
    await answers('FAILED');
    expect(await operator.run([...payAda, '--quiet'])).toMatchObject({ code: 10, stdout: '' });
  });
});

test('a compressed reply is read, though none was asked for', async () => {
  const yes = gzipSync('{"message":{"id":"msg_zipped"}}').toString('base64');
  await operator.sandbox.script({ status: 200, body_base64: yes, headers: { 'Content-Encoding': 'gzip' } });
  expect(await operator.apart([...sendHello, '--quiet'])).toMatchObject({ code: 0, stdout: 'msg_zipped\n' });
});

test('--quiet after a 409 prints the id that the reply or the journal has, or says that none has it', async () => {
  const conflict = (body: object) => operator.sandbox.script({ status: 409, body });
  for (const [name, body] of Object.entries({
    nested: { message: { id: 'msg_known' } },
    flat: { error: 'duplicate', message_id: 'msg_known' },
  })) {
    await conflict(body);
    expect(await operator.run([...sendHello, '--once', name, '--quiet'])).toMatchObject({
      code: 0,
      stdout: 'msg_known\n',
      stderr: expect.not.stringContaining('409'),
    });
  }
  await conflict({ error: 'duplicate' });
  expect(await operator.run([...sendHello, '--once', 'none', '--quiet'])).toMatchObject({
    code: 0,
    stdout: '',
    stderr: expect.stringMatching(/^note: .*\(409\) and did not give its id, so --quiet prints nothing\.$/mu),
  });
});

describe('a batch', () => {
  const rows = (kind: 'send' | 'transfer', ids: readonly string[], field: (id: string) => string): string => {
    const head = kind === 'send' ? 'id,conversation_id,content' : 'id,to_address,asset,amount';
    const place = kind === 'send' ? 'conv_demo' : `${recipient},SOL`;
    const lines = ids.map((id) => `${id},${place},${field(id)}\n`);
    return operator.home.file('rows.csv', `${head}\n${lines.join('')}`);
  };
  test.each(['send', 'transfer'] as const)(
    '%s gives no row the reply of another, where one is said twice on its connection',
    async (verb) => {
      const ids = Array.from({ length: 12 }, (_, index) => `${index + 1}`);
      const path = rows(verb, ids, (id) => (verb === 'send' ? `text ${id}` : `0.0${id}`));
      await operator.sandbox.readings({ repeated_message_key: 'replay' });
      await operator.sandbox.faults(
        { kind: 'pass', when: 'after', times: 3 },
        { kind: 'twice', when: 'after' },
      );
      const ran = await operator.run(['batch', verb, path, '--once', 'b', '--json', '--concurrency', '1']);
      expect(ran.code).toBe(0);
      const ledger = new Map((await operator.sandbox.ledger()).map((effect) => [effect.key, effect]));
      const told = jsonLines(ran.stdout).slice(0, -1);
      for (const row of told as {
        intent: { key: string; attempts: number };
        message?: { id: string };
        transfer?: { transfer_id: string };
      }[]) {
        expect(row.message?.id ?? row.transfer?.transfer_id).toBe(ledger.get(row.intent.key)?.id);
      }
      expect(told.some((row) => (row.intent as { attempts: number }).attempts === 2)).toBe(true);
      expect(ledger.size).toBe(12);
    },
  );

  test('says of its rows what a command says of one, and the note once', async () => {
    const first = rows('send', ['1', '2', '3'], (id) => `text ${id}`);
    await operator.run(on('first', 'batch', 'send', first, '--once', 'news'));
    const second = rows('send', ['1', '2', '3', '4'], (id) => `other text ${id}`);
    const json = await operator.run(on('second', 'batch', 'send', second, '--once', 'news', '--json'));
    const verified = jsonLines(json.stdout).map((row) => row.verified);
    expect(verified).toEqual([false, false, false, true, undefined]);
    expect(jsonLines(json.stdout).at(-1)).toMatchObject({ result: { done: 4, unverified: 3 } });
    const human = await operator.run(on('third', 'batch', 'send', second, '--once', 'news'));
    expect(human.stdout).toBe('✔ Batch news: 4 of 4 accepted\n');
    expect(human.stderr.match(/note: .*already had a message under this name/gu)).toHaveLength(1);
    const quiet = await operator.run(on('fourth', 'batch', 'send', second, '--once', 'news', '--quiet'));
    expect(quiet.stderr).not.toMatch(/note:.*already had a message under this name/u);
  });
});
