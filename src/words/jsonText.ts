import { clipped } from './short.ts';
import { Told } from './told.ts';

/** What is wrong with a text, and where in it. */
export type TextFault = { readonly what: string; readonly line: number; readonly column: number };

export function badText(source: string, { what, line, column }: TextFault): Told {
  return new Told('bad-file', `${source}, line ${line}, column ${column}: ${what}`, {
    hint: 'Fix the file and run the command again.',
  });
}

export const notUtf8 = 'the bytes are not valid UTF-8';
export const notJson = 'not JSON';
export const inexactNumber = 'the number cannot be passed on exactly; write it as a string';

export function notJsonBecause(why: string): string {
  return `not JSON (${why})`;
}

export function tooDeep(most: number): string {
  return `it is nested deeper than ${most} levels`;
}

export function keyTwice(key: string): string {
  return `the key "${clipped(key)}" is given twice in one object`;
}
