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
  /** `--strict`: a column that botctl does not know is a mistake. */
  readonly isStrict: boolean;
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
  { known, needed, refused, named, isStrict, refuseMissing }: HeaderColumns,
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
  const near = titles.flatMap((column) => {
    const meant = nearMiss(column, known) ?? missing.find((name) => isLike(folded(column), name));
    return meant === undefined ? [] : [{ column, meant }];
  });
  const twice = alike(cells);
  const isRefused = (title: string): boolean => refused.includes(folded(title));
  const unknown = isStrict || missing.length > 0 ? titles : titles.filter(isRefused);
  if (unknown.length + twice.length + missing.length + near.length === 0) return columns;
  refuseMissing?.(missing, cells, source);
  const [nearly, meant] = [new Set(near.map(({ column }) => column)), new Set(near.map((one) => one.meant))];
  throw batchFailure('bad-header', {
    source,
    near,
    twice,
    unknown: unknown.filter((title) => !nearly.has(title)),
    missing: missing.filter((name) => !meant.has(name)),
    known,
    needed,
  });
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
  { known, refused, named, isStrict }: HeaderColumns,
): SplitRow {
  const fields: [string, unknown][] = [];
  const columns: [string, string][] = [];
  const complaints = alike(Object.keys(object)).map((keys) => complainOfRow(keys[0], 'own-column', { keys }));
  for (const [key, value] of Object.entries(object)) {
    const name = folded(key);
    const isKnown = known.includes(name) || refused.includes(name);
    const meant = isKnown || named.includes(name) ? undefined : nearMiss(key, known);
    if (isKnown) fields.push([name, value]);
    else if (meant !== undefined) complaints.push(complainOfRow(key, 'column', { meant }));
    else if (isStrict && !named.includes(name)) complaints.push(complainOfRow(key, 'column', 'unknown'));
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

/** The known column that this one most likely is, misspelled or a second time. */
function nearMiss(column: string, known: readonly string[]): string | undefined {
  const name = folded(column);
  const withoutNumber = folded(name.replace(/(?<!\P{L})\P{L}+$/u, (end) => (/\d/u.test(end) ? '' : end)));
  return known.find(
    (one) => one === withoutNumber || distance(name, one) <= (one.length < 4 ? 0 : one.length < 8 ? 1 : 2),
  );
}

/** Looser, for a column that is missing: a word of one is a word of the other. */
function isLike(name: string, missing: string): boolean {
  const words = (text: string): string[] => text.split('_').filter(({ length }) => length > 3);
  return words(name).some((word) => words(missing).some((other) => distance(word, other) <= 1));
}

/** How many characters must be added, left out, replaced, or exchanged with the next; many if the lengths differ. */
function distance(left: string, right: string): number {
  if (Math.abs(left.length - right.length) > 2) return Number.POSITIVE_INFINITY;
  let before: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row += 1) {
    const now = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const at = (cells: readonly number[], index: number): number =>
        cells[index] ?? Number.POSITIVE_INFINITY;
      const isSame = left[row - 1] === right[column - 1];
      const isExchanged = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      now.push(
        Math.min(
          at(last, column) + 1,
          at(now, column - 1) + 1,
          at(last, column - 1) + (isSame ? 0 : 1),
          isExchanged ? at(before, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    before = last;
    last = now;
  }
  return last.at(-1) ?? 0;
}
