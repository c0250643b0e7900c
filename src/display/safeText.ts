import { unsafeClass } from '../words/unsafe.ts';

/**
 * Text from the service, from files and from other people, made harmless for a terminal and for a log
 * reader: what moves the cursor, turns the reading direction or shows nothing is written out as its escape.
 */

const plain = /^[ -~]*$/u;

let unsafe: RegExp | undefined;

// A pattern's Unicode tables are read when the code that holds it is, 1 ms: most text needs none of them.
function withoutUnsafe(text: string, spell: (character: string) => string): string {
  if (plain.test(text)) return text;
  unsafe ??= new RegExp(unsafeClass, 'gu');
  return text.replace(unsafe, spell);
}

// What GitHub Actions would execute: `::command::` at the start of a line, `##[command]` anywhere.
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
  return withoutUnsafe(text, escapeForPeople).replace(workflowCommand, (found, blank: string | undefined) =>
    found === '##[' ? '#\\u0023[' : `${blank ?? ''}\\u003a\\u003a`,
  );
}

/** Text of several lines, each made safe; tabs become blanks. */
export function safeLines(text: string): string[] {
  return text.split(/\r\n|\n|\r/u).map((line) => safeLine(line.replaceAll('\t', '    ')));
}

/** A value as one line of JSON with everything unsafe `\u`-escaped, so that it reads back the same. */
export function safeJson(value: unknown): string {
  return withoutUnsafe(JSON.stringify(value), escapeForJson).replaceAll('##[', '#\\u0023[');
}
