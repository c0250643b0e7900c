import { Failure } from '../errors.ts';

const rule =
  'Blanks separate words; \'…\' keeps everything as it is; "…" keeps blanks, with \\" and \\\\ inside; \\ outside quotes keeps the next character. No shell runs: no variables, pipes or ~.';

function refuse(problem: string): Failure {
  return new Failure('bad-input', `The token command ${problem}; nothing was run.`, { hint: rule });
}

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
  if (end < text.length) throw refuse(text[end] === '\\' ? 'ends in a backslash' : 'has an open quote');
  if (word !== undefined) words.push(word);
  const [program, ...rest] = words;
  if (program === undefined || program === '') throw refuse('is empty');
  if (text.includes('\0')) throw refuse('has a zero byte');
  return [program, ...rest];
}
