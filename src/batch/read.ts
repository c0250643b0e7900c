import { isUtf8 } from 'node:buffer';
import { nextTurn } from '../machine/process.ts';
import { firstBadByte, readJson } from '../once/entry/jsonText.ts';
import type { Wanted } from '../once/entry/wanted.ts';
import { type Source, wholeOf } from '../once/input.ts';
import { type Checking, checkRow, isGoodId } from './checkRow.ts';
import {
  type FieldNames,
  fieldNames,
  folded,
  headerOf,
  jsonFields,
  neededFields,
  type RawRow,
  type ReadOptions,
  rowFields,
  rowOf,
} from './columns.ts';
import { csvRecords, delimiterOf } from './csv.ts';
import { batchFailure, cellOf, complainOfRow, type OwnRules, type RowComplaint } from './failures.ts';
import { Reasons } from './reasons.ts';
import type { Template } from './template.ts';

type Input = Omit<Source, 'name'>;

/** The caller's settings for reading a file. */
export type Reading = Checking & {
  readonly template?: Template | undefined;
  readonly mending: ReadOptions;
  /** Formats a row's complaints: called with all of them, and with each alone. */
  readonly inWords: (complaints: readonly RowComplaint[], written?: RowHead['written']) => string;
};

/** A row of the input: its request, or its problem. */
export type InputRow = RowHead & ({ readonly wanted: Wanted } | { readonly problem: string });

export type RowHead = {
  readonly line: number;
  readonly id: string | undefined;
  /** Columns that are not fields, as a JSON object. */
  readonly columns: string | undefined;
} & Pick<RawRow, 'written'>;

/** Facts about a file apart from its rows. */
export type FileFacts = {
  /** What is wrong with its rows. */
  readonly bad: Reasons;
  /** Fields that every row needs and no row has. */
  readonly lackingFields: readonly string[];
  /** Some amounts are written like 1,5 and none like 1.5, so the valid ones are only the whole amounts. */
  readonly hasCommas: boolean;
  /** Fields that some row has. */
  readonly fields: readonly string[];
  /** Titles of columns that are not fields. The template names none of `unsent`. */
  readonly columns: readonly string[];
  readonly unsent: readonly string[];
  /** The delimiter of a CSV file. */
  readonly delimiter: string | undefined;
};

export type ReadFile = FileFacts & { readonly rows: readonly InputRow[] };

const mostBytes = 64 * 1024 * 1024;
const mostRows = 250_000;
const pageRows = 256;
/** No request of this service is this long. */
const mostOfRow = 1024 * 1024;
/** No real file has this many columns. */
const mostTitles = 1000;

export function addCount(counts: Map<string, number>, one: string, more = 1): number {
  const count = (counts.get(one) ?? 0) + more;
  counts.set(one, count);
  return count;
}

export function inputName({ path }: Pick<Input, 'path'>): string {
  return path === '-' ? 'stdin' : path;
}

/** All rows of a file or of stdin, and everything that is wrong with them. */
export async function readRows(input: Input, reading: Reading): Promise<ReadFile> {
  const { kind, template, mending, inWords } = reading;
  const source = inputName(input);
  const text = textIn(await wholeOf({ ...input, name: source }, mostBytes), source);
  const fields = fieldNames(kind, mending);
  const delimiter = isJsonLines(text) ? undefined : delimiterOf(text, (title) => fields.has(folded(title)));
  if (delimiter === ',' && mending.decimalComma === true) throw batchFailure('comma-divided', { source });
  const file = { text, source, fields, mending };
  const [ids, missing, titles] = [new Map<string, number>(), new Set<string>(), new Set<string>()];
  const records = delimiter === undefined ? jsonRows(file) : csvRows(file, delimiter);
  const raws = await inTurns(records, input, (raw) => {
    if (isGoodId(raw.fields.id)) addCount(ids, raw.fields.id);
    for (const title of Object.keys(raw.columns ?? {})) if (titles.size < mostTitles) titles.add(title);
    return template === undefined ? raw : template.fill(raw, fields);
  });
  const bad = new Reasons();
  const rows = await inTurns(raws, input, (raw): InputRow => {
    const { line, fields, columns, written } = raw;
    const id = isGoodId(fields.id) ? fields.id : undefined;
    const row = { line, id, columns: columns && JSON.stringify(columns), written };
    const checked = checkRow(raw, reading, (ids.get(id ?? '') ?? 0) > 1);
    if ('wanted' in checked) return { ...row, wanted: checked.wanted };
    for (const { field, rule } of checked.complaints)
      if (rule === 'given' && field !== undefined) missing.add(field);
    const causes = checked.complaints.map((complaint) => ({
      reason: inWords([complaint]),
      said: inWords([complaint], written),
      cell: cellOf(complaint, written),
    }));
    const problem = inWords(checked.complaints, written);
    bad.note(row, problem, causes);
    return { ...row, problem };
  });
  const amounts = raws.map(({ fields: { amount } }) => String(amount));
  return {
    rows,
    bad,
    lackingFields: neededFields[kind].filter(
      (field) => missing.has(field) && raws.every(({ fields }) => fields[field] === undefined),
    ),
    hasCommas:
      amounts.some((amount) => hasDecimal(',', amount)) && !amounts.some((amount) => hasDecimal('.', amount)),
    fields: [...rowFields[kind], 'idempotency_key'].filter((field) =>
      raws.some(({ written }) => written[field] !== undefined),
    ),
    columns: [...titles],
    unsent: [...titles].filter((title) => template?.names(title) !== true),
    delimiter,
  };
}

/** Calls `make` for each row. Between two pages of rows, a signal can be noticed. */
async function inTurns<Made>(
  rows: Iterable<RawRow>,
  input: Input,
  make: (row: RawRow) => Made,
): Promise<Made[]> {
  const made: Made[] = [];
  for (const row of rows) {
    if (made.length === mostRows) throw batchFailure('too-many-rows', { source: inputName(input), mostRows });
    if (made.length % pageRows === 0) await nextTurn();
    if (input.interrupted.aborted) throw batchFailure('interrupted', {});
    made.push(make(row));
  }
  return made;
}

const endsInDecimals = { ',': /,\d+$/u, '.': /\.\d+$/u } as const;

/** False for `1,234`, which may also mean 1234. */
function hasDecimal(mark: ',' | '.', amount: string): boolean {
  return endsInDecimals[mark].test(amount) && !/^\d{1,3}[,.]\d{3}$/u.test(amount);
}

function textIn(bytes: Buffer, source: string): string {
  const begins = bytes.toString('latin1', 0, 4);
  if (begins === 'PK\x03\x04' || begins === '\xd0\xcf\x11\xe0') throw batchFailure('workbook', { source });
  if (!isUtf8(bytes)) {
    const encoding = /^(?:\xff\xfe|\xfe\xff)/u.test(begins) ? 'UTF-16' : 'CP1252';
    throw batchFailure('not-utf8', { source, line: firstBadByte(bytes).line, encoding });
  }
  return bytes.toString('utf8').replace(/^\ufeff/u, '');
}

/** Text that begins with `{` is JSON Lines, other text CSV. */
function isJsonLines(text: string): boolean {
  return /^\s*\{/u.test(text);
}

type Text = {
  readonly text: string;
  readonly source: string;
  readonly fields: FieldNames;
  readonly mending: ReadOptions;
};

function* csvRows({ text, source, fields, mending }: Text, delimiter: string): Generator<RawRow> {
  let header: ReturnType<typeof headerOf> | undefined;
  for (const { line, cells } of csvRecords(text, delimiter)) {
    if (header === undefined) {
      if (cells === undefined) throw batchFailure('not-csv', { source, line });
      header = headerOf(cells, fields, source);
    } else if (cells === undefined) yield faulty(line, 'quotes', 'unmatched');
    else {
      const complaints = [...header.complaints];
      const lengths = { header: header.columns.length, cells: cells.length };
      if (lengths.header !== lengths.cells)
        complaints.push(complainOfRow(undefined, 'header-length', lengths));
      if (cells.reduce((sum, { length }) => sum + length, 0) > mostOfRow)
        complaints.push(complainOfRow(undefined, 'length', { most: mostOfRow }));
      const values = header.columns.map(({ field = '' }, index) => {
        const cell = cells[index];
        if (cell === '' || cell === undefined || !jsonFields.includes(field)) return cell || undefined;
        const read = readJson(cell);
        if ('fault' in read) complaints.push(complainOfRow(field, 'json', read.fault));
        return 'value' in read ? read.value : undefined;
      });
      yield rowOf(line, values, { ...header, complaints }, mending, cells);
    }
  }
}

/** Rows of JSON Lines: one object on each line. Blank lines are skipped. */
function* jsonRows({ text, source, fields, mending }: Text): Generator<RawRow> {
  for (const [index, written] of text.split('\n').entries()) {
    const line = index + 1;
    if (written.trim() === '') continue;
    const read = readJson(written);
    if (written.length > mostOfRow) yield faulty(line, 'length', { most: mostOfRow });
    else if ('fault' in read) yield faulty(line, 'object', read.fault);
    else if (typeof read.value !== 'object' || read.value === null || Array.isArray(read.value))
      yield faulty(line, 'object', 'other-json');
    else {
      const header = headerOf(Object.keys(read.value), fields, source);
      yield rowOf(line, Object.values(read.value), header, mending);
    }
  }
}

function faulty<Rule extends keyof OwnRules>(line: number, rule: Rule, value: OwnRules[Rule]): RawRow {
  return { line, fields: {}, written: {}, complaints: [complainOfRow(undefined, rule, value)] };
}
