import { foldAtBlanks } from '../wrap.ts';
import type { Canvas, Paint } from './display.ts';
import type { Fields } from './report.ts';
import { safeLine, safeLines } from './safeText.ts';

export type LabelledValue = readonly [label: string, value: string | undefined];

// One width for all, so that blocks drawn one after the other align.
const labelWidth = 12;

const valueColumn = 2 + labelWidth + 2;
const leastValueWidth = 20;

/** Labelled lines; what has no value is left out. Values are made safe here, and broken at blanks only. */
export function labelled(lines: readonly LabelledValue[], { paint, columns }: LabelCanvas): string {
  const width = Math.max(leastValueWidth, columns - valueColumn);
  return lines
    .flatMap(([label, value]) => {
      if (value === undefined) return [];
      const [first = '', ...rest] = foldAtBlanks(safeLine(value), width);
      const head = `  ${paint.dim(label.padEnd(labelWidth))}  ${first}`;
      return [head, ...rest.map((line) => ' '.repeat(valueColumn) + line)];
    })
    .map((line) => `${line}\n`)
    .join('');
}

/** A sentence under labelled lines. */
export function remark(text: string, { columns }: LabelCanvas): string {
  return foldAtBlanks(safeLine(text), columns - 2)
    .map((line) => `  ${line}\n`)
    .join('');
}

export type LabelCanvas = {
  readonly paint: { dim(text: string): string };
  readonly columns: number;
};

/** For a question: nothing in it is painted. */
export function plainCanvas(columns: number): LabelCanvas {
  return { paint: { dim: (text) => text }, columns };
}

function field(fields: Fields, name: string): string {
  const value = fields[name];
  return typeof value === 'string' ? value : '';
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listIn(fields: Fields, name: string): Fields[] {
  const list = fields[name];
  return Array.isArray(list) ? list.filter(isFields) : [];
}

type Drawn = { readonly text: string; readonly width: number };

function drawButton(button: Fields, paint: Paint): Drawn {
  const label = ` ${safeLine(field(button, 'label')) || `(${safeLine(field(button, 'type'))})`} `;
  const style = field(button, 'style');
  const coloured =
    style === 'success' ? paint.black.bgGreen : style === 'danger' ? paint.white.bgRed : paint.inverse;
  const id = safeLine(field(button, 'custom_id'));
  const shownId = id === '' ? '' : ` ${id}`;
  return {
    text: `[${coloured(label)}]${shownId === '' ? '' : paint.dim(shownId)}`,
    width: [...`[${label}]${shownId}`].length,
  };
}

/** A row in lines of a width, broken between its buttons: what goes on is set in. */
function drawRow(row: Fields, paint: Paint, width: number): string[] {
  const buttons = field(row, 'type') === 'action_row' ? listIn(row, 'components') : [row];
  const lines: Drawn[] = [];
  for (const drawn of buttons.map((button) => drawButton(button, paint))) {
    const line = lines.at(-1);
    const wholeWidth = (line?.width ?? 0) + 2 + drawn.width;
    if (line === undefined) lines.push(drawn);
    else if (wholeWidth > width) lines.push({ text: `  ${drawn.text}`, width: drawn.width + 2 });
    else lines[lines.length - 1] = { text: `${line.text}  ${drawn.text}`, width: wholeWidth };
  }
  return lines.map(({ text }) => text);
}

/** The message as it will look: its text, and its rows of buttons. */
export function drawMessage(request: Fields, { paint, columns }: Pick<Canvas, 'paint' | 'columns'>): string {
  const bar = paint.dim('│');
  const content = safeLines(field(request, 'content')).flatMap((line) => foldAtBlanks(line, columns - 4));
  const rows = listIn(request, 'components').flatMap((row) => drawRow(row, paint, columns - 4));
  const lines = rows.length === 0 ? content : [...content, '', ...rows];
  return lines.map((line) => `  ${bar} ${line}\n`).join('');
}
