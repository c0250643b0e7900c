import { type FieldNames, folded, jsonFields, type RawRow } from './columns.ts';
import { batchFailure, complainOfRow, type RowComplaint, type TemplatePlace } from './failures.ts';

type Part = string | { readonly column: string };

/** A message's text with placeholders for columns of its row. It has no conditions, no loops and no escapes. */
export class Template {
  readonly #source: string;
  readonly #parts: readonly Part[];
  /** The first place that names each column. */
  readonly #places: ReadonlyMap<string, TemplatePlace>;

  private constructor(parts: readonly Part[], places: ReadonlyMap<string, TemplatePlace>, source: string) {
    this.#parts = parts;
    this.#places = places;
    this.#source = source;
  }

  static parse(text: string, source: string): Template {
    const parts: Part[] = [];
    const places = new Map<string, TemplatePlace>();
    let at = 0;
    for (const [index, piece] of text.split(/(\{\{[^{}]*\}\})/u).entries()) {
      const column = index % 2 === 0 ? undefined : piece.slice(2, -2).trim();
      if (column === undefined) {
        if (/\{\{|\}\}/u.test(piece)) throw batchFailure('template-brace', { source });
        parts.push(piece);
      } else {
        if (!isColumn(column) || jsonFields.includes(column) || column === 'content')
          throw batchFailure('template-column', { source, column });
        parts.push({ column });
        if (!places.has(column)) places.set(column, placeAt(text, at));
      }
      at += piece.length;
    }
    return new Template(parts, places, source);
  }

  /** Adds the content to a row, as if it had been written by hand. */
  fill({ complaints: asRead, ...row }: RawRow, fields: FieldNames): RawRow {
    const { content: ownContent, ...others } = row.fields;
    const source = this.#source;
    const values = new Map<string, unknown>(Object.entries(others));
    for (const [title, value] of Object.entries(row.columns ?? {})) values.set(folded(title), value);
    const valueIn = (column: string): unknown => values.get(fields.get(folded(column)) ?? folded(column));
    const complaints: RowComplaint[] = [...this.#places]
      .filter(([column]) => !isText(valueIn(column)))
      .map(([column, at]) => complainOfRow('content', 'template', { column, source, at }));
    if (ownContent !== undefined) complaints.push(complainOfRow('content', 'template', 'given'));
    const content = this.#parts
      .map((part) => (typeof part === 'string' ? part : String(valueIn(part.column))))
      .join('');
    const written = { content, ...row.written };
    return { ...row, fields: { ...others, content }, written, complaints: [...asRead, ...complaints] };
  }

  /** Whether a place of the template names this column. */
  names(title: string): boolean {
    return [...this.#places.keys()].some((column) => folded(column) === folded(title));
  }
}

/** Any header text is a column name, unless it has invisible characters or would end the placeholder. */
function isColumn(name: string): boolean {
  return /^[^\p{C}\p{Z}{}]+(?: [^\p{C}\p{Z}{}]+)*$/u.test(name);
}

function isText(value: unknown): boolean {
  return (typeof value === 'string' && value !== '') || typeof value === 'number';
}

function placeAt(text: string, index: number): TemplatePlace {
  const before = text.slice(0, index).split('\n');
  return { line: before.length, place: [...(before.at(-1) ?? '')].length + 1 };
}
