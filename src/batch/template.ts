import { headerOf, jsonColumns, type RawRow } from './checkRow.ts';
import { folded, type HeaderColumns } from './columns.ts';
import { batchFailure, complainOfRow, type RowComplaint, type TemplatePlace } from './facts.ts';

type Part = string | { readonly column: string };

/** A message's text with placeholders for columns of its row. It has no conditions, no loops and no escapes. */
export class Template {
  /** The columns that the placeholders name, each once. */
  readonly columns: readonly string[];
  readonly #source: string;
  readonly #parts: readonly Part[];
  /** Where each column is named first. */
  readonly #places: ReadonlyMap<string, TemplatePlace>;

  private constructor(parts: readonly Part[], places: ReadonlyMap<string, TemplatePlace>, source: string) {
    this.#parts = parts;
    this.#places = places;
    this.#source = source;
    this.columns = [...places.keys()];
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
        if (!isColumn(column) || jsonColumns.includes(column) || column === 'content')
          throw batchFailure('template-column', { source, column });
        parts.push({ column });
        if (!places.has(column)) places.set(column, placeAt(text, at));
      }
      at += piece.length;
    }
    return new Template(parts, places, source);
  }

  /** The header that this template needs: its own columns instead of `content`. */
  header(): HeaderColumns {
    const { known, needed, refused } = headerOf('message');
    const others = (columns: readonly string[]): string[] => columns.filter((column) => column !== 'content');
    const named = this.columns.map(folded);
    return {
      known: others(known),
      needed: [...new Set([...others(needed), ...named])],
      refused: [...refused, 'content'],
      named,
      refuseMissing: (missing, columns, file) => {
        const source = this.#source;
        for (const [column, at] of this.#places)
          if (missing.includes(folded(column)))
            throw batchFailure('no-such-column', { source, column, at, file, columns });
      },
    };
  }

  /** The row as if its content had been written by hand. */
  fill(row: RawRow): RawRow {
    if ('complaints' in row) return row;
    const { content: given, ...fields } = row.fields;
    const source = this.#source;
    const values = new Map<string, unknown>(Object.entries(fields));
    for (const [title, value] of Object.entries(row.columns ?? {})) values.set(folded(title), value);
    const valueIn = (column: string): unknown => values.get(folded(column));
    const complaints: RowComplaint[] = [...this.#places]
      .filter(([column]) => !isText(valueIn(column)))
      .map(([column, at]) => complainOfRow('content', 'template', { column, source, at }));
    if (given !== undefined) complaints.push(complainOfRow('content', 'template', 'given'));
    const { line, columns } = row;
    if (complaints.length > 0)
      return { line, complaints, columns, ...(typeof fields.id === 'string' ? { id: fields.id } : {}) };
    const content = this.#parts
      .map((part) => (typeof part === 'string' ? part : String(valueIn(part.column))))
      .join('');
    return { line, fields: { ...fields, content }, columns };
  }

  /** Whether a place of the template names this column. */
  names(title: string): boolean {
    return this.columns.some((column) => folded(column) === folded(title));
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
