import { unsafeClass } from '../wording/suggest.ts';

/**
 * Makes text from the service, from files and from other people harmless in a terminal and a log: characters that move
 * the cursor, change the reading direction or are invisible become escapes.
 */

const plain = /^[ -~]*$/u;

let unsafe: RegExp | undefined;

// A function, because compiling the pattern loads Unicode tables (1 ms), and most text does not need it.
function withoutUnsafe(text: string, spell: (character: string) => string): string {
  if (plain.test(text)) return text;
  unsafe ??= new RegExp(unsafeClass, 'gu');
  return text.replace(unsafe, spell);
}

// GitHub Actions would execute `::command::` at the start of a line and `##[command]` anywhere.
const workflowCommand = /^(\s*)::|##\[/gu;

function escapeForPeople(character: string): string {
  if (character === '\n') return '\\n';
  if (character === '\t') return '\\t';
  if (character === '\r') return '\\r';
  const codePoint = character.codePointAt(0) ?? 0;
  const hex = codePoint.toString(16);
  return codePoint > 0xffff ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`;
}

function escapeForJson(character: string): string {
  let escaped = '';
  for (let index = 0; index < character.length; index += 1) {
    escaped += `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`;
  }
  return escaped;
}

/** One line of text, safe to show. */
export function safeLine(text: string): string {
  return withoutUnsafe(text, escapeForPeople).replace(workflowCommand, (match, blank: string | undefined) =>
    match === '##[' ? '#\\u0023[' : `${blank ?? ''}\\u003a\\u003a`,
  );
}

/** Several lines of text, each made safe; tabs become blanks. */
export function safeLines(text: string): string[] {
  return text.split(/\r\n|\n|\r/u).map((line) => safeLine(line.replaceAll('\t', '    ')));
}

/** A value as one line of JSON. Unsafe characters are `\u`-escaped, so it parses to the same value. */
export function safeJson(value: unknown): string {
  return withoutUnsafe(JSON.stringify(value), escapeForJson).replaceAll('##[', '#\\u0023[');
}

/** Lines up to `width`, wrapped at blanks. A longer word stays whole and can be copied. */
export function foldAtBlanks(text: string, width: number): string[] {
  const lines: string[] = [];
  let line: string | undefined;
  for (const word of text.split(' ')) {
    if (line !== undefined && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === undefined ? word : `${line} ${word}`;
  }
  return [...lines, line ?? ''];
}

// A spreadsheet would run such a cell as a formula, also after a separator or a line break inside the text.
const formula = /^[\t\r]|(?<=(?:^|[,;|\t\r\n])[ "]*)[=+\-@＝＋－＠]/gu;

function csvCell(text: string): string {
  const safe = text.replace(formula, "'$&");
  return /[",;|\t\r\n]/u.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function csvLine(cells: readonly (string | number | undefined)[], delimiter = ','): string {
  return `${cells.map((cell) => csvCell(String(cell ?? ''))).join(delimiter)}\n`;
}

/** What botctl itself prints beyond ASCII, each one cell wide. */
const oneSymbol = '[→…✔•│·–’“”]';
const plainCells = new RegExp(`^(?:[ -~]|${oneSymbol})*$`, 'u');

/** Whether each character is known to take one cell without looking it up. */
export function isPlain(text: string): boolean {
  return plainCells.test(text);
}
