import { longestKey } from '../once/intent/jsonText.ts';
import { batchFailure, complainOfRow, type RowComplaint } from './facts.ts';

/** The columns that botctl knows, and those that a file must have. All are folded. */
export type HeaderColumns = {
  readonly known: readonly string[];
  readonly needed: readonly string[];
  /** They mean something elsewhere, so a file that has them may not mean what it says. */
  readonly refused: readonly string[];
  /** Columns that a template names. */
  readonly named: readonly string[];
  /** Throws an error that names what needs the missing columns, if it is not the command itself. */
  readonly refuseMissing?: (missing: readonly string[], columns: readonly string[], file: string) => void;
};

/** The columns of a row that botctl does not know, as the file calls them. Empty cells are absent. */
export type RowColumns = Readonly<Record<string, string>>;

/** How columns are compared: case does not matter, and blanks, `-` and `_` are alike. */
export function folded(column: string): string {
  return column
    .toLowerCase()
    .replace(/[\s_-]+/gu, '_')
    .replace(/^_|_$/gu, '');
}

/** A column of a CSV file: the name that botctl knows it by, or the title under which it is kept. */
export type CsvColumn = { readonly known: string } | { readonly title: string };

export function csvColumns(
  cells: readonly string[],
  { known, needed, refused, named, refuseMissing }: HeaderColumns,
  source: string,
): readonly CsvColumn[] {
  if (cells.some(({ length }) => length > longestKey))
    throw batchFailure('long-column', { source, mostCharacters: longestKey });
  const columns = cells.map((cell, index): CsvColumn => {
    const name = folded(cell);
    if (known.includes(name)) return { known: name };
    return { title: cell.trim() === '' ? `column_${index + 1}` : cell.trim() };
  });
  const present = new Set(cells.map(folded));
  const missing = needed.filter((name) => !present.has(name));
  const titles = columns
    .flatMap((column) => ('title' in column ? [column.title] : []))
    .filter((title) => !named.includes(folded(title)));
  const twice = alike(cells);
  const isRefused = (title: string): boolean => refused.includes(folded(title));
  const unknown = missing.length > 0 ? titles : titles.filter(isRefused);
  if (unknown.length + twice.length + missing.length === 0) return columns;
  refuseMissing?.(missing, cells, source);
  throw batchFailure('bad-header', { source, twice, unknown, missing, known, needed });
}

/** Titles that fold to one name. */
function alike(titles: readonly string[]): readonly (readonly string[])[] {
  const groups = new Map<string, string[]>();
  for (const title of titles) {
    const name = folded(title);
    const group = groups.get(name);
    if (group !== undefined) group.push(title);
    else if (name !== '') groups.set(name, [title]);
  }
  return [...groups.values()].filter(({ length }) => length > 1);
}

export type SplitRow = {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly columns: RowColumns | undefined;
  readonly complaints: readonly RowComplaint[];
};

/** The keys of a line of JSON, as the columns of a CSV file are taken. */
export function splitRow(
  object: Readonly<Record<string, unknown>>,
  { known, refused }: HeaderColumns,
): SplitRow {
  const fields: [string, unknown][] = [];
  const columns: [string, string][] = [];
  const complaints = alike(Object.keys(object)).map((keys) => complainOfRow(keys[0], 'own-column', { keys }));
  for (const [key, value] of Object.entries(object)) {
    const name = folded(key);
    if (known.includes(name) || refused.includes(name)) fields.push([name, value]);
    else if (value !== null && value !== '') columns.push([key.trim(), textOf(value)]);
  }
  return { fields: Object.fromEntries(fields), columns: columnsOf(columns), complaints };
}

/** How cells are read that a spreadsheet, or a person, has written. */
export type Mending = {
  /** `--asset`, `--amount`: for each row, in the place of a column. */
  readonly fill?: Readonly<Record<string, string>>;
  /** `--decimal-comma`: amounts are written like 1,5. */
  readonly decimalComma?: boolean;
};

export function isFilled(name: string, { fill = {} }: Mending): boolean {
  return Object.hasOwn(fill, name);
}

/** Nothing but blanks around them is taken away, and nothing from a text that is sent. */
const trimmed = ['id', 'to_address', 'asset', 'amount'];

export function mended({ fields, columns, complaints }: SplitRow, mending: Mending): SplitRow {
  const { fill, decimalComma = false } = mending;
  const own = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === 'string' && trimmed.includes(name) ? value.replace(blanksAround, '') : value,
  ]);
  const found: RowComplaint[] = [...complaints];
  const whole: Record<string, unknown> = { ...Object.fromEntries(own), ...fill };
  for (const name of Object.keys(fields))
    if (isFilled(name, mending)) found.push(complainOfRow(name, 'filled', 'given'));
  if (decimalComma && typeof whole.amount === 'string' && !isFilled('amount', mending)) {
    if (whole.amount.includes('.')) found.push(complainOfRow('amount', 'decimal-comma', 'dot'));
    else whole.amount = whole.amount.replace(',', '.');
  }
  return { fields: whole, columns, complaints: found };
}

const blanksAround = /^[ \t\u{a0}]+|[ \t\u{a0}]+$/gu;

export function columnsOf(columns: readonly (readonly [string, string])[]): RowColumns | undefined {
  return columns.length === 0 ? undefined : Object.fromEntries(columns);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
