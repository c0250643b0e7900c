import { longestKey } from '../once/entry/jsonText.ts';
import type { Kind } from '../once/entry/wanted.ts';
import { asText, batchFailure, complainOfRow, type RowComplaint } from './failures.ts';

/** The fields that a row may have, named as in the payload. `buttons` is a short form of `components`. */
export const rowFields: Readonly<Record<Kind, readonly string[]>> = {
  message: ['id', 'conversation_id', 'content', 'reply_to_message_id', 'components', 'buttons'],
  transfer: ['id', 'to_address', 'asset', 'amount', 'memo'],
};

export const neededFields: Readonly<Record<Kind, readonly string[]>> = {
  message: ['conversation_id', 'content'],
  transfer: ['id', 'to_address', 'asset', 'amount'],
};

/** Fields whose cells are JSON. */
export const jsonFields: readonly string[] = ['components', 'buttons'];

/** Options for a file that was not written for botctl. */
export type ReadOptions = {
  /** `--column`: the file's names for fields. */
  readonly called?: Readonly<Record<string, string>>;
  /** `--asset`, `--amount`: the value for each row, instead of a column. */
  readonly fill?: Readonly<Record<string, string>>;
  /** `--decimal-comma`: amounts are written like 1,5 or 1.234,50. */
  readonly decimalComma?: boolean;
};

/** The form in which column names are compared: case does not matter, and blanks, `-` and `_` are the same. */
export function folded(column: string): string {
  return column
    .toLowerCase()
    .replace(/[\s_-]+/gu, '_')
    .replace(/^_|_$/gu, '');
}

/**
 * The fields by the folded names of their columns. `idempotency_key` is among them so that a row with it is refused.
 */
export type FieldNames = ReadonlyMap<string, string>;

export function fieldNames(kind: Kind, { called = {} }: ReadOptions): FieldNames {
  const own = [...rowFields[kind], 'idempotency_key'].filter((field) => called[field] === undefined);
  return new Map([
    ...own.map((field) => [field, field] as const),
    ...Object.entries(called).map(([field, title]) => [folded(title), field] as const),
  ]);
}

type Header = {
  /** A column that is not a field is kept under its `title`. */
  readonly columns: readonly { readonly field: string | undefined; readonly title: string }[];
  readonly complaints: readonly RowComplaint[];
};

/** What the columns of a CSV file, or the keys of a line of JSON, stand for. */
export function headerOf(titles: readonly string[], fields: FieldNames, source: string): Header {
  if (titles.some(({ length }) => length > longestKey))
    throw batchFailure('long-column', { source, mostCharacters: longestKey });
  const columns = titles.map((title, index) => ({
    field: fields.get(folded(title)),
    title: title.trim() === '' ? `column_${index + 1}` : title.trim(),
  }));
  return { columns, complaints: alike(titles).map((keys) => complainOfRow(keys[0], 'own-column', { keys })) };
}

/** Groups of titles that fold to the same name. */
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

/** The row's cells in columns that are not fields, by the file's column names. Empty cells are absent. */
export type RowColumns = Readonly<Record<string, string>>;

/** A row as it was read, before its fields are checked. */
export type RawRow = {
  readonly line: number;
  readonly fields: Readonly<Record<string, unknown>>;
  /** The fields as the file or an option gives them. */
  readonly written: Readonly<Record<string, unknown>>;
  readonly columns?: RowColumns | undefined;
  readonly complaints: readonly RowComplaint[];
};

/** A row from its values, in the order of columns; absent ones are undefined. `cells` are the texts of a CSV row. */
export function rowOf(
  line: number,
  values: readonly unknown[],
  { columns, complaints: ofHeader }: Header,
  { fill = {}, decimalComma = false }: ReadOptions,
  cells = values,
): RawRow {
  const complaints = [...ofHeader];
  const fields: Record<string, unknown> = {};
  const written: Record<string, unknown> = { ...fill };
  const kept: [string, string][] = [];
  for (const [index, { field, title }] of columns.entries()) {
    const value = values[index];
    if (field !== undefined && cells[index] !== undefined) written[field] = cells[index];
    if (field === undefined) {
      if (value !== undefined && value !== null && value !== '') kept.push([title, asText(value)]);
    } else if (value !== undefined)
      fields[field] = typeof value === 'string' && trimmed.includes(field) ? withoutBlanks(value) : value;
  }
  if (typeof fields.amount === 'string') {
    const amount = plainAmount(fields.amount, decimalComma);
    if (decimalComma && /^[\d,]*\.[\d.,]*$/u.test(amount))
      complaints.push(complainOfRow('amount', 'decimal-comma', 'dot'));
    fields.amount = decimalComma ? amount.replace(',', '.') : amount;
  }
  for (const [field, value] of Object.entries(fill)) {
    if (fields[field] !== undefined) complaints.push(complainOfRow(field, 'filled', 'given'));
    fields[field] = value;
  }
  return { line, fields, written, complaints, ...(kept.length > 0 && { columns: Object.fromEntries(kept) }) };
}

/** Only these four fields are trimmed; a message's text never is. */
const trimmed = ['id', 'to_address', 'asset', 'amount'];
const blanks = ' \t\u{a0}';

/** A loop, because a regular expression took a minute for 160,000 blanks inside a cell. */
function withoutBlanks(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && blanks.includes(text.charAt(from))) from += 1;
  while (from < to && blanks.includes(text.charAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

/** `1,234` may mean 1234 or 1.234, so it is not changed, and is refused later. */
const thousands = {
  ',': /^\d{1,3}(?:(?:,\d{3})+\.\d+|(?:,\d{3}){2,})$/u,
  '.': /^\d{1,3}(?:(?:\.\d{3})+,\d+|(?:\.\d{3}){2,})$/u,
} as const;

function plainAmount(amount: string, decimalComma: boolean): string {
  const mark = decimalComma ? '.' : ',';
  return thousands[mark].test(amount) ? amount.replaceAll(mark, '') : amount;
}
