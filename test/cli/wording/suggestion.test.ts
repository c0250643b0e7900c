import { execFileSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { safeLine } from '../../../src/cli/show/text.ts';
import { howToDecide } from '../../../src/cli/wording/settling.ts';
import {
  adviceOf,
  type Occurrence,
  shellWord,
  suggested,
  withLacking,
} from '../../../src/cli/wording/suggest.ts';
import type { Suggestion } from '../../../src/once/sentence.ts';

function lineOf(suggestion: Suggestion, occurrences: readonly Occurrence[]): string {
  const { lines, lacking } = suggested([suggestion], { occurrences, asks: false });
  return lines[0] ?? `lacking: ${lacking}`;
}

describe('a sentence that tells to decide', () => {
  const advice = (hint: string, asks: boolean): string => adviceOf(hint, { asks });
  test.each([
    [
      'Run it at a terminal to be asked. If you have decided, add --yes.',
      'Run it at a terminal to be asked. A person must decide.',
    ],
    ['Check the amount. Then approve it or decline it:', 'Check the amount. A person must decide:'],
    [
      'Ask first: botctl verify. Then decide with botctl resolve. Choose --did-not-happen if you are sure: it pays again. It may pay twice.',
      'Ask first: botctl verify. A person must decide. It may pay twice.',
    ],
    [
      'Look first. --repeat pays the rows; --skip-repeats leaves them out.',
      'Look first. A person must decide.',
    ],
    ['Run the same command again.', 'Run the same command again.'],
  ])('%s', (hint, elsewhere) => {
    expect(advice(hint, true)).toBe(hint);
    expect(advice(hint, false)).toBe(elsewhere);
  });
});

test.each([
  [[['history', 'a']], 'Check it. A person must decide:'],
  [[], 'Check it. A person must decide.'],
  [[{ decides: ['approve', 'a'] }], 'Check it. A person must decide.'],
])('a text ends with a colon only where a command follows: %j', (next, text) => {
  const by = { occurrences: [], asks: false };
  expect(withLacking('Check it. A person must decide:', suggested(next as Suggestion[], by))).toBe(text);
});

test('where nobody can decide, what a wrong decision costs is left out with the decision', () => {
  const payment = howToDecide({ kind: 'transfer' });
  expect(adviceOf(payment, { asks: true })).toMatch(
    /no longer remembers the first request would make it twice\.$/u,
  );
  expect(adviceOf(payment, { asks: false })).toBe('Check the wallet first. A person must decide.');
});

describe('a command that is suggested', () => {
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

  test('that needs no base URL of its own has none: a token is only given to its own entries', () => {
    expect(lineOf(['resume', '--all'], [{ name: 'base-url', value: 'https://a.example' }])).toBe(
      'botctl resume --all',
    );
  });

  test('that names a profile has no other bot’s service or token', () => {
    const given = ['base-url', 'token-file'].map((name) => ({ name, value: 'x' }));
    expect(lineOf(['send', '--profile', 'prod'], given)).toBe('botctl send --profile prod');
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
