import { counted } from './list.ts';

/** What is wrong with a row: its rules (`it must be …`), and the problems of what it says. */

export const theRow = 'the row';
export const oneObject = 'one JSON object';
export const notAnObject = 'is JSON, but not an object';
export const json = 'JSON';

export function isFault(what: string, column?: number): string {
  return column === undefined ? `is ${what}` : `is ${what} at column ${column}`;
}

export function asLongAsHeader(cells: number): string {
  return `as long as the header: ${counted(cells, 'cell')}`;
}

export function hasCells(cells: number): string {
  return `has ${counted(cells, 'cell')}`;
}

export function idRule(maxBytes: number): string {
  return `text of at most ${maxBytes} bytes that is this row’s alone`;
}

export const idProblems = {
  missing: 'is missing',
  notAString: 'is not a string',
  empty: 'is empty',
  tooLong: 'is too long',
} as const;

export const aloneRule = 'this row’s alone';

export function alsoOfLine(line: number): string {
  return `is also that of line ${line}`;
}

export const noKeyRule = 'absent: a row’s key comes from --once and its id';
export const isGiven = 'is given';

export const noButtonsRule = 'absent where components is given';
export const isGivenToo = 'is given too';

export const buttonsRule =
  'a JSON array of buttons like {"label":"Yes","custom_id":"yes","style":"success"}, or of rows of them';
export const notButtons = 'is not an array of buttons';

/** A row on a line of its own: where it stands, and what is said of it. */
export function ofRow({ line, id }: { line: number; id?: string | undefined }, text: string): string {
  return `line ${line}${id === undefined ? '' : ` (id ${id})`}: ${text}`;
}
