import { unsafeClass } from './unsafe.ts';

// A leading = or ~ means something to zsh, or to all shells.
const plain = /^[A-Za-z0-9_@%+:,./-][A-Za-z0-9_@%+=:,./-]*$/u;

const ascii = /^[ -~]*$/u;
let unsafe: RegExp | undefined;

/** One word, quoted so that sh, bash and zsh read the same; undefined where no line can hold it. */
export function shellWord(word: string): string | undefined {
  if (plain.test(word)) return word;
  if (!mustBeSpelled(word)) return `'${word.replaceAll("'", `'\\''`)}'`;
  // A shell drops newlines at the end of what it takes over, and what was no text is not known any more.
  if (word.endsWith('\n') || /[\0\uFFFD\p{Cs}]/u.test(word)) return undefined;
  return `"$(printf '${spelled(word)}')"`;
}

/** What a terminal or a log reader would not show as it is, or would carry out. */
function mustBeSpelled(word: string): boolean {
  if (word.includes('##[')) return true;
  if (ascii.test(word)) return false;
  unsafe ??= new RegExp(`${unsafeClass}|\\uFFFD`, 'u');
  return unsafe.test(word);
}

// Those that mean something to printf, to a double-quoted string or to a shell's history; a - may begin an option.
const meaningful = /^-|[#%\\'"`$!]/gu;

function spelled(word: string): string {
  return word.replace(meaningful, octal).replace(new RegExp(unsafeClass, 'gu'), octal);
}

function octal(text: string): string {
  return [...Buffer.from(text)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}
