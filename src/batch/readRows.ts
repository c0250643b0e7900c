import { bytesOf, type Source } from '../input/bytes.ts';
import type { Kind } from '../intent/wanted.ts';
import { headerOf } from './columns.ts';
import { csvRows } from './csvRows.ts';
import { jsonLines } from './jsonLines.ts';
import { maxRowBytes, type RawRow } from './rawRow.ts';
import type { Template } from './template.ts';
import { wholeText } from './wholeText.ts';

type Input = Omit<Source, 'name'> & {
  /** Told of all bytes as they are read. */
  readonly onBytes?: (bytes: Buffer) => void;
};

export function inputName({ path }: Pick<Input, 'path'>): string {
  return path === '-' ? 'stdin' : path;
}

/** The rows of a file or of stdin, read once, a piece at a time. What begins with `{` is JSON Lines, else CSV. */
export async function* readRows(input: Input, kind: Kind, template?: Template): AsyncGenerator<RawRow> {
  const source = inputName(input);
  const bytes = bytesOf({ ...input, name: source });
  const pieces = wholeText(input.onBytes === undefined ? bytes : watched(bytes, input.onBytes), source);
  const first = await firstPiece(pieces);
  const all = again(first, pieces);
  const columns = template === undefined ? headerOf(kind) : template.header();
  const rows = /^\s*\{/u.test(first) ? jsonLines(all, source) : csvRows(all, columns, source);
  if (template === undefined) yield* rows;
  else for await (const row of rows) yield template.fill(row);
}

async function* watched(
  pieces: AsyncIterable<Buffer>,
  onBytes: (bytes: Buffer) => void,
): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    onBytes(piece);
    yield piece;
  }
}

/** Enough of the beginning to tell what it is. */
async function firstPiece(pieces: AsyncGenerator<string>): Promise<string> {
  let first = '';
  while (first.length < maxRowBytes) {
    const next = await pieces.next();
    if (next.done === true) return first;
    first += next.value;
    if (next.value.trim() !== '') return first;
  }
  return first;
}

async function* again(first: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield first;
  yield* rest;
}
