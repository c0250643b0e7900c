import type { Canvas, LabelCanvas, View } from './display.ts';
import { foldAtBlanks, safeLine } from './text.ts';

/** What scripts read: a promise to them, as `docs/json.md` says it. */
export type Fields = Readonly<Record<string, unknown>>;

/** A labelled line for people, if it has a text, and fields for scripts, if it has any. */
export type Fact = readonly [label: string, text: string | undefined, fields?: Fields | undefined];

/** One list of facts for both faces. Above them stands a sentence, or what has a look of its own. */
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

/** For scripts alone. */
export function jsonView(json: Record<string, unknown>): View {
  return { json, human: () => '' };
}

/** The fields of the facts, side by side. */
export function jsonOf(command: string, facts: readonly Fact[]): Record<string, unknown> {
  const fields = { schema: 'botctl/1', command, ...fieldsOf(facts) };
  // What is undefined has no place in JSON at any depth, but a job summary would read it from the object.
  return JSON.parse(JSON.stringify(fields)) as Record<string, unknown>;
}

export function fieldsOf(facts: readonly Fact[]): Fields {
  return Object.assign({}, ...facts.map(([, , fields]) => fields));
}

/** Facts whose fields stand together under a name of their own. */
export function under(name: string, facts: readonly Fact[]): Fact[] {
  return [['', undefined, { [name]: fieldsOf(facts) }], ...facts.map(([label, text]): Fact => [label, text])];
}

// One width for all, so that consecutive blocks align.
const labelWidth = 12;

const valueColumn = 2 + labelWidth + 2;
const leastValueWidth = 20;

/** Lines with labels, without the empty ones. The texts are made safe here, and wrapped at blanks only. */
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
