import type { Canvas, LabelCanvas, View } from './display.ts';
import { foldAtBlanks, safeLine } from './text.ts';

/** Fields of JSON. Scripts rely on them: `docs/json.md` documents each. */
export type Fields = Readonly<Record<string, unknown>>;

/** A labelled line for people, if it has a text, and fields for scripts, if it has any. */
export type Fact = readonly [label: string, text: string | undefined, fields?: Fields | undefined];

/** A view of one list of facts, for people and as JSON. Above them is a sentence, or something drawn. */
export function card(
  command: string,
  headline: string | undefined | ((canvas: Canvas) => string),
  facts: readonly Fact[],
  quiet?: string,
): View {
  const drawn = (canvas: Canvas): string => {
    if (typeof headline === 'function') return headline(canvas);
    return headline === undefined ? '' : `${safeLine(headline)}\n`;
  };
  return {
    json: jsonOf(command, facts),
    human: (canvas) => drawn(canvas) + labelled(facts, canvas),
    ...(quiet !== undefined && { quiet }),
  };
}

export function jsonView(json: Record<string, unknown>): View {
  return { json, human: () => '' };
}

/** One object with the fields of all facts. */
export function jsonOf(command: string, facts: readonly Fact[]): Record<string, unknown> {
  const fields = { schema: 'botctl/1', command, ...fieldsOf(facts) };
  // Removes undefined values at every depth, because a job summary reads this object directly.
  return JSON.parse(JSON.stringify(fields)) as Record<string, unknown>;
}

export function fieldsOf(facts: readonly Fact[]): Fields {
  return Object.assign({}, ...facts.map(([, , fields]) => fields));
}

/** Facts whose fields become one object with this name. */
export function under(name: string, facts: readonly Fact[]): Fact[] {
  return [['', undefined, { [name]: fieldsOf(facts) }], ...facts.map(([label, text]): Fact => [label, text])];
}

// All blocks have the same width, so they align.
const labelWidth = 12;

const valueColumn = 2 + labelWidth + 2;
const leastValueWidth = 20;

/** Labelled lines for the facts that have a text. The texts are made safe here, and wrapped at blanks. */
export function labelled(facts: readonly Fact[], { paint, columns }: LabelCanvas): string {
  const width = Math.max(leastValueWidth, columns - valueColumn);
  return facts
    .flatMap(([label, text]) => {
      if (text === undefined) return [];
      const [first = '', ...rest] = foldAtBlanks(safeLine(text), width);
      const head = `  ${paint.dim(label.padEnd(labelWidth))}  ${first}`;
      return [head, ...rest.map((line) => ' '.repeat(valueColumn) + line)];
    })
    .map((line) => `${line}\n`)
    .join('');
}

/** A sentence below labelled lines. */
export function remark(text: string, { columns }: LabelCanvas): string {
  return foldAtBlanks(safeLine(text), columns - 2)
    .map((line) => `  ${line}\n`)
    .join('');
}
