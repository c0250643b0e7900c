import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
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

  test('a script is told that it is not verified, without a warning', async () => {
    const second = await operator.json(on('second', ...pay(otherRecipient, '2', ...bonus)));
    expect(second).toMatchObject({ exit: 0, verified: false, duplicate: false, warnings: [] });
    const once = on('second', ...pay(otherRecipient, '2', '--once', `bonus-${otherRecipient}-2`));
    expect(await operator.json(once)).toMatchObject({ exit: 0, verified: false });
    const run = on('second', ...pay(otherRecipient, '0.3', '--run', 'bonus'));
    expect(await operator.json(run)).toMatchObject({ exit: 0, verified: true });
    expect(await operator.sandbox.ledger()).toHaveLength(3);
  });

  test('nothing is verified that did not happen, and what is held has no such word', async () => {
    await operator.sandbox.readings({ repeated_transfer_key: 'conflict' });
    const held = await operator.json(on('second', ...pay(otherRecipient, '2', ...bonus)));
    expect(held).toMatchObject({ exit: 10, outcome: 'held' });
    expect(held).not.toHaveProperty('verified');
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

describe('a reply that names another transfer’s', () => {
  const answers = (body: unknown, times = 1) =>
    operator.sandbox.script({ status: 200, when: 'after', operation: 'transfer', body, times });

  test.each(['transfer_id', 'signature'] as const)('%s is tried again', async (field) => {
    const first = await operator.json([...payAda]);
    const own = { transfer_id: 'tr_own', signature: 'own', status: 'confirmed' };
    await answers({ ...own, [field]: first.transfer?.[field] });
    const second = await operator.json([...pay(recipient, '0.7'), '--retries', '1']);
    expect(second).toMatchObject({ exit: 0, outcome: 'accepted', intent: { attempts: 2 } });
    const [, made] = await operator.sandbox.ledger();
    expect(second.transfer?.signature).toBe(made?.signature);
  });

  test('signature each time is held', async () => {
    const { transfer } = await operator.json([...payAda]);
    await answers({ signature: transfer?.signature }, 2);
    const second = await operator.run([...pay(recipient, '0.7'), '--retries', '1', '--quiet']);
    expect(second).toMatchObject({ code: 10, stdout: '' });
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

  test('is not one that says another word', async () => {
    await answers('airdropped');
    const ended = await operator.json([...payAda]);
    expect(ended).toMatchObject({ exit: 0, outcome: 'accepted' });
    expect(ended.warnings?.join()).toContain('64 bytes in base58');
  });
});

test('an unlisted 4xx is tried again, and held where tries end with it', async () => {
  await operator.sandbox.script({ status: 499, operation: 'transfer', when: 'after' });
  const again = await operator.json([...payAda, '--retries', '1']);
  expect(again).toMatchObject({ exit: 0, intent: { attempts: 2 } });
  await operator.sandbox.script({ status: 444, operation: 'transfer' });
  expect(await operator.json(pay(recipient, '0.7'))).toMatchObject({
    exit: 10,
    intent: { why: 'unclear-status' },
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
    const path = join(operator.home.path, 'rows.csv');
    const head = kind === 'send' ? 'id,conversation_id,content' : 'id,to_address,asset,amount';
    const place = kind === 'send' ? 'conv_demo' : `${recipient},SOL`;
    writeFileSync(path, [head, ...ids.map((id) => `${id},${place},${field(id)}`), ''].join('\n'));
    return path;
  };
  const lines = (stdout: string): Record<string, unknown>[] =>
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);

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
      const told = lines(ran.stdout).slice(0, -1);
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
    expect(lines(json.stdout).map(({ verified }) => verified)).toEqual([
      false,
      false,
      false,
      true,
      undefined,
    ]);
    expect(lines(json.stdout).at(-1)).toMatchObject({ result: { done: 4, unverified: 3 } });
    const human = await operator.run(on('third', 'batch', 'send', second, '--once', 'news'));
    expect(human.stdout).toBe('✔ Batch news: 4 of 4 accepted\n');
    expect(human.stderr.match(/note: .*already knew this key/gu)).toHaveLength(1);
    const quiet = await operator.run(on('fourth', 'batch', 'send', second, '--once', 'news', '--quiet'));
    expect(quiet.stderr).not.toMatch(/note:.*already knew this key/u);
  });
});
