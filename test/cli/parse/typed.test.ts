import { describe, expect, test } from 'vitest';
import { exitTable } from '../../../src/once/failures.ts';
import { runMain } from '../../support/inProcess.ts';

// What can be typed, as the design's table of the command line has it, row by row. Nothing else can.

const everywhere =
  '--profile --base-url --token-file --sandbox --journal --json --quiet --verbose --no-color --timeout --max-wait -h --help -V --version';
const once = '-o --once --idempotency-key --dry-run -y --yes';
const eachRow =
  '-o --once --column --skip-invalid --report --rate --concurrency --max-failures --dry-run -y --yes';
const tokens = '--token-stdin --token-env --token-command';

const rows: readonly [command: string, takes: string, options: string][] = [
  [
    'send',
    '',
    `-c --conversation -m --content --content-file --reply-to --button --components --payload ${once}`,
  ],
  [
    'transfer',
    '',
    `-t --to --asset --amount --memo --payload --allow-off-curve --propose --wait --repeat ${once}`,
  ],
  ['batch send', 'FILE', `${eachRow} --template`],
  [
    'batch transfer',
    'FILE',
    `${eachRow} --decimal-comma --asset --amount --allow-off-curve --propose --wait --repeat --skip-repeats`,
  ],
  ['batch status', '[NAME]', ''],
  [
    'history',
    '[IDS…]',
    '-s --state --kind --batch -t --to --asset --since --until -n --limit --total --format',
  ],
  ['resume', '[IDS…]', '--all --held -y --yes'],
  ['resolve', 'IDS…', '--happened --signature --did-not-happen --reason -y --yes'],
  ['approve', '[IDS…]', '--batch -y --yes'],
  ['decline', '[IDS…]', '--batch --reason -y --yes'],
  ['verify', '[IDS…]', '--all --wallet --since'],
  ['balance', '', ''],
  ['policy show', '', ''],
  ['policy check', 'FILE', ''],
  ['config add', 'NAME', `${tokens} --rpc-url --wallet --assets --cluster --policy --use -y --yes`],
  ['config list', '', ''],
  ['config show', '[NAME]', ''],
  ['config use', 'NAME', ''],
  ['config set', 'NAME SETTING [VALUE]', tokens],
  ['config unset', 'NAME SETTING', ''],
  ['config remove', 'NAME', '-y --yes'],
  ['config journal', '[JOURNAL]', '--unset'],
  ['journal backup', 'FILE', ''],
  ['journal migrate', '', '--import'],
  ['journal accept-loss', '', '-y --yes'],
  ['journal close', '', '--reason'],
  ['journal open', '', ''],
  ['mcp', '', ''],
  ['sandbox', '', '--port --data --ephemeral'],
  ['doctor', '', ''],
  ['completion', 'SHELL', ''],
  ['help', '[WORDS…]', ''],
];

type Option = { name: string; short?: string };
type Help = {
  options: Option[];
  commands: { name: string; arguments: { usage: string }[]; options: Option[] }[];
  exits: { exit: number }[];
};

async function help(...words: string[]): Promise<Help> {
  const { code, stdout } = await runMain(['help', ...words, '--json']);
  expect(code).toBe(0);
  return JSON.parse(stdout) as Help;
}

function flags(options: readonly Option[]): string[] {
  return options.flatMap(({ name, short }) => (short === undefined ? [name] : [short, name])).sort();
}

function usage(takes: string): string {
  return takes
    .toLowerCase()
    .replaceAll('…', '...')
    .replace(/(?<![[\w.])[a-z.]+/gu, '<$&>');
}

test.each(rows)('%s takes what its row says', async (command, takes, options) => {
  const [described] = (await help(...command.split(' '))).commands;
  expect(described?.arguments.map((argument) => argument.usage).join(' ')).toBe(usage(takes));
  expect(flags(described?.options ?? [])).toEqual(
    options
      .split(' ')
      .filter((flag) => flag !== '')
      .sort(),
  );
});

test('there are no other commands', async () => {
  const { commands } = await help();
  expect(commands.map(({ name }) => name).sort()).toEqual(rows.map(([command]) => command).sort());
});

test('every command takes the options of the first row, and no others', async () => {
  expect(flags((await help()).options)).toEqual(everywhere.split(' ').sort());
});

test('the exits are those of the table', async () => {
  const exits = (await help()).exits.map(({ exit }) => exit);
  expect(exits.sort((one, other) => one - other)).toEqual(
    exitTable.map(({ exit }) => exit).sort((one, other) => one - other),
  );
});

describe('the short options mean their long ones', () => {
  test.each([
    ['-h', '--help'],
    ['-V', '--version'],
  ])('%s is %s, also behind a command', async (short, long) => {
    for (const before of [[], ['send'], ['batch', 'transfer']])
      expect(await runMain([...before, short])).toEqual(await runMain([...before, long]));
  });
});

describe('help', () => {
  test.each([['batch transfer'], ['batch'], ['send']])(
    '%s shows what --help behind it shows',
    async (command) => {
      const words = command.split(' ');
      expect(await runMain(['help', ...words])).toEqual(await runMain([...words, '--help']));
    },
  );

  test.each(['agents', 'exit-codes', 'reruns'])('%s is text, as JSON too', async (topic) => {
    const { stdout } = await runMain(['help', topic]);
    expect((await help(topic)) as unknown).toEqual({ schema: 'botctl/1', command: 'help', text: stdout });
  });
});

describe('an unknown word is named', () => {
  test.each([
    ['tranfer --help', 'tranfer'],
    ['tranfer -h', 'tranfer'],
    ['batch tranfer --help', 'tranfer'],
    ['help tranfer', 'tranfer'],
    ['help batch tranfer', 'tranfer'],
    ['help tranfer --json', 'tranfer'],
    ['help send tranfer', 'send tranfer'],
    ['help agents tranfer', 'agents'],
  ])('%s', async (line, word) => {
    const { code, stdout, stderr } = await runMain(line.split(' '));
    expect(code).toBe(2);
    expect(stdout + stderr).toContain(`Unknown command '${word}'`);
    expect(stdout).not.toContain('Usage');
  });
});
