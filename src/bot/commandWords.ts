import { badTokenCommand } from '../words/tokenCommand.ts';

/**
 * A token command split into its words. Ours to define, because no shell is involved: the text stays data
 * whatever it holds.
 */
export function commandWords(text: string): readonly [string, ...string[]] {
  const token = /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\]+)|(\s+)/gsuy;
  const words: string[] = [];
  let word: string | undefined;
  let end = 0;
  for (const found of text.matchAll(token)) {
    end = found.index + found[0].length;
    const [, single, double, escaped, plain, blank] = found;
    if (blank !== undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    }
    word = (word ?? '') + (single ?? double?.replace(/\\(["\\])/gu, '$1') ?? escaped ?? plain ?? '');
  }
  if (end < text.length) throw badTokenCommand(text[end] === '\\' ? 'backslash' : 'open-quote');
  if (word !== undefined) words.push(word);
  const [program, ...rest] = words;
  if (program === undefined || program === '') throw badTokenCommand('empty');
  if (text.includes('\0')) throw badTokenCommand('zero-byte');
  return [program, ...rest];
}
