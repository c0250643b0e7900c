import { bytesOf, type Source } from '../input/bytes.ts';
import type { Kind } from '../intent/wanted.ts';
import { csvRows } from './csvRows.ts';
import { jsonLines } from './jsonLines.ts';
import type { RawRow } from './rawRow.ts';
import { wholeText } from './wholeText.ts';

export type Input = Omit<Source, 'name'>;

export function sourceOf({ path }: Pick<Input, 'path'>): string {
  return path === '-' ? 'stdin' : path;
}

/** The rows of a file or of stdin, read once, a piece at a time. What begins with `{` is JSON Lines, else CSV. */
export async function* readRows(input: Input, kind: Kind): AsyncGenerator<RawRow> {
  const source = sourceOf(input);
  const pieces = wholeText(bytesOf({ ...input, name: source }), source);
  const first = await firstPiece(pieces);
  const all = again(first, pieces);
  yield* /^\s*\{/u.test(first) ? jsonLines(all, source) : csvRows(all, kind, source);
}

/** Enough of the beginning to tell what it is. */
async function firstPiece(pieces: AsyncGenerator<string>): Promise<string> {
  let first = '';
  while (first.trim() === '') {
    const next = await pieces.next();
    if (next.done === true) return first;
    first += next.value;
  }
  return first;
}

async function* again(first: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield first;
  yield* rest;
}
