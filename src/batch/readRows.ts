import { isUtf8 } from 'node:buffer';
import { pipeline, Readable } from 'node:stream';
import { CsvError, type Parser, parse } from 'csv-parse';
import { bytesOf, type Source } from '../once/input.ts';
import { firstBadByte, readJson } from '../once/intent/jsonText.ts';
import type { Kind } from '../once/intent/wanted.ts';
import { headerOf, jsonColumns, maxRowBytes, type RawRow } from './checkRow.ts';
import {
  type CsvColumn,
  columnsOf,
  csvColumns,
  folded,
  type HeaderColumns,
  isFilled,
  type Mending,
  mended,
  type SplitRow,
  splitRow,
} from './columns.ts';
import { batchFailure, complainOfRow, type RowComplaint } from './facts.ts';
import type { Template } from './template.ts';

export type Input = Omit<Source, 'name'> & {
  readonly notes?: FileNotes;
};

/** What is found out about a file while it is read. */
export type FileNotes = {
  /** What divides the cells of a CSV file. */
  delimiter?: string;
  /** Rows without a single character, as spreadsheets write them. They are skipped. */
  emptyRows: number;
};

/** How the cells of a file are to be read. */
type ReadingOptions = {
  readonly template?: Template | undefined;
  readonly mending?: Mending;
};

export function inputName({ path }: Pick<Input, 'path'>): string {
  return path === '-' ? 'stdin' : path;
}

/**
 * The rows of a file or of stdin, read once, piece by piece. Text that begins with `{` is JSON Lines, other text CSV.
 */
export async function* readRows(
  input: Input,
  kind: Kind,
  { template, mending = {} }: ReadingOptions = {},
): AsyncGenerator<RawRow> {
  const { source, text, isJson } = await openText(input);
  const header = template === undefined ? headerOf(kind) : template.header();
  const columns = { ...header, needed: header.needed.filter((name) => !isFilled(name, mending)) };
  const rows = isJson
    ? jsonLines(text, columns, mending, source)
    : csvRows(text, columns, mending, source, input.notes);
  if (template === undefined) yield* rows;
  else for await (const row of rows) yield template.fill(row);
}

/** What stands in a file: the cells of a CSV file, its header first, or a line of JSON as the only cell. */
type FileRecord = { readonly cells: readonly string[]; readonly delimiter: string | undefined };

/** The records of a file as they are, one for each row that `readRows` reads. */
export async function* readRecords(input: Input): AsyncGenerator<FileRecord> {
  const { source, text, isJson } = await openText(input);
  if (!isJson)
    yield* csvRecords(
      text,
      kinds.flatMap((kind) => headerOf(kind).known),
      source,
    );
  else
    for await (const line of linesOf(text, source))
      if (line.trim() !== '') yield { cells: [line], delimiter: undefined };
}

const kinds: readonly Kind[] = ['transfer', 'message'];

async function openText(
  input: Input,
): Promise<{ readonly source: string; readonly text: AsyncGenerator<string>; readonly isJson: boolean }> {
  const source = inputName(input);
  const pieces = wholeText(bytesOf({ ...input, name: source }), source);
  const first = await firstPiece(pieces);
  return { source, text: again(first, pieces), isJson: /^\s*\{/u.test(first) };
}

/** Enough of the beginning to tell the format. */
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

function parser(pieces: AsyncIterable<string>, delimiter: string): Parser {
  const csv = parse({
    delimiter,
    // All three are listed: if the parser guessed from the first line, it would treat the others as text.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    max_record_size: maxRowBytes,
  });
  pipeline(Readable.from(pieces), csv, () => {});
  return csv;
}

type CsvRecord = { readonly cells: readonly string[]; readonly line: number; readonly delimiter: string };

/** The header and the rows of CSV, each with the line on which it begins. */
async function* csvRecords(
  pieces: AsyncIterable<string>,
  known: readonly string[],
  source: string,
  notes: FileNotes = { emptyRows: 0 },
): AsyncGenerator<CsvRecord> {
  let line = 1;
  try {
    const { beginning, all } = await withBeginning(pieces);
    const delimiter = delimiterOf(beginning, known);
    notes.delimiter = delimiter;
    for await (const cells of parser(all, delimiter) as AsyncIterable<string[]>) {
      const beginsAt = line;
      line += 1 + newlinesIn(cells);
      if (cells.some((cell) => cell.trim() !== '')) yield { cells, line: beginsAt, delimiter };
      else if (cells.length > 1) notes.emptyRows += 1;
    }
  } catch (error) {
    throw error instanceof CsvError ? broken(error, source) : error;
  }
}

async function* csvRows(
  pieces: AsyncIterable<string>,
  columns: HeaderColumns,
  mending: Mending,
  source: string,
  notes: FileNotes | undefined,
): AsyncGenerator<RawRow> {
  let header: readonly CsvColumn[] | undefined;
  for await (const { cells, line } of csvRecords(pieces, columns.known, source, notes)) {
    if (header !== undefined) yield rowOf(cells, header, mending, line);
    else {
      header = csvColumns(cells, columns, source);
      const given = header.flatMap((column) => ('known' in column ? column.known : []));
      const column = given.find((name) => isFilled(name, mending));
      if (column !== undefined) throw batchFailure('filled-column', { source, column });
    }
  }
  if (header === undefined) throw batchFailure('no-header', { source, known: columns.known });
}

const delimiters = [',', ';', '\t'] as const;

/**
 * Finds the separator. Many countries' spreadsheets do not use the comma. The right one yields the most known columns.
 */
function delimiterOf(beginning: string, known: readonly string[]): string {
  const [header = ''] = beginning.trimStart().split(/[\r\n]/u);
  const knownBy = (delimiter: string): number =>
    header.split(delimiter).filter((cell) => known.includes(folded(unquoted(cell)))).length;
  return delimiters.reduce<string>((best, one) => (knownBy(one) > knownBy(best) ? one : best), ',');
}

function unquoted(cell: string): string {
  return cell.replace(/^"(.*)"$/u, '$1');
}

/** Reads to the end of the first line that is not blank: a pipe may deliver it in pieces. */
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

function rowOf(
  cells: readonly string[],
  header: readonly CsvColumn[],
  mending: Mending,
  line: number,
): RawRow {
  const fields: Record<string, unknown> = {};
  const kept: [string, string][] = [];
  const complaints: RowComplaint[] = [];
  if (cells.length !== header.length) {
    const lengths = { header: header.length, cells: cells.length };
    complaints.push(complainOfRow(undefined, 'header-length', lengths));
  }
  for (const [index, column] of header.entries()) {
    const cell = cells[index];
    if (cell === undefined || cell === '') continue;
    if ('title' in column) kept.push([column.title, cell]);
    else if (!jsonColumns.includes(column.known)) fields[column.known] = cell;
    else {
      const read = readJson(cell);
      if ('value' in read) fields[column.known] = read.value;
      else complaints.push(complainOfRow(column.known, 'json', read.fault));
    }
  }
  return readRow(line, mended({ fields, columns: columnsOf(kept), complaints }, mending));
}

function readRow(line: number, { fields, columns, complaints }: SplitRow): RawRow {
  const also = columns === undefined ? {} : { columns };
  if (complaints.length === 0) return { line, fields, ...also };
  return { line, complaints, ...also, ...(typeof fields.id === 'string' ? { id: fields.id } : {}) };
}

function broken(error: CsvError, source: string): Error {
  const line = 'lines' in error && typeof error.lines === 'number' ? error.lines : undefined;
  const what = error.message.replace(/ at line \d+.*$|, value is .*$/u, '');
  return batchFailure('not-csv', { source, line, what }, error);
}

/** Rows of JSON Lines: one object on each line. Blank lines are skipped. */
async function* jsonLines(
  pieces: AsyncIterable<string>,
  columns: HeaderColumns,
  mending: Mending,
  source: string,
): AsyncGenerator<RawRow> {
  let line = 0;
  for await (const text of linesOf(pieces, source)) {
    line += 1;
    if (text.trim() !== '') yield rowOfLine(text, columns, mending, line);
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

function rowOfLine(text: string, columns: HeaderColumns, mending: Mending, line: number): RawRow {
  const read = readJson(text);
  if ('fault' in read) return { line, complaints: [complainOfRow(undefined, 'object', read.fault)] };
  const { value } = read;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { line, complaints: [complainOfRow(undefined, 'object', 'other-json')] };
  }
  return readRow(line, mended(splitRow(value as Record<string, unknown>, columns), mending));
}

/** How many bytes at the end belong to a character that is still incomplete. */
function unfinishedBytes(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes.readUInt8(bytes.length - back);
    if ((byte & 0b1100_0000) === 0b1000_0000) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needed > back ? back : 0;
  }
  return 0;
}

function newlineBytesIn(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) count += 1;
  return count;
}

/** Decodes bytes to text without splitting a character or keeping a byte order mark. Throws if they are not UTF-8. */
export async function* wholeText(chunks: AsyncIterable<Buffer>, source: string): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0);
  let linesBefore = 0;
  let hasBegun = false;
  const textOf = (bytes: Buffer): string => {
    if (!isUtf8(bytes))
      throw batchFailure('not-utf8', { source, line: linesBefore + firstBadByte(bytes).line });
    linesBefore += newlineBytesIn(bytes);
    const text = bytes.toString('utf8');
    const withoutMark = hasBegun ? text : text.replace(/^\ufeff/u, '');
    hasBegun = true;
    return withoutMark;
  };
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const cut = bytes.length - unfinishedBytes(bytes);
    rest = bytes.subarray(cut);
    if (cut > 0) yield textOf(bytes.subarray(0, cut));
  }
  if (rest.length > 0) yield textOf(rest);
}
