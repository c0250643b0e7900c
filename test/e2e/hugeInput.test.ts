import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Ran } from '../support/botctl.ts';
import { botctlHere } from '../support/builtHere.ts';
import { Home } from '../support/home.ts';
import { processorMs } from '../support/processorTime.ts';

let home: Home;
beforeEach(() => {
  home = new Home();
});
afterEach(() => home.remove());

const many = <Made>(count: number, make: (index: number) => Made): Made[] =>
  Array.from({ length: count }, (_none, index) => make(index));

const keys = JSON.stringify(Object.fromEntries(many(60_000, (index) => [`key${index}`, 1])));
const button = (index: number) => ({ type: 'button', label: 'a', custom_id: `b${Math.floor(index / 2)}` });
const digits = (count: number) => '1'.repeat(count);
const longColumn = 'a column’s name is longer than 200 characters';
const long = 'x'.repeat(900_000);
const to = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
const message = { conversation_id: 'c', content: 'x' };

const blanks = ' '.repeat(900_000);
const row = { id: 'a', to_address: to, asset: 'SOL', amount: '1' };
const pays = (path: string) => ['batch', 'transfer', path, '--once', 'x'];

const batch = (kind: string) => (path: string) => ['batch', kind, path, '--once', 'x'];
const payload = (kind: string) => (path: string) => [kind, '--payload', path];

/** So soon that nothing in it grows with the square of the input. */
async function soon(words: readonly string[]): Promise<Ran> {
  let ran: Ran | undefined;
  const tookMs = await processorMs(async () => {
    ran = await botctlHere(words, { env: home.env });
  });
  // Alone it takes a tenth of that.
  expect(tookMs).toBeLessThan(6000);
  if (ran === undefined) throw new Error('it did not run');
  return ran;
}

test.each<[string, string, (path: string) => readonly string[], string]>([
  ['140,000 columns', `${many(140_000, (index) => `c${index}`).join(',')}\nx`, batch('send'), 'has 1 cell'],
  ['a column 140,000 times', `${many(140_000, () => 'content').join(',')}\nx`, batch('send'), 'has 1 cell'],
  ['a column of 400 digits and a letter', `content,${digits(400)}x\nc,d\n`, batch('send'), longColumn],
  ['a column of 90,000 digits and a letter', `content,${digits(90_000)}x\nc,d\n`, batch('send'), longColumn],
  [
    'a key of 400 digits and a letter',
    `{"${digits(400)}x":1}\n`,
    batch('send'),
    'the name of a field is longer than 200',
  ],
  ['60,000 keys of a message', keys, payload('send'), 'and 59997 more problems'],
  ['60,000 keys of a transfer', keys, payload('transfer'), 'more problems'],
  ['60,000 keys in a row', `${keys}\n`, batch('send'), 'conversation_id is missing'],
  [
    'one long key',
    JSON.stringify({ ...message, [long]: 1 }),
    payload('send'),
    'the name of a field is longer than 200',
  ],
  ['a key twice', `{"${digits(200)}":1,"${digits(200)}":2}`, payload('send'), 'is given twice'],
  [
    '15,000 buttons twice',
    JSON.stringify([{ type: 'action_row', components: many(15_000, button) }]),
    (path) => ['send', '--conversation', 'c', '--content', 'x', '--components', path],
    'more problems',
  ],
  [
    '30,000 empty components',
    JSON.stringify({ ...message, components: many(30_000, () => ({})) }),
    payload('send'),
    'more problems',
  ],
  [
    'a long address',
    JSON.stringify({ to_address: long, asset: 'SOL', amount: '1' }),
    payload('transfer'),
    'to_address',
  ],
  [
    'a long asset',
    JSON.stringify({ to_address: to, asset: ` ${long}`, amount: '1' }),
    payload('transfer'),
    'asset',
  ],
  [
    'a long amount',
    JSON.stringify({ to_address: to, asset: 'SOL', amount: `${long}0` }),
    payload('transfer'),
    'amount',
  ],
  ['a long content', JSON.stringify({ ...message, content: long }), payload('send'), 'is far too long'],
  ['a long number', `{"a":${'1'.repeat(900_000)}}`, payload('send'), 'lose digits'],
  ['a million brackets', '['.repeat(1_000_000), payload('send'), 'nested deeper'],
  ['megabytes of blank lines', ' \n'.repeat(2_000_000), batch('send'), 'has no rows'],
  ...['id', 'to_address', 'asset', 'amount'].map((field): [string, string, typeof pays, string] => [
    `900,000 blanks inside the ${field} of a row`,
    `id,to_address,asset,amount\n${Object.values({ ...row, [field]: `1${blanks}5` }).join()}\n`,
    pays,
    field,
  ]),
  [
    '900,000 blanks inside a value of a line',
    `${JSON.stringify({ ...row, amount: `1${blanks}5` })}\n`,
    pays,
    'has a space (it must be digits',
  ],
  ['a quote that never ends', `conversation_id,content\n"${long.repeat(4)}`, batch('send'), 'not CSV'],
])('%s end soon, with a short message', async (_what, text, wordsOf, words) => {
  const ran = await soon([...wordsOf(home.file('input', text)), '--sandbox', '--dry-run', '--json']);
  expect(ran.code).toBe(2);
  const said = ran.stdout + ran.stderr;
  expect(said).toContain(words);
  expect(said.length).toBeLessThan(2600);
});

test('a thousand column names of 200 characters are kept, and end soon', async () => {
  const names = many(1000, (index) => `${digits(199 - String(index).length)}x${index}`).join(',');
  const path = home.file('a.csv', `conversation_id,content,${names}\n`);
  const ran = await soon(['batch', 'send', path, '--once', 'x', '--sandbox', '--dry-run']);
  expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('has no rows') });
});

test('a token file of nothing but line breaks, and then something, ends soon', async () => {
  const path = home.file('token', `${'\n'.repeat(65_000)}x`);
  const to = ['--base-url', 'http://127.0.0.1:1', '--max-wait', '0s', '--token-file', path];
  const ran = await soon(['send', '--conversation', 'c', '--content', 'x', ...to]);
  expect(ran.stderr).toContain('more than one line');
});

test.each([
  ['--timeout', 'z'.repeat(100_000)],
  ['--once', 'n'.repeat(100_000)],
  ['--base-url', 'z'.repeat(100_000)],
  [`--${'z'.repeat(100_000)}`, 'x'],
])('a refusal of long words stays short: %.12s', async (option, value) => {
  const words = ['send', '--conversation', 'c', '--content', 'x', option, value, '--json'];
  const ran = await botctlHere(words, { env: { ...home.env, BOTCTL_TOKEN: 'a-token-of-the-bot' } });
  expect(ran.code).toBeGreaterThan(1);
  expect((ran.stdout + ran.stderr).length).toBeLessThan(2600);
});
