import { isProposal } from '../../../once/engine/approval.ts';
import type { Attempt, Decision, Intent, State } from '../../../once/journal/journal.ts';
import { resolvedWay } from '../../say/history.ts';
import { iso, isoExact } from '../../say/phrases.ts';
import type { Problem } from '../../say/told.ts';
import { troubleWords } from '../../say/trouble.ts';
import { type Fact, type Fields, labelled } from '../../show/card.ts';
import type { Canvas, Paint, View } from '../../show/display.ts';
import { amountIn, forWhom, outcomeView, type Report, requestOf } from '../../show/report.ts';
import { type Cutting, cutTo, pad, type WidthOf, widthsFor } from '../../show/table.ts';
import { safeLine } from '../../show/text.ts';

const widths = { when: 19, state: 8, id: 12 };
const gap = '  ';
const leastForWhat = 20;

/** What all lines of one list share. The bot has a column only if there is more than one. */
export type HistoryLayout = {
  readonly bots: readonly string[];
  readonly widthOf: WidthOf;
};

/** The same with the available width, which is infinite in a pipe. */
type Layout = HistoryLayout & { readonly columns: number };

/** For these intents. The first ones of a list decide about its columns. */
export async function historyLayout(
  intents: readonly Intent[],
  first?: HistoryLayout,
): Promise<HistoryLayout> {
  const foreign = intents.flatMap((intent) => [
    ...[intent.bot, intent.name, intent.rowId, forWhom(intent)],
    unlessDamaged(() => whoGetsWhat(intent)),
  ]);
  const widthOf = await widthsFor(foreign.map((text = '') => safeLine(text)));
  if (first !== undefined) return { ...first, widthOf };
  return { bots: [...new Set(intents.map(({ bot }) => bot))], widthOf };
}

/** A damaged intent fails when it is shown, after those before it. */
function unlessDamaged(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}

function cutting({ widthOf }: Layout): Cutting {
  return { widthOf, cut: '…' };
}

const mostOfBot = (columns: number): number => (Number.isFinite(columns) ? 12 : columns);

function botWidth({ bots, columns, widthOf }: Layout): number {
  const longest = Math.max('BOT'.length, ...bots.map((bot) => widthOf(safeLine(bot))));
  return Math.min(mostOfBot(columns), longest);
}

function botCell(bot: string, layout: Layout): readonly string[] {
  const width = botWidth(layout);
  return layout.bots.length > 1 ? [pad(cutTo(bot, width, cutting(layout)), width, layout.widthOf)] : [];
}

/** The time, state and ID, and the bot if it has a column. */
function cellsOf(when: string, state: string, id: string, bot: string, layout: Layout): string {
  return `${[when, state, pad(id, widths.id), ...botCell(bot, layout)].join(gap)}${gap}`;
}

/** A narrow terminal breaks the line. */
function roomForWhat(layout: Layout): number {
  const before = cellsOf(' '.repeat(widths.when), ' '.repeat(widths.state), '', '', layout).length;
  return Math.max(leastForWhat, layout.columns - before);
}

/** Lines that programs read are whole. */
function roomIn({ columns, isPipe }: Canvas): number {
  return isPipe === true ? Number.POSITIVE_INFINITY : columns;
}

export function historyHeading(canvas: Canvas, shared: HistoryLayout): string {
  const { paint } = canvas;
  const layout = { ...shared, columns: roomIn(canvas) };
  const when = pad('WHEN (UTC)', widths.when);
  const state = pad('STATE', widths.state);
  return `${paint.dim(`${cellsOf(when, state, 'ID', 'BOT', layout)}WHAT`)}\n`;
}

const colours: Readonly<Record<State, (paint: Paint) => Paint>> = {
  open: (paint) => paint.cyan,
  sending: (paint) => paint.cyan,
  unknown: (paint) => paint.yellow,
  accepted: (paint) => paint.green,
  rejected: (paint) => paint.red,
  held: (paint) => paint.magenta,
  resolved: (paint) => paint.blue,
};

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** An intent in a few words: who gets what. */
function whoGetsWhat(intent: Pick<Intent, 'kind' | 'body'>, isWhole = false): string {
  const request = requestOf(intent);
  if (intent.kind === 'message') return `${text(request.conversation_id)}: ${text(request.content)}`;
  const address = text(request.to_address);
  const shown =
    isWhole || address.length <= 12 ? address : `${address.slice(0, 4)}${'…'}${address.slice(-4)}`;
  return `${amountIn(request) ?? ''} ${'→'} ${shown}`;
}

/** Its name, its row in a batch, how it was resolved, or who wants it approved. */
function marksOf(intent: Intent, width: number, layout: Layout): string {
  const { bots, columns } = layout;
  const { name, rowId, resolvedAs, bot } = intent;
  const cut = (text: string, most: number): string => cutTo(text, most, cutting(layout));
  const row = [rowId === undefined ? undefined : safeLine(rowId), forWhom(intent)]
    .flatMap((said) => (said === undefined ? [] : [` ${cut(said, Math.floor(width / 4))}`]))
    .join('');
  const named =
    name === undefined ? '' : ` [${cut(safeLine(name), Math.floor(width / (row === '' ? 2 : 4)))}${row}]`;
  const waiting = isProposal(intent) ? 'waits for approval' : undefined;
  const mark = resolvedAs === undefined ? waiting : resolvedWay(resolvedAs);
  const other =
    bots.length > 1 || bots.includes(bot) ? '' : ` (bot ${cut(safeLine(bot), mostOfBot(columns))})`;
  return `${named}${mark === undefined ? '' : ` (${mark})`}${other}`;
}

/** The description and marks. The marks must stay when a long text is cut; an amount is never cut. */
function whatIn(intent: Intent, layout: Layout): string {
  const width = roomForWhat(layout);
  const marks = marksOf(intent, width, layout);
  const room = Math.max(0, width - layout.widthOf(marks));
  const whole = safeLine(whoGetsWhat(intent, true));
  if (layout.widthOf(whole) <= room) return whole + marks;
  const short = safeLine(whoGetsWhat(intent));
  const least = layout.widthOf(`${safeLine(amountIn(requestOf(intent)) ?? '')}${'…'}`);
  return cutTo(short, Math.max(room, least), cutting(layout)) + marks;
}

/** One intent as one line of a table. */
export function historyLine(report: Report, shared: HistoryLayout): View {
  return {
    json: outcomeView(report).json,
    quiet: report.intent.id,
    human: (canvas) => {
      const { intent } = report;
      const { paint } = canvas;
      const layout = { ...shared, columns: roomIn(canvas) };
      const state = colours[intent.state](paint)(pad(intent.state, widths.state));
      const when = iso(intent.createdAtMs).slice(0, widths.when);
      const bot = safeLine(intent.bot);
      return `${cellsOf(when, state, intent.id, bot, layout)}${whatIn(intent, layout)}\n`;
    },
  };
}

function attemptFact(attempt: Attempt): Fact {
  const { number, startedAtMs, verdict, status } = attempt;
  const trouble = attempt.trouble && troubleWords(attempt.trouble);
  const came = [
    status === undefined ? [] : ` status ${status}`,
    trouble === undefined ? [] : ` (${trouble})`,
  ];
  return [`Request ${number}`, `${iso(startedAtMs)} ${verdict ?? 'being sent'}${came.flat().join('')}`];
}

function attemptJson(attempt: Attempt): Fields {
  const { endedAtMs, reply, trouble } = attempt;
  return {
    number: attempt.number,
    started_at: isoExact(attempt.startedAtMs),
    ended_at: endedAtMs && isoExact(endedAtMs),
    phase: attempt.phase,
    verdict: attempt.verdict,
    status: attempt.status,
    request_id: attempt.requestId,
    trouble: trouble && troubleWords(trouble),
    reply: reply && new TextDecoder().decode(reply),
  };
}

const longestReply = 1000;

/** What the service said, if nothing else reports it: the person who decides needs it. */
function replyLine({ attempt, intent }: Report): string | undefined {
  if (attempt?.reply === undefined || attempt.reply.length === 0 || intent.state === 'accepted')
    return undefined;
  const text = new TextDecoder().decode(attempt.reply);
  return text.length <= longestReply
    ? text
    : `${text.slice(0, longestReply).toWellFormed()}… (--json shows it whole)`;
}

type HistoryDetail = {
  readonly report: Report;
  readonly attempts: readonly Attempt[];
  readonly decisions: readonly Decision[];
  /** Why it is not well, and what to do. */
  readonly explained: Problem | undefined;
};

/** Everything that the journal holds about one intent. */
export function historyDetail({ report, attempts, decisions, explained }: HistoryDetail): View {
  const { intent } = report;
  const { message, hint, next } = explained ?? {};
  const view = outcomeView({ ...report, decisions }, [
    ['', undefined, { attempts: attempts.map(attemptJson) }],
    ...attempts.map(attemptFact),
    ['Reply', replyLine(report)],
    ['Resolved', intent.resolvedAs && resolvedWay(intent.resolvedAs)],
    ['Why', message, { explained: explained && { message, hint, next } }],
  ]);
  const todo = (canvas: Canvas): string => (explained === undefined ? '' : drawTodo(explained, canvas));
  return { ...view, quiet: intent.id, human: (canvas) => view.human(canvas) + todo(canvas) };
}

/** Each command on a line of its own, ready to paste. */
function drawTodo({ hint, next = [] }: Problem, canvas: Canvas): string {
  const { lines, lacking } = canvas.suggest(next);
  const todo = [hint, lacking].filter((one) => one !== undefined).join(' ');
  return (
    labelled([['Next', todo === '' ? undefined : todo]], canvas) +
    lines.map((line) => `    ${safeLine(line)}\n`).join('')
  );
}
