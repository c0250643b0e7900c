import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Home } from '../../../testing/home.ts';
import { type Ran, runMain } from '../../../testing/inProcess.ts';

let home: Home;
beforeEach(() => {
  home = new Home();
});
afterEach(() => home.remove());

const to = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';

/** Writes a file into the test's home and gives its path. */
function file(name: string, content: string | Uint8Array): string {
  const path = join(home.path, name);
  writeFileSync(path, content);
  return path;
}

async function run(words: string[], stdin?: string): Promise<Ran> {
  return runMain([...words, '--sandbox', '--dry-run', '--json'], {
    env: home.env,
    ...(stdin === undefined ? {} : { stdin }),
  });
}

async function requestOf(words: string[], stdin?: string): Promise<Record<string, unknown>> {
  const ran = await run(words, stdin);
  expect(ran.code, ran.stdout).toBe(0);
  const body = (JSON.parse(ran.stdout) as { intent: { request: Record<string, unknown> } }).intent.request;
  return body;
}

async function refusalOf(words: string[], stdin?: string): Promise<[number, string, string]> {
  const ran = await run(words, stdin);
  const { error } = JSON.parse(ran.stdout) as { error: { code: string; message: string } };
  return [ran.code, error.code, error.message];
}

const send = ['send', '--conversation', 'c'];
const transfer = ['transfer', '--to', to, '--asset', 'SOL'];

describe('the content of a message', () => {
  test.each([
    ['Hello\n', 'Hello'],
    ['Hello\r\n', 'Hello'],
    ['Hello\n\n', 'Hello\n'],
    ['\ufeffHello', 'Hello'],
    ['a\r\nb', 'a\r\nb'],
  ])('read from a file: %j is %j', async (written, content) => {
    const path = file('content', written);
    expect((await requestOf([...send, '--content-file', path])).content).toBe(content);
    expect((await requestOf([...send, '--content-file', '-'], written)).content).toBe(content);
  });

  test.each<[string, () => string[], string, string]>([
    ['both ways', () => ['--content', 'a', '--content-file', file('f', 'b')], 'usage', 'are both given'],
    ['both, and no such file', () => ['--content', 'a', '--content-file', '/no/file'], 'usage', 'both given'],
    [
      'a file that is not there',
      () => ['--content-file', join(home.path, 'none')],
      'bad-file',
      'there is no such file',
    ],
    ['a folder', () => ['--content-file', home.path], 'bad-file', 'it is a folder'],
    ['a file without end', () => ['--content-file', '/dev/zero'], 'bad-file', 'is longer than'],
    [
      'bytes that are no UTF-8',
      () => ['--content-file', file('f', Buffer.from('a\nb\xff', 'latin1'))],
      'bad-file',
      'line 2, column 2',
    ],
    ['nothing', () => ['--content-file', file('f', '')], 'bad-input', 'content (--content-file) is empty'],
    [
      'a newline alone',
      () => ['--content-file', file('f', '\n')],
      'bad-input',
      'content (--content-file) is empty',
    ],
    ['an empty option', () => ['--content', ''], 'bad-input', 'content (--content) is empty'],
    ['no option', () => [], 'bad-input', 'content (--content) is missing'],
    [
      '5001 characters',
      () => ['--content', '😀'.repeat(2) + 'x'.repeat(4999)],
      'bad-input',
      'content (--content) has 5001',
    ],
  ])('given as %s is refused', async (_how, words, code, problem) => {
    const [exit, named, message] = await refusalOf([...send, ...words()]);
    expect([exit, named]).toEqual([2, code]);
    expect(message).toContain(problem);
  });
});

describe('buttons', () => {
  const content = ['--content', 'x'];

  test('stand in rows in the order they were given', async () => {
    const words = [
      '--button',
      'label=A,id=a',
      '--row',
      '--button',
      'label=B,id=b',
      '--button',
      'label=C,id=c',
    ];
    expect((await requestOf([...send, ...content, ...words])).components).toEqual([
      { type: 'action_row', components: [{ type: 'button', label: 'A', custom_id: 'a' }] },
      {
        type: 'action_row',
        components: [
          { type: 'button', label: 'B', custom_id: 'b' },
          { type: 'button', label: 'C', custom_id: 'c' },
        ],
      },
    ]);
  });

  test.each<[string, () => string[], string, string]>([
    ['a row alone', () => ['--row'], 'bad-input', 'begins a row without buttons'],
    [
      'one id twice',
      () => ['--button', 'label=A,id=a', '--row', '--button', 'label=B,id=a'],
      'bad-input',
      'use the custom_id "a" twice',
    ],
    ['without id', () => ['--button', 'label=A'], 'bad-input', 'has no id'],
    [
      'both ways',
      () => ['--button', 'label=A,id=a', '--components', file('f', '[]')],
      'usage',
      'are both given',
    ],
    [
      'components that are an object',
      () => ['--components', file('f', '{}')],
      'bad-input',
      'components (--components) is not a list',
    ],
    [
      'components that are no JSON',
      () => ['--components', file('f', '[\n{]')],
      'bad-file',
      'line 2, column 2',
    ],
  ])('%s are refused', async (_how, words, code, problem) => {
    const [exit, named, message] = await refusalOf([...send, ...content, ...words()]);
    expect([exit, named]).toEqual([2, code]);
    expect(message).toContain(problem);
  });
});

describe('a payload', () => {
  const payload = JSON.stringify({
    conversation_id: 'p',
    content: 'from the payload',
    reply_to_message_id: 'm',
  });

  test('is the whole request, and other options override its fields', async () => {
    expect(await requestOf(['send', '--payload', '-'], payload)).toEqual(JSON.parse(payload));
    expect(await requestOf(['send', '--payload', file('p', payload), '--content', 'mine'])).toEqual({
      ...JSON.parse(payload),
      content: 'mine',
    });
    const money = JSON.stringify({ to_address: to, asset: 'SOL', amount: '1', memo: 'm' });
    expect(await requestOf(['transfer', '--payload', '-', '--amount', '2.50'], money)).toEqual({
      to_address: to,
      asset: 'SOL',
      amount: '2.5',
      memo: 'm',
    });
  });

  test.each([
    ['a list', '[]', 'bad-input', 'is not a JSON object'],
    ['null', 'null', 'bad-input', 'is not a JSON object'],
    ['a text', '"x"', 'bad-input', 'is not a JSON object'],
    ['nothing', '', 'bad-file', '--payload (stdin), line 1, column 1'],
    [
      'a key given twice',
      '{"content":"a",\n"content":"b"}',
      'bad-file',
      'line 2, column 1: the field "content" is given twice',
    ],
    [
      'an unknown field',
      '{"conversation_id":"c","content":"x","colour":1}',
      'bad-input',
      'colour is not known',
    ],
    [
      '__proto__',
      '{"conversation_id":"c","content":"x","__proto__":{"a":1}}',
      'bad-input',
      '__proto__ is not known',
    ],
    [
      'an empty key',
      '{"conversation_id":"c","content":"x","idempotency_key":""}',
      'usage',
      'the payload’s idempotency_key is empty',
    ],
  ])('that is %s is refused', async (_what, text, code, problem) => {
    const [exit, named, message] = await refusalOf(['send', '--payload', '-'], text);
    expect([exit, named]).toEqual([2, code]);
    expect(message).toContain(problem);
  });

  test('beside a name is one name too many', async () => {
    const text = '{"conversation_id":"c","content":"x","idempotency_key":"k"}';
    const [exit, , message] = await refusalOf(['send', '--payload', '-', '--once', 'n'], text);
    expect(exit).toBe(2);
    expect(message).toContain('--once and the payload’s idempotency_key are given');
  });

  test('and content cannot both come from stdin', async () => {
    const [exit, code, message] = await refusalOf(['send', '--payload', '-', '--content-file', '-'], '{}');
    expect([exit, code]).toEqual([2, 'usage']);
    expect(message).toContain('--payload and --content-file both read stdin');
  });
});

describe('a transfer', () => {
  test.each<[string, string[], string]>([
    ['1,5', [...transfer, '--amount', '1,5'], 'amount (--amount) has a comma'],
    ['an exponent', [...transfer, '--amount', '1e3'], 'amount (--amount) has an exponent'],
    ['nothing', [...transfer, '--amount', '0'], 'amount (--amount) is zero'],
    ['no amount', transfer, 'amount (--amount) is missing'],
    ['sol', ['transfer', '--to', to, '--asset', 'sol', '--amount', '1'], 'write SOL'],
    [
      'a PDA',
      ['transfer', '--to', 'B9G9B7yEcF8ummvj5pemKAvqyptHBFfEFkbvRHivAdgp', '--asset', 'SOL', '--amount', '1'],
      'off the curve',
    ],
    [
      'no address',
      ['transfer', '--to', 'me', '--asset', 'SOL', '--amount', '1'],
      'to_address (--to) is 2 bytes',
    ],
  ])('of %s is refused', async (_what, words, problem) => {
    const [exit, code, message] = await refusalOf(words);
    expect([exit, code]).toEqual([2, 'bad-input']);
    expect(message).toContain(problem);
  });

  test('off the curve is taken with --allow-off-curve', async () => {
    const pda = 'B9G9B7yEcF8ummvj5pemKAvqyptHBFfEFkbvRHivAdgp';
    const words = ['transfer', '--to', pda, '--asset', 'SOL', '--amount', '1', '--allow-off-curve'];
    expect((await requestOf(words)).to_address).toBe(pda);
  });
});

describe('what is missing', () => {
  test.each([
    [['send'], '--conversation and --content (or --content-file)'],
    [['transfer', '--asset', 'SOL'], '--to and --amount'],
    [['transfer', '--asset', 'SOL', '--amount', '1,5'], '--to, fix the rest'],
  ])('%j is told the options to give', async (words, options) => {
    const { code, stderr } = await runMain([...words, '--sandbox'], { env: home.env });
    expect(code).toBe(2);
    expect(stderr).toContain(`Give ${options}, and run the command again.`);
    expect(stderr).not.toMatch(/is missing \(/u);
  });
});

describe('whatever is refused', () => {
  test('nothing was written for it', async () => {
    mkdirSync(join(home.path, 'data'));
    await runMain(['send', '--conversation', 'c', '--content', '', '--sandbox'], { env: home.env });
    await runMain([...transfer, '--amount', '0', '--sandbox', '--yes'], { env: home.env });
    const { readdirSync } = await import('node:fs');
    expect(readdirSync(join(home.path, 'data'))).toEqual([]);
  });
});
