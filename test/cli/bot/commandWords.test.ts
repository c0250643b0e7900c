import { describe, expect, test } from 'vitest';
import { commandWords } from '../../../src/cli/bot/tokenInput.ts';
import { failureOf, wordsOf } from '../../support/failure.ts';

describe('a token command is split into words', () => {
  test.each([
    ['op read op://vault/bot/token', ['op', 'read', 'op://vault/bot/token']],
    ['  pass   show\tbot  ', ['pass', 'show', 'bot']],
    [`op read 'op://My Vault/bot'`, ['op', 'read', 'op://My Vault/bot']],
    [`op read "op://My Vault/\\"bot\\""`, ['op', 'read', 'op://My Vault/"bot"']],
    [`a\\ b c\\'d`, ['a b', "c'd"]],
    [`a'b'"c"d ''`, ['abcd', '']],
    [`'\\n' "\\n \\\\"`, ['\\n', '\\n \\']],
    [
      'echo $HOME `id` $(id) ~ *; rm | x > y',
      ['echo', '$HOME', '`id`', '$(id)', '~', '*;', 'rm', '|', 'x', '>', 'y'],
    ],
  ])('%s', (text, words) => {
    expect(commandWords(text)).toEqual(words);
  });

  test.each([
    ['', 'is empty'],
    ['   ', 'is empty'],
    ["''", 'is empty'],
    ["op 'read", 'unclosed quote'],
    ['op "canary\\"', 'unclosed quote'],
    ['op canary\\', 'ends in a backslash'],
  ])('%j is refused with the rule, without being echoed', async (text, problem) => {
    const failure = await failureOf(() => commandWords(text));
    expect(failure.code).toBe('bad-input');
    expect(failure.message).toContain(problem);
    expect(wordsOf(failure)).not.toContain('canary');
  });
});
