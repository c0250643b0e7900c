import { damagedJournal } from '../../once/journal/failures.ts';
import type { Entry } from '../../once/journal/journal.ts';
import { clipped, formatAmountOf } from '../../once/phrases.ts';
import { isObject } from '../../once/wire/flight.ts';
import { type Fact, type Fields, labelled } from './card.ts';
import type { Canvas, LabelCanvas, Paint } from './display.ts';
import { foldAtBlanks, safeLine, safeLines } from './text.ts';

/** The stored request, without its key. */
export function requestOf({ body }: Pick<Entry, 'body'>): Fields {
  const { idempotency_key: _key, ...request } = fieldsIn(body);
  return request;
}

/** The journal stores only bodies that botctl made, so an unreadable one was damaged later. */
function fieldsIn(body: Uint8Array): Fields {
  try {
    const fields: unknown = JSON.parse(new TextDecoder().decode(body));
    if (typeof fields === 'object' && fields !== null) return fields as Fields;
  } catch {
    // The error below is more helpful.
  }
  throw damagedJournal('a stored request cannot be read');
}

/** The row's other columns, which are never sent. */
export function rowColumns({
  columns,
}: Partial<Pick<Entry, 'columns'>>): Readonly<Record<string, string>> | undefined {
  try {
    const kept: unknown = columns === undefined ? undefined : JSON.parse(columns);
    return typeof kept === 'object' && kept !== null ? (kept as Record<string, string>) : undefined;
  } catch {
    // Damaged, but the rest of the entry matters more.
    return undefined;
  }
}

/** The row's columns `name` and `note`, for people. */
export function forWhom(entry: Partial<Pick<Entry, 'columns'>>): string | undefined {
  const cells = Object.entries(rowColumns(entry) ?? {});
  const said = ['name', 'note'].flatMap((wanted) =>
    cells.flatMap(([title, cell]) =>
      title.toLowerCase() === wanted ? [safeLine(clipped(String(cell)))] : [],
    ),
  );
  return said.length === 0 ? undefined : said.join(' · ');
}

function listIn(fields: Fields, name: string): Fields[] {
  const list = fields[name];
  return Array.isArray(list) ? list.filter(isObject) : [];
}

type Drawn = { readonly text: string; readonly width: number };

function drawButton(button: Fields, paint: Paint): Drawn {
  const label = ` ${safeLine(text(button.label) ?? `(${text(button.type) ?? ''})`)} `;
  const style = text(button.style);
  const coloured =
    style === 'success' ? paint.black.bgGreen : style === 'danger' ? paint.white.bgRed : paint.inverse;
  const id = text(button.custom_id);
  const shownId = id === undefined ? '' : ` ${safeLine(id)}`;
  return {
    text: `[${coloured(label)}]${shownId === '' ? '' : paint.dim(shownId)}`,
    width: [...`[${label}]${shownId}`].length,
  };
}

/** A row in lines of a given width, wrapped between its buttons. Continuation lines are indented. */
function drawRow(row: Fields, paint: Paint, width: number): string[] {
  const buttons = text(row.type) === 'action_row' ? listIn(row, 'components') : [row];
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
  const content = safeLines(text(request.content) ?? '').flatMap((line) => foldAtBlanks(line, columns - 4));
  const rows = listIn(request, 'components').flatMap((row) => drawRow(row, paint, columns - 4));
  const lines = rows.length === 0 ? content : [...content, '', ...rows];
  return lines.map((line) => `  ${bar} ${line}\n`).join('');
}

export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** `1.5 SOL`; undefined for a message. */
export function amountIn(request: Fields): string | undefined {
  const amount = text(request.amount);
  return amount && formatAmountOf(amount, text(request.asset) ?? '');
}

/** `paidBefore` is shown beside the recipient. */
export function requestFacts(request: Fields, paidBefore?: string): Fact[] {
  return [
    ['Conversation', text(request.conversation_id)],
    ['Reply to', text(request.reply_to_message_id)],
    ['Amount', amountIn(request)],
    ['To', text(request.to_address)],
    ['', paidBefore],
    ['Memo', text(request.memo)],
  ];
}

type Asked = Pick<Entry, 'bot' | 'baseUrl' | 'name'> &
  Partial<Pick<Entry, 'rowId' | 'columns'>> & { readonly request: Fields };

type BesideRequest = { readonly balance?: string | undefined; readonly paidBefore?: string | undefined };

/** The facts that every question shows: bot, service, and request. */
export function factsInQuestion(asked: Asked, { balance, paidBefore }: BesideRequest = {}): Fact[] {
  return [
    ['Bot', asked.bot],
    ['Service', asked.baseUrl],
    ...requestFacts(asked.request, paidBefore),
    ['Content', text(asked.request.content)],
    ['Name', asked.name],
    ['Row', asked.rowId],
    ['For', forWhom(asked)],
    ['Balance', balance],
  ];
}

/** A stored entry, drawn for a question. */
export function drawEntry(entry: Entry, canvas: LabelCanvas, known?: BesideRequest): string {
  return labelled(factsInQuestion({ ...entry, request: requestOf(entry) }, known), canvas);
}
