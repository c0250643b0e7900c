import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { globalOptions } from '../../src/cli/parse/args.ts';
import type { LeafSpec } from '../../src/cli/parse/command.ts';
import { commandTree } from '../../src/commands.ts';
import { botctl } from '../support/botctl.ts';
import { payAda, SandboxHome, sendHello } from '../support/sandboxHome.ts';

/** It moves the cursor, begins a line, turns the reading direction and hides. */
const hostile = 'a\u001b[2J\u009b31m\nraw\r\u202e\u2066\u200b\ufeffz';

/** What must not be shown. A newline is botctl's own, unless what follows it is the name's. */
const raw = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|^raw/mu;

const rows = `id,to_address,asset,amount\na,${payAda[2]},SOL,0.01\nb,x,SOL,1\n`;
const messages = 'id,conversation_id,content\na,conv_demo,Hi\nb,conv_demo,\n';
const policy = '{"schema":"botctl-policy/1","limits":{"SOL":{}}}';

/** What a file may hold, by where it is given: what can be used, and what cannot. */
const contents: Readonly<Record<string, readonly string[]>> = {
  '--payload': ['{"x":1}', '{"conversation_id":"conv_demo","content":"Hi"}', '{'],
  '--content-file': ['Hello', ''],
  '--components': ['[]', '{'],
  '--template': ['Hi {{id}}', 'Hi {{none}}', 'Hi {{'],
  '--token-file': ['a-token', 'two\nlines'],
  '--journal': ['', 'no database'],
  '--import': ['', 'no database'],
  '--report': ['', 'id,note\n1,mine\n'],
  '--data': ['no folder'],
  '--policy': [policy, '{}', '{'],
  'batch send': [messages, 'x,y\n1,2\n', '', '"'],
  'batch transfer': [rows, rows.slice(0, rows.indexOf('b,')), 'x,y\n1,2\n', '{"id":"a"}'],
  'policy check': [policy, '{}', '{'],
  'journal backup': ['of somebody'],
};

/** The words that a command needs besides. */
const needed: Readonly<Record<string, readonly string[]>> = {
  send: sendHello.slice(1),
  'send --content-file': sendHello.slice(1, 3),
  'send --payload': [],
  transfer: payAda.slice(1),
  'transfer --payload': [],
  'batch send': ['--once', 'n', '--skip-invalid'],
  'batch transfer': ['--once', 'n', '--yes', '--skip-invalid'],
  'batch status': ['n'],
  resolve: ['abcd', '--happened', '--reason', 'seen'],
  approve: ['abcd', '--yes'],
  decline: ['abcd', '--reason', 'no'],
  'config add': ['prod', '--base-url', 'https://bots.example.com', '--yes'],
  'config add --policy': ['prod', '--base-url', 'https://bots.example.com', '--yes', '--token-env', 'BOT'],
  'config show': ['prod'],
  'config use': ['prod'],
  'config set': ['prod', 'timeout', '1s'],
  'config unset': ['prod', 'timeout'],
  'config remove': ['none', '--yes'],
  completion: ['bash'],
  'journal accept-loss': ['--yes'],
};

const leaves = commandTree.flatMap((spec): { command: string; spec: LeafSpec }[] =>
  'children' in spec
    ? spec.children.map((leaf) => ({ command: `${spec.name} ${leaf.name}`, spec: leaf }))
    : [{ command: spec.name, spec }],
);

const takesFile = ({ flags = '', usage = '' }): boolean => /<(file|dir)>/u.test(flags + usage);
const nameOf = ({ flags = '' }): string => /--[a-z-]+/u.exec(flags)?.[0] ?? '';
const everywhere = globalOptions.filter(takesFile).map(nameOf);

type Drive = { readonly command: string; readonly at: string; readonly words: readonly string[] };

/** Each command, with a hostile path at each place that takes a file. */
const drives = leaves.flatMap(({ command, spec }): Drive[] => {
  const takes = (spec.arguments ?? []).some(takesFile);
  const options = (spec.options ?? []).filter(takesFile).map(nameOf);
  const words = (at: string): string[] => [
    ...command.split(' '),
    ...(takes && at !== command ? ['rows.csv'] : []),
    ...(needed[`${command} ${at}`] ?? needed[command] ?? []),
    ...(at === command ? [] : [at]),
  ];
  return [...(takes ? [command] : []), ...options, ...everywhere].map((at) => ({
    command,
    at,
    words: words(at),
  }));
});

/** A file that is checked by itself, and the copy of one. */
const checks: readonly Drive[] = [
  { command: 'batch send', at: 'batch send', words: ['batch', 'send', '--dry-run'] },
  { command: 'batch transfer', at: 'batch transfer', words: ['batch', 'transfer', '--dry-run'] },
  {
    command: 'batch transfer',
    at: '--report',
    words: ['batch', 'transfer', 'rows.csv', '--dry-run', '--report'],
  },
];

let operator: SandboxHome;
let place: string;
beforeAll(async () => {
  operator = await SandboxHome.open();
  await operator.run(sendHello);
  await operator.run([...payAda, '--once', 'rent']);
});
afterAll(() => operator.close());
beforeEach(() => {
  place = join(operator.home.path, hostile);
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { mode: 0o700 });
});

async function allSaid(
  words: readonly string[],
  env: Record<string, string> = {},
  faces: readonly string[][] = [[], ['--json'], ['--verbose'], ['--quiet']],
): Promise<string> {
  const isServer = words[0] === 'sandbox';
  let all = '';
  for (const face of isServer ? [faces.length > 2 ? [] : ['--json']] : faces) {
    const start = { env: { ...operator.env, ...env }, cwd: operator.home.path, interruptAtOutput: true };
    const ran = await (isServer
      ? botctl([...words, ...face], start)
      : operator.run([...words, ...face], start));
    const said = ran.stdout + ran.stderr;
    expect(raw.exec(said)?.[0], JSON.stringify({ words, face, said })).toBeUndefined();
    all += said;
  }
  return all;
}

describe('a hostile file name is shown escaped', () => {
  test('wherever a command takes one', () => {
    expect(drives.map(({ at }) => at).filter((at) => !(at in contents))).toEqual([]);
  });

  test.each([...drives, ...checks])('by $command at $at', async ({ command, at, words }) => {
    const path = join(place, `${hostile}${at === '--report' ? '.csv' : ''}`);
    operator.home.file('rows.csv', command === 'batch send' ? messages : rows);
    let all = '';
    for (const text of [undefined, ...(contents[at] ?? [])]) {
      rmSync(path, { recursive: true, force: true });
      if (text !== undefined) {
        writeFileSync(path, text);
        chmodSync(path, 0o600);
      }
      // What --verbose and --quiet add is of the command, not of the file.
      const isWhole = text === undefined && !everywhere.includes(at);
      all += await allSaid([...words, path], {}, isWhole ? undefined : [[], ['--json']]);
    }
    // Not every command looks at a token and a journal; and the server comes before what is imported.
    if (!everywhere.includes(at) && at !== '--import') expect(all).toContain('[2J');
  });

  test('and so is any other name', async () => {
    const named = ({ flags = '', usage = '' }): boolean => /<name>|<ids?|\[ids?/u.test(flags + usage);
    for (const { command, spec } of leaves) {
      const own = needed[command] ?? [];
      for (const { flags } of [...(spec.options ?? []), ...globalOptions].filter(named))
        await allSaid([...command.split(' '), ...own, nameOf({ flags }), hostile], {}, [[], ['--json']]);
      if ((spec.arguments ?? []).some(named))
        await allSaid([...command.split(' '), hostile, ...own.filter((word) => word !== 'prod')]);
    }
  });

  test('where it leads to the profiles, the journal and a policy', async () => {
    const env = { XDG_CONFIG_HOME: join(place, 'config'), XDG_DATA_HOME: join(place, 'data') };
    const path = join(place, `${hostile}.json`);
    writeFileSync(path, policy, { mode: 0o600 });
    const prod = ['--profile', 'prod'];
    const add = [
      'config',
      'add',
      'prod',
      '--base-url',
      operator.sandbox.baseUrl,
      '--yes',
      '--token-env',
      'BOT',
    ];
    const more = [
      add,
      ['config', 'set', 'prod', 'policy', path],
      ['config', 'show', 'prod'],
      ['doctor', ...prod],
    ];
    const paths = [...more, ['policy', 'show', ...prod], [...payAda, ...prod, '--once', 'hostile']];
    let all = '';
    for (const words of paths) all += await allSaid(words, { ...env, BOT: operator.sandbox.tokens.full });
    for (const { command } of leaves.filter((leaf) => leaf.command !== 'sandbox'))
      all += await allSaid([...command.split(' '), ...(needed[command] ?? [])], env);
    expect(all).toContain('[2J');
  });
});
