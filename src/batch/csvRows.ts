import { pipeline, Readable } from 'node:stream';
import { CsvError, type Parser, parse } from 'csv-parse';
import { readJson } from '../intent/jsonText.ts';
import { type HeaderColumns, jsonColumns } from './columns.ts';
import { batchFailure } from './facts.ts';
import { maxRowBytes, type RawRow } from './rawRow.ts';
import { complainOfRow, type RowComplaint } from './rowRules.ts';

function parser(pieces: AsyncIterable<string>, delimiter: string): Parser {
  const csv = parse({
    delimiter,
    // Named one by one: a guess from the first line would take the others for text.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    max_record_size: maxRowBytes,
  });
  pipeline(Readable.from(pieces), csv, () => {});
  return csv;
}

/** Rows of CSV under a header, each with the line that it begins on. */
export async function* csvRows(
  pieces: AsyncIterable<string>,
  columns: HeaderColumns,
  source: string,
): AsyncGenerator<RawRow> {
  let line = 1;
  let header: readonly string[] | undefined;
  try {
    const { beginning, all } = await withBeginning(pieces);
    for await (const cells of parser(all, delimiterOf(beginning, columns)) as AsyncIterable<string[]>) {
      const beginsAt = line;
      line += 1 + newlinesIn(cells);
      if (cells.length === 1 && cells[0] === '') continue;
      if (header === undefined) header = checkedHeader(cells, columns, source);
      else yield rowOf(cells, header, beginsAt);
    }
  } catch (error) {
    throw error instanceof CsvError ? broken(error, source) : error;
  }
  if (header === undefined) throw batchFailure('no-header', { source, known: columns.known });
}

const delimiters = [',', ';', '\t'] as const;

/** What spreadsheets of many countries write instead of the comma: known by a header that it makes sense of. */
function delimiterOf(beginning: string, { known }: HeaderColumns): string {
  const [header = ''] = beginning.trimStart().split(/[\r\n]/u);
  const knownBy = (delimiter: string): number =>
    header.split(delimiter).filter((cell) => known.includes(unquoted(cell))).length;
  return delimiters.reduce<string>((best, one) => (knownBy(one) > knownBy(best) ? one : best), ',');
}

function unquoted(cell: string): string {
  return cell.replace(/^"(.*)"$/u, '$1');
}

/** Until the end of the first line that says something: a pipe may give it in pieces. */
async function withBeginning(
  pieces: AsyncIterable<string>,
): Promise<{ beginning: string; all: AsyncIterable<string> }> {
  const iterator = pieces[Symbol.asyncIterator]();
  let beginning = '';
  while (!/[\r\n]/u.test(beginning.trimStart()) && beginning.length < maxRowBytes) {
    const next = await iterator.next();
    if (next.done === true) break;
    beginning += next.value;
  }
  async function* all(): AsyncGenerator<string> {
    yield beginning;
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value;
  }
  return { beginning, all: all() };
}

function newlinesIn(cells: readonly string[]): number {
  let count = 0;
  for (const cell of cells) {
    if (cell.includes('\n') || cell.includes('\r')) count += cell.split(/\r\n|\n|\r/u).length - 1;
  }
  return count;
}

function checkedHeader(
  cells: readonly string[],
  { known, needed, refuseMissing }: HeaderColumns,
  source: string,
): readonly string[] {
  const unknown = cells.filter((cell) => !known.includes(cell));
  const seen = new Set<string>();
  const twice = [...new Set(cells.filter((cell) => seen.size === seen.add(cell).size))];
  const missing = needed.filter((column) => !cells.includes(column));
  if (unknown.length + twice.length + missing.length === 0) return cells;
  refuseMissing?.(missing, cells, source);
  throw batchFailure('bad-header', { source, unknown, twice, missing, known, needed });
}

function rowOf(cells: readonly string[], header: readonly string[], line: number): RawRow {
  const fields: Record<string, unknown> = {};
  const complaints: RowComplaint[] = [];
  if (cells.length !== header.length) {
    const lengths = { header: header.length, cells: cells.length };
    complaints.push(complainOfRow(undefined, 'header-length', lengths));
  }
  for (const [index, column] of header.entries()) {
    const cell = cells[index];
    if (cell === undefined || cell === '') continue;
    if (!jsonColumns.includes(column)) fields[column] = cell;
    else {
      const read = readJson(cell);
      if ('value' in read) fields[column] = read.value;
      else complaints.push(complainOfRow(column, 'json', read.fault));
    }
  }
  if (complaints.length === 0) return { line, fields };
  return { line, complaints, ...(typeof fields.id === 'string' ? { id: fields.id } : {}) };
}

function broken(error: CsvError, source: string): Error {
  const line = 'lines' in error && typeof error.lines === 'number' ? error.lines : undefined;
  const what = error.message.replace(/ at line \d+.*$|, value is .*$/u, '');
  return batchFailure('not-csv', { source, line, what }, error);
}
