import stringWidth from 'string-width';
import { isProposal } from '../../../once/engine/approval.ts';
import type { Attempt, Decision, Intent, State } from '../../../once/journal/journal.ts';
import { ofBot, replyIsCut, resolvedWay, waitsForApproval } from '../../say/history.ts';
import { formatAmountOf, isoExact, isoIn, type Zone } from '../../say/phrases.ts';
import type { Problem } from '../../say/told.ts';
import { troubleWords } from '../../say/trouble.ts';
import type { Canvas, Paint, View } from '../../show/display.ts';
import {
  decisionJson,
  decisionLines,
  drawReport,
  forWhom,
  labelled,
  type Report,
  reportJson,
  requestOf,
} from '../../show/report.ts';
import { cutTo, pad } from '../../show/table.ts';
import { safeLine } from '../../show/text.ts';

const widths = { state: 8, id: 12 };
const timeWidths: Readonly<Record<Zone, number>> = { utc: 20, local: 25 };
const gap = '  ';
const leastForWhat = 20;

/** What all lines of one list share. The bot has a column only if there is more than one. */
export type HistoryLayout = { readonly zone: Zone; readonly bots: readonly string[] };

/** The same with the available width, which is infinite in a pipe. */
type Layout = HistoryLayout & { readonly columns: number };

const leastOfBot = 5;
const mostOfBot = (columns: number): number => (Number.isFinite(columns) ? 12 : columns);

function botWidth({ bots, columns }: Layout): number {
  const longest = Math.max('BOT'.length, ...bots.map((bot) => stringWidth(safeLine(bot))));
  return Math.min(mostOfBot(columns), longest);
}

function botCell(bot: string, layout: Layout, most = botWidth(layout)): readonly string[] {
  const width = Math.min(most, botWidth(layout));
  return layout.bots.length > 1 ? [pad(cutTo(bot, width), width)] : [];
}

/** The time, state and ID, and the bot if it has a column. */
function cellsOf(when: string, state: string, id: string, bot: string, layout: Layout): string {
  return `${[when, state, pad(id, widths.id), ...botCell(bot, layout)].join(gap)}${gap}`;
}

/** The same without the ID, which goes on the next line. */
function narrowCells(when: string, state: string, bot: string, layout: Layout): string {
  const room = layout.columns - timeWidths[layout.zone] - widths.state - 2 * gap.length;
  return [when, state, ...botCell(bot, layout, Math.max(leastOfBot, room))].join(gap);
}

function beforeWhat(layout: Layout): number {
  const [when, state] = [' '.repeat(timeWidths[layout.zone]), ' '.repeat(widths.state)];
  return cellsOf(when, state, '', '', layout).length;
}

/** Whether the description needs a line of its own because the row has no room for it. */
function isNarrow(layout: Layout): boolean {
  return layout.columns < beforeWhat(layout) + leastForWhat;
}

/** Lines that programs read are whole. */
function roomIn({ columns, isPipe }: Canvas): number {
  return isPipe === true ? Number.POSITIVE_INFINITY : columns;
}

export function historyHeading(canvas: Canvas, shared: HistoryLayout): string {
  const { paint } = canvas;
  const layout = { ...shared, columns: roomIn(canvas) };
  const [when, state] = [pad('WHEN', timeWidths[layout.zone]), pad('STATE', widths.state)];
  const text = isNarrow(layout)
    ? `${narrowCells(when, state, 'BOT', layout).trimEnd()}\n${gap}${pad('ID', widths.id)}${gap}WHAT`
    : `${cellsOf(when, state, 'ID', 'BOT', layout)}WHAT`;
  return `${paint.dim(text)}\n`;
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

function shortAddress(address: string): string {
  return address.length > 12 ? `${address.slice(0, 4)}…${address.slice(-4)}` : address;
}

/** An intent in a few words: who gets what. */
export function whoGetsWhat(intent: Pick<Intent, 'kind' | 'body'>, isWhole = false): string {
  const request = requestOf(intent);
  if (intent.kind === 'message') return `${text(request.conversation_id)}: ${text(request.content)}`;
  const address = text(request.to_address);
  return `${formatAmountOf(text(request.amount), text(request.asset))} → ${isWhole ? address : shortAddress(address)}`;
}

/** Its name, its row in a batch, how it was resolved, or who wants it approved. */
function marksOf(intent: Intent, width: number, { bots, columns }: Layout): string {
  const { name, rowId, resolvedAs, bot } = intent;
  const row = [rowId === undefined ? undefined : safeLine(rowId), forWhom(intent)]
    .flatMap((said) => (said === undefined ? [] : [` ${cutTo(said, Math.floor(width / 4))}`]))
    .join('');
  const named =
    name === undefined ? '' : ` [${cutTo(safeLine(name), Math.floor(width / (row === '' ? 2 : 4)))}${row}]`;
  const waiting = isProposal(intent) ? waitsForApproval : undefined;
  const mark = resolvedAs === undefined ? waiting : resolvedWay(resolvedAs);
  const other =
    bots.length > 1 || bots.includes(bot) ? '' : ` ${ofBot(cutTo(safeLine(bot), mostOfBot(columns)))}`;
  return `${named}${mark === undefined ? '' : ` (${mark})`}${other}`;
}

/** The description and marks cut to a width. The marks must stay when a long text is cut. */
function whatIn(intent: Intent, width: number, layout: Layout): string {
  const marks = marksOf(intent, width, layout);
  const what = safeLine(whoGetsWhat(intent, !Number.isFinite(layout.columns)));
  return cutTo(what, Math.max(0, width - stringWidth(marks))) + marks;
}

/** The same for a narrow terminal: marks that would be cut off get a line of their own. */
function whatInNarrow(intent: Intent, width: number, layout: Layout): string {
  const what = safeLine(whoGetsWhat(intent));
  const marks = marksOf(intent, width, layout).trimStart();
  if (marks === '' || stringWidth(what) + 1 + stringWidth(marks) <= width)
    return whatIn(intent, width, layout);
  return `${cutTo(what, width)}\n${' '.repeat(widths.id + 2 * gap.length)}${cutTo(marks, width)}`;
}

/** One intent as one line of a table that fits the terminal. */
export function historyLine(report: Report, shared: HistoryLayout): View {
  return {
    json: reportJson(report),
    quiet: report.intent.id,
    human: (canvas) => {
      const { intent } = report;
      const { paint } = canvas;
      const columns = roomIn(canvas);
      const layout = { ...shared, columns };
      const state = colours[intent.state](paint)(pad(intent.state, widths.state));
      const when = isoIn(layout.zone, intent.createdAtMs);
      const bot = safeLine(intent.bot);
      if (isNarrow(layout)) {
        const before = `${gap}${pad(intent.id, widths.id)}${gap}`;
        const width = Math.max(leastForWhat, columns - before.length);
        return `${narrowCells(when, state, bot, layout).trimEnd()}\n${before}${whatInNarrow(intent, width, layout)}\n`;
      }
      const before = cellsOf(when, state, intent.id, bot, layout);
      return `${before}${whatIn(intent, columns - beforeWhat(layout), layout)}\n`;
    },
  };
}

function attemptJson(attempt: Attempt): Record<string, unknown> {
  const { endedAtMs, reply } = attempt;
  return {
    number: attempt.number,
    started_at: isoExact(attempt.startedAtMs),
    ...(endedAtMs === undefined ? {} : { ended_at: isoExact(endedAtMs) }),
    ...(attempt.phase === undefined ? {} : { phase: attempt.phase }),
    ...(attempt.verdict === undefined ? {} : { verdict: attempt.verdict }),
    ...(attempt.status === undefined ? {} : { status: attempt.status }),
    ...(attempt.requestId === undefined ? {} : { request_id: attempt.requestId }),
    ...(attempt.trouble === undefined ? {} : { trouble: troubleWords(attempt.trouble) }),
    ...(reply === undefined ? {} : { reply: new TextDecoder().decode(reply) }),
  };
}

function attemptLine(attempt: Attempt, zone: Zone): string {
  const status = attempt.status === undefined ? '' : ` status ${attempt.status}`;
  const trouble = attempt.trouble === undefined ? '' : ` (${troubleWords(attempt.trouble)})`;
  return `${isoIn(zone, attempt.startedAtMs)} ${attempt.verdict ?? 'in flight'}${status}${trouble}`;
}

const longestReply = 1000;

/** What the service said, if nothing else reports it: the person who decides needs it. */
function replyLine({ attempt, intent }: Report): string | undefined {
  if (attempt?.reply === undefined || attempt.reply.length === 0 || intent.state === 'accepted')
    return undefined;
  const text = new TextDecoder().decode(attempt.reply);
  return text.length <= longestReply ? text : `${text.slice(0, longestReply).toWellFormed()}${replyIsCut}`;
}

type HistoryDetail = {
  readonly report: Report;
  readonly attempts: readonly Attempt[];
  readonly decisions: readonly Decision[];
  readonly zone: Zone;
  /** Why it is not well, and what to do. */
  readonly explained: Problem | undefined;
};

/** Everything that the journal holds about one intent. */
export function historyDetail({ report, attempts, decisions, zone, explained }: HistoryDetail): View {
  const { intent } = report;
  return {
    json: {
      ...reportJson(report),
      attempts: attempts.map(attemptJson),
      decisions: decisions.map(decisionJson),
      ...(explained === undefined ? {} : { explained: partsOf(explained) }),
    },
    quiet: intent.id,
    human: (canvas) => {
      const facts = labelled(
        [
          ['Bot', `${intent.bot} at ${intent.spelledUrl}`],
          ['Created', isoIn(zone, intent.createdAtMs)],
          ...attempts.map((attempt) => [`Attempt ${attempt.number}`, attemptLine(attempt, zone)] as const),
          ['Reply', replyLine(report)],
          ...decisionLines(decisions, zone),
          ['Resolved', intent.resolvedAs && resolvedWay(intent.resolvedAs)],
          ['Why', explained?.message],
        ],
        canvas,
      );
      return `${drawReport(report, canvas)}${facts}${explained === undefined ? '' : drawTodo(explained, canvas)}`;
    },
  };
}

function partsOf({ message, hint, next }: Problem): Partial<Problem> {
  return { message, ...(hint === undefined ? {} : { hint }), ...(next === undefined ? {} : { next }) };
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
