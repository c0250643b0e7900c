import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Token } from '../../../src/cli/bot/token.ts';
import { failureOf, wordsOf } from '../../support/failure.ts';

const secret = 'canary-0123456789-abcdefghijklmnop-WXYZ';

describe('a token', () => {
  test('shows itself nowhere but through reveal', () => {
    const token = Token.from(secret, 'a test');
    const shown = [
      String(token),
      `${token}`,
      JSON.stringify({ token }),
      inspect(token),
      inspect({ deep: { token } }, { showHidden: true, depth: null, getters: true }),
      inspect(Object.getOwnPropertyDescriptors(token)),
    ].join('\n');
    expect(shown).not.toContain('canary');
    expect(shown).toContain('[token]');
    expect(token.reveal()).toBe(secret);
  });

  test.each([
    ['short', ''],
    ['a'.repeat(7), ''],
    ['1234567x', 'x'],
    ['0123456789abcdef', 'ef'],
    [secret, 'WXYZ'],
    ['z'.repeat(3000), 'zzzz'],
  ])('%s may be told apart by %j', (text, ending) => {
    expect(Token.from(text, 'a test').ending()).toBe(ending);
  });

  test.each([
    ['', 'is empty'],
    ['canary two', 'outside ASCII at position 7'],
    ['canary\n', 'outside ASCII at position 7'],
    ['\u0000canary', 'outside ASCII at position 1'],
    ['canary\u007f', 'outside ASCII at position 7'],
    ['canaryé', 'outside ASCII at position 7'],
    ['canary\u200b', 'outside ASCII at position 7'],
    ['c'.repeat(4097), 'longer than 4096'],
  ])('%j is refused without being echoed', async (text, problem) => {
    const failure = await failureOf(() => Token.from(text, 'BOTCTL_TOKEN'));
    expect(failure.code).toBe('bad-token');
    expect(failure.message).toContain(problem);
    expect(failure.message).toContain('BOTCTL_TOKEN');
    if (text !== '') expect(wordsOf(failure)).not.toContain(text.slice(0, 6));
  });

  test('holds exactly the bytes 0x21 to 0x7E', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0x2ff }), (code) => {
        const text = `a${String.fromCharCode(code)}b`;
        let taken = true;
        try {
          Token.from(text, 'a test');
        } catch {
          taken = false;
        }
        expect(taken).toBe(code >= 0x21 && code <= 0x7e);
      }),
      { numRuns: 1000 },
    );
  });
});
