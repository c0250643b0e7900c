import type { Suggestion } from '../words/suggestion.ts';
import type { Canvas, Paint, View } from './display.ts';
import { safeLine } from './safeText.ts';
import { pad, wrapTo } from './table.ts';

type Shown = {
  readonly check: string;
  readonly level: 'ok' | 'warn' | 'fail';
  readonly says: string;
  readonly todo?: string;
  readonly next?: readonly Suggestion[];
};

const marks: Readonly<Record<Shown['level'], (paint: Paint) => string>> = {
  ok: (paint) => paint.green('ok  '),
  warn: (paint) => paint.yellow('warn'),
  fail: (paint) => paint.red('fail'),
};

const checkWidth = 8;
const indent = 4 + 2 + checkWidth + 2;

function drawOne({ check, level, says, todo, next = [] }: Shown, canvas: Canvas): string {
  const { paint, columns } = canvas;
  const { lines, lacking } = canvas.suggest(next);
  const width = Math.max(20, columns - indent);
  const [first = '', ...rest] = [
    ...wrapTo(safeLine(says), width),
    ...(todo === undefined
      ? []
      : wrapTo(`→ ${safeLine(lacking === undefined ? todo : `${todo} ${lacking}`)}`, width)),
    ...lines.map((line) => `  ${safeLine(line)}`),
  ];
  const head = `${marks[level](paint)}  ${paint.bold(pad(check, checkWidth))}  ${first}`;
  return [head, ...rest.map((line) => ' '.repeat(indent) + line)].map((line) => `${line}\n`).join('');
}

/** Every check with its level, what it found, and what to do where it is not in order. */
export function doctorView(command: string, checks: readonly Shown[], inOrder: boolean): View {
  return {
    json: { schema: 'botctl/1', command, in_order: inOrder, checks },
    human: (canvas) => checks.map((check) => drawOne(check, canvas)).join(''),
    quiet: inOrder ? 'ok' : 'fail',
  };
}
