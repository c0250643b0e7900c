import { execFileSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { again } from '../../../src/cli/say/open.ts';
import {
  type Occurrence,
  type Suggestion,
  shellWord,
  suggested,
  withLacking,
} from '../../../src/cli/say/phrases.ts';
import { safeLine } from '../../../src/cli/show/text.ts';

const sandbox: Occurrence = { name: 'sandbox', value: true };

function lineOf(suggestion: Suggestion, occurrences: readonly Occurrence[], asks = false): string {
  const { lines, lacking } = suggested([suggestion], { occurrences, asks });
  return lines[0] ?? `lacking: ${lacking}`;
}

describe('a command that is suggested', () => {
  test('repeats what names the bot, its service and the journal', () => {
    const given = [
      sandbox,
      { name: 'json', value: true as const },
      { name: 'journal', value: '/srv/my journal.db' },
    ];
    expect(lineOf(['resume', 'a1b2'], given)).toBe(
      "botctl resume a1b2 --sandbox --journal '/srv/my journal.db'",
    );
  });

  test('says nothing twice, and nothing that is refused beside --sandbox', () => {
    const given = [
      { name: 'journal', value: 'one.db' },
      { name: 'profile', value: 'prod' },
    ];
    expect(lineOf(['resume', 'a1b2', '--sandbox', '--journal', 'two.db'], given)).toBe(
      'botctl resume a1b2 --sandbox --journal two.db',
    );
  });

  test('writes a value that looks like an option with its name', () => {
    expect(lineOf(['history'], [{ name: 'journal', value: '-j.db' }])).toBe('botctl history --journal=-j.db');
  });

  test('goes with --yes only where nobody can be asked, or where it was given', () => {
    expect(lineOf(['resume', 'a1b2', '--yes'], [])).toBe('botctl resume a1b2 --yes');
    expect(lineOf(['resume', 'a1b2', '--yes'], [], true)).toBe('botctl resume a1b2');
    expect(lineOf(['resume', 'a1b2', '--yes'], [{ name: 'yes', value: true }], true)).toContain('--yes');
  });

  test('that would read stdin again is said in words; looking and deciding need no token', () => {
    const given = [{ name: 'token-file', value: '-' }];
    expect(lineOf(['resume', 'a1b2'], given)).toBe(
      'lacking: The command read stdin: give it the same input again.',
    );
    expect(lineOf(['history', 'a1b2'], given)).toBe('botctl history a1b2');
    const batch = { command: 'batch send', args: ['-'], occurrences: [{ name: 'once', value: 'x' }] };
    expect(lineOf(again(batch), [])).toBe('lacking: The command read stdin: give it the same input again.');
  });

  test('that has several reasons not to be shown says each of them once', () => {
    const given = [
      { name: 'token-file', value: '-' },
      { name: 'journal', value: 'postgres://bots:canary@db/ledger' },
    ];
    const next = [
      ['resume', 'a1b2'],
      ['resume', 'c3d4\n'],
    ];
    expect(suggested(next, { occurrences: given, asks: false })).toEqual({
      lines: [],
      lacking:
        'The command read stdin: give it the same input again. The --journal URL contains a password, which is not shown here. Its arguments cannot be written on one line.',
    });
  });

  test('ends the sentence before them where a command is not shown', () => {
    expect(withLacking('Name it:', { lacking: 'Its arguments cannot be written on one line.' })).toBe(
      'Name it. Its arguments cannot be written on one line.',
    );
    expect(withLacking('Name it:', { lacking: undefined })).toBe('Name it:');
  });

  test('never repeats a password', () => {
    const given = [{ name: 'journal', value: 'postgres://bots:canary@db/ledger' }];
    const { lines, lacking } = suggested([['history']], { occurrences: given, asks: false });
    expect([lines, lacking]).toEqual([[], 'The --journal URL contains a password, which is not shown here.']);
    for (const value of [
      ' postgres://b:canary@db/x',
      'jdbc:postgresql://h/d?password=canary',
      'b:canary@db/x',
    ])
      expect(lineOf(['history'], [{ name: 'journal', value }])).toMatch(
        /^lacking: The --journal URL contains a password/u,
      );
    expect(lineOf(['history'], [{ name: 'journal', value: 'host=h password = canary' }])).toMatch(
      /^lacking/u,
    );
    expect(lineOf(['history'], [{ name: 'journal', value: '/srv/b:a@h/password=x' }])).toMatch(/^botctl/u);
    expect(lineOf(['history'], [{ name: 'journal', value: 'postgres://bots@db/ledger' }])).toBe(
      'botctl history --journal postgres://bots@db/ledger',
    );
  });

  test('that needs no base URL of its own has none: a token is only given to its own intents', () => {
    expect(lineOf(['resume', '--all'], [{ name: 'base-url', value: 'https://a.example' }])).toBe(
      'botctl resume --all',
    );
  });

  test('of other programs is a line of its own', () => {
    expect(
      lineOf(
        {
          shell: [
            ['mv', '/a b', '/c'],
            ['chmod', '600', '/c'],
          ],
        },
        [sandbox],
      ),
    ).toBe("mv '/a b' /c && chmod 600 /c");
  });
});

test.each(['profile', 'base-url', 'token-file', 'journal'])(
  '--%s is repeated by what is suggested',
  (name) => {
    for (const command of ['history', 'resume', 'resolve', 'doctor'])
      expect(lineOf([command], [{ name, value: 'x y' }])).toBe(`botctl ${command} --${name} 'x y'`);
  },
);

describe('the same command again', () => {
  test('is whole, without some options and with others', () => {
    const given = {
      command: 'batch transfer',
      args: ['-rows.csv'],
      occurrences: [sandbox, { name: 'once', value: 'pay' }, { name: 'report', value: '-r.csv' }],
    };
    const more = { name: 'skip-invalid', value: true } as const;
    expect(lineOf(again(given, ['once'], more), given.occurrences)).toBe(
      'botctl batch transfer ./-rows.csv --sandbox --report=-r.csv --skip-invalid',
    );
  });
});

const places = ['/bin/dash', '/bin/bash', '/bin/zsh', '/usr/bin/zsh', '/bin/sh'];
/** Each once, by whatever names it is there. */
const shells = [...new Set(places.filter(existsSync).map((place) => realpathSync(place)))];

describe.each(shells)('a word in a line that is pasted into %s', (shell) => {
  const read = (words: readonly (string | undefined)[]): string[] =>
    execFileSync(shell, ['-c', `printf '%s\\0' ${words.join(' ')}`], { encoding: 'utf8' })
      .split('\0')
      .slice(0, -1);

  test('reaches the program as it is, and shows as it is', () => {
    const word = fc.string({ unit: 'grapheme' }).filter((text) => shellWord(text) !== undefined);
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 20 }), (words) => {
        const quoted = words.map(shellWord);
        expect(quoted.map((one) => safeLine(one ?? ''))).toEqual(quoted);
        expect(read(quoted)).toEqual(words);
      }),
      { numRuns: 30 },
    );
  });

  test('may hold what moves the cursor, expands, or is a command elsewhere', () => {
    const odd = [
      '',
      '=ls',
      '~',
      '-x\n%s\\n$HOME`id`!"\'',
      'a\tb\u202e\u200bc',
      '##[x]',
      '$(id)',
      'ünï',
      '*',
      '{a,b}',
    ];
    const quoted = odd.map(shellWord);
    expect(quoted.join(' ')).not.toMatch(/[\n\t\u202e\u200b]|##\[/u);
    expect(read(quoted)).toEqual(odd);
  });
});

test.each(['ends in a newline\n', 'was no text \uFFFD', 'half \uD83D'])('%j cannot be pasted', (word) => {
  expect(shellWord(word)).toBeUndefined();
});
