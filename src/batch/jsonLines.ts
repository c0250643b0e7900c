import { readJson } from '../intent/jsonText.ts';
import { batchFailure } from './facts.ts';
import { maxRowBytes, type RawRow } from './rawRow.ts';
import { complainOfRow } from './rowRules.ts';

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
    if (rest.length > maxRowBytes)
      throw batchFailure('line-too-long', { source, line, mostBytes: maxRowBytes });
    yield* lines;
  }
  yield rest;
}

function rowOf(text: string, line: number): RawRow {
  const read = readJson(text);
  if ('fault' in read) return { line, complaints: [complainOfRow(undefined, 'object', read.fault)] };
  const { value } = read;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { line, complaints: [complainOfRow(undefined, 'object', 'other-json')] };
  }
  return { line, fields: value as Record<string, unknown> };
}
