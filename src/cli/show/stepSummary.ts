import { appendFileSync, statSync } from 'node:fs';
import { occupantOf } from '../../machine/wholeFile.ts';
import type { Exit } from '../../once/failures.ts';
import { formatCount } from '../../once/phrases.ts';
import { isObject } from '../../once/wire/flight.ts';
import type { Problem } from '../wording/problem.ts';
import type { Display } from './display.ts';
import { cutTo } from './table.ts';
import { safeLine } from './text.ts';

type Json = Readonly<Record<string, unknown>>;

/** GitHub allows more, but a longer summary is of no use. */
const mostBytes = 64 * 1024;
const mostRows = 50;
const cellWidth = 80;
const reasonWidth = 320;
const warned = 'warning';

/** `result` is the result, or the reason why none exists. */
type SummaryRow = readonly [outcome: string, what: string, entry: string, result: string];

/** The summary of one command in a GitHub Actions job: a short table on its page, and an annotation if it failed. */
export class StepSummary {
  readonly #rows: SummaryRow[] = [];
  #more = 0;
  #problem: Problem | undefined;

  /** Wraps the display and records what the command shows. */
  watching(display: Display): Display {
    return {
      ...display,
      show: (view) => {
        this.#note(view.json);
        return display.show(view);
      },
      fail: (problem, whole) => {
        this.#problem = problem;
        this.#note(whole);
        return display.fail(problem, whole);
      },
      warn: (text, next) => {
        this.#add([warned, '', '', text]);
        display.warn(text, next);
      },
    };
  }

  #note(json: Json): void {
    const row = rowOf(json);
    if (row !== undefined) this.#add(row);
  }

  #add(row: SummaryRow): void {
    // A result that is shown and then reported as a failure counts once.
    const isKnown = this.#rows.some((other) => other.every((text, index) => text === row[index]));
    if (isKnown) return;
    if (this.#rows.length < mostRows) this.#rows.push(row);
    else this.#more += 1;
  }

  /** The annotation's line, for a stream that the runner reads. */
  annotation(command: string, exit: Exit): string {
    if (exit === 0 || this.#problem === undefined) return '';
    const { message, hint } = this.#problem;
    const text = hint === undefined ? message : `${message} ${hint}`;
    return `::error title=${headingOf(command, exit)}::${data(safeLine(text))}\n`;
  }

  /** A fault here never changes how the command ends. */
  appendTo(path: string, command: string, exit: Exit): void {
    try {
      // A link would write elsewhere, and a pipe without a reader would block the command forever.
      if (!['file', 'nothing'].includes(occupantOf(path))) return;
      const room = mostBytes - (statSync(path, { throwIfNoEntry: false })?.size ?? 0);
      appendFileSync(path, this.#markdown(command, exit, room));
    } catch {
      // A missing page hides nothing: the log has everything.
    }
  }

  #markdown(command: string, exit: Exit, room: number): string {
    if (this.#rows.every(([outcome]) => outcome === warned)) return '';
    const rows = [...this.#rows];
    for (let more = this.#more; ; more += 1) {
      const text = table(command, exit, rows, more);
      if (Buffer.byteLength(text) <= room) return text;
      if (rows.pop() === undefined) return '';
    }
  }
}

function table(command: string, exit: Exit, rows: readonly SummaryRow[], more: number): string {
  const lines = [
    `#### ${headingOf(command, exit)}`,
    '',
    '| State | What | ID | Result |',
    '| --- | --- | --- | --- |',
    ...rows.map((cells) => `| ${cells.map((text, index) => cell(text, index)).join(' | ')} |`),
    ...(more === 0 ? [] : [`| and ${formatCount(more)} more | | | |`]),
  ];
  return `\n${lines.join('\n')}\n`;
}

/** Names the command, if one was understood. The page and the runner treat it as plain text. */
function headingOf(command: string, exit: Exit): string {
  return ['botctl', command, `ended with exit ${exit}`].filter((words) => words !== '').join(' ');
}

/** Formats a cell as code and encodes special characters as numbers: no link, mention or markup works. */
function cell(text: string, index: number): string {
  if (text === '') return '';
  const plain = cutTo(safeLine(text), index === 3 ? reasonWidth : cellWidth);
  const written = plain.replace(/[^A-Za-z0-9 ]/gu, (character) => `&#${character.codePointAt(0)};`);
  return `<code>${written}</code>`;
}

function data(text: string): string {
  return text.replaceAll('%', '%25');
}

function rowOf(json: Json): SummaryRow | undefined {
  const { entry, result, name, outcome } = json;
  // A batch has many rows, so only its end is summarised.
  if (isObject(result) && typeof name === 'string') return [countsOf(result), name, '', ''];
  if (!isObject(entry) || outcome === 'dry-run') return undefined;
  // Shows only those rows of a batch that have a problem.
  const row = 'line' in json ? `line ${String(json.line)}: ` : '';
  if (row !== '' && !isObject(json.error)) return undefined;
  return [text(outcome), row + whatOf(entry), text(entry.id), resultOf(json)];
}

function countsOf(result: Json): string {
  return Object.entries(result)
    .filter(([, count]) => count !== 0)
    .map(([standing, count]) => `${standing.replaceAll('_', ' ')} ${count}`)
    .join(', ');
}

function whatOf({ request, kind }: Json): string {
  if (!isObject(request)) return '';
  if (kind === 'message') return `${text(request.conversation_id)}: ${text(request.content)}`;
  return `${text(request.amount)} ${text(request.asset)} to ${text(request.to_address)}`;
}

function resultOf({ message, transfer, error }: Json): string {
  if (isObject(error)) return text(error.message);
  if (isObject(message)) return text(message.id) || text(message.message_id);
  return isObject(transfer) ? text(transfer.signature) || text(transfer.transfer_id) : '';
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
