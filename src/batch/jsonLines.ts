import { Failure } from '../errors.ts';
import { complain } from '../intent/complaint.ts';
import { readJson } from '../intent/jsonText.ts';
import { maxRowBytes, type RawRow } from './rawRow.ts';

/** Rows of JSON Lines: an object a line; blank lines are skipped. */
export async function* jsonLines(pieces: AsyncIterable<string>, source: string): AsyncGenerator<RawRow> {
  let line = 0;
  for await (const text of linesOf(pieces, source)) {
    line += 1;
    if (text.trim() !== '') yield rowOf(text, line);
  }
}

async function* linesOf(pieces: AsyncIterable<string>, source: string): AsyncGenerator<string> {
  let rest = '';
  let line = 1;
  for await (const piece of pieces) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    line += lines.length;
    if (rest.length > maxRowBytes) {
      throw new Failure(
        'bad-file',
        `${source}, line ${line} is longer than ${maxRowBytes} bytes. Nothing was sent.`,
        {
          hint: 'JSON Lines holds one object a line. Is it the right file?',
        },
      );
    }
    yield* lines;
  }
  yield rest;
}

function rowOf(text: string, line: number): RawRow {
  const read = readJson(text);
  if ('fault' in read) {
    const { what, column } = read.fault;
    return { line, complaints: [complain('the row', 'one JSON object', `is ${what} at column ${column}`)] };
  }
  const { value } = read;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { line, complaints: [complain('the row', 'one JSON object', 'is other JSON')] };
  }
  return { line, fields: value as Record<string, unknown> };
}
