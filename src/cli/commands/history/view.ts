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
  idOrSignature,
  labelled,
  type Report,
  reportJson,
  requestOf,
} from '../../show/report.ts';
import { type Cutting, cutTo, pad, type WidthOf, widthsFor } from '../../show/table.ts';
import { type Own, safeLine } from '../../show/text.ts';

const widths = { when: 19, state: 8, id: 12 };
const gap = '  ';
const leastForWhat = 20;

/** What all lines of one list share. The bot has a column only if there is more than one. */
export type HistoryLayout = {
  readonly zone: Zone;
  readonly bots: readonly string[];
  readonly own: Own;
  readonly widthOf: WidthOf;
  /** The widest description of a transfer with its whole address, and the widest ID or signature. */
  readonly widest: { readonly what: number; readonly result: number };
};

/** The same with the available width, which is infinite in a pipe. */
type Layout = HistoryLayout & { readonly columns: number };

/** For these reports. The first ones of a list decide about its columns. */
export async function historyLayout(
  reports: readonly Report[],
  zone: Zone,
  own: Own,
  first?: HistoryLayout,
): Promise<HistoryLayout> {
  const intents = reports.map(({ intent }) => intent);
  const foreign = intents.flatMap((intent) => [
    ...[intent.bot, intent.name, intent.rowId, forWhom(intent, own)],
    unlessDamaged(() => whoGetsWhat(intent, own)),
  ]);
  const widthOf = await widthsFor(foreign.map((text = '') => safeLine(text)));
  if (first !== undefined) return { ...first, widthOf };
  const bots = [...new Set(intents.map(({ bot }) => bot))];
  const layout = { zone, bots, own, widthOf, widest: { what: 0, result: 0 } };
  const unbounded = { ...layout, columns: Number.POSITIVE_INFINITY };
  const transfers = intents.filter(({ kind }) => kind === 'transfer');
  const whole = transfers.map((intent) => unlessDamaged(() => whatIn(intent, unbounded.columns, unbounded)));
  return {
    ...layout,
    widest: { what: widestOf(whole, widthOf), result: widestOf(reports.map(idOrSignature), widthOf) },
  };
}

function widestOf(texts: readonly (string | undefined)[], widthOf: WidthOf): number {
  return Math.max(0, ...texts.map((text = '') => widthOf(safeLine(text))));
}

/** A damaged intent fails when it is shown, after those before it. */
function unlessDamaged(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}

function cutting({ own, widthOf }: Layout): Cutting {
  return { widthOf, cut: own('…') };
}

const leastOfBot = 5;
const mostOfBot = (columns: number): number => (Number.isFinite(columns) ? 12 : columns);

function botWidth({ bots, columns, widthOf }: Layout): number {
  const longest = Math.max('BOT'.length, ...bots.map((bot) => widthOf(safeLine(bot))));
  return Math.min(mostOfBot(columns), longest);
}

function botCell(bot: string, layout: Layout, most = botWidth(layout)): readonly string[] {
  const width = Math.min(most, botWidth(layout));
  return layout.bots.length > 1 ? [pad(cutTo(bot, width, cutting(layout)), width, layout.widthOf)] : [];
}

/** The time, state and ID, and the bot if it has a column. */
function cellsOf(when: string, state: string, id: string, bot: string, layout: Layout): string {
  return `${[when, state, pad(id, widths.id), ...botCell(bot, layout)].join(gap)}${gap}`;
}

/** The same without the ID, which goes on the next line. */
function narrowCells(when: string, state: string, bot: string, layout: Layout): string {
  const room = layout.columns - widths.when - widths.state - 2 * gap.length;
  return [when, state, ...botCell(bot, layout, Math.max(leastOfBot, room))].join(gap);
}

function beforeWhat(layout: Layout): number {
  return cellsOf(' '.repeat(widths.when), ' '.repeat(widths.state), '', '', layout).length;
}

/** Whether the description needs a line of its own because the row has no room for it. */
function isNarrow(layout: Layout): boolean {
  return layout.columns < beforeWhat(layout) + leastForWhat;
}

const wideColumns = 120;
const leastOfResult = 16;
/** A signature has 88 characters at most. */
const mostOfResult = 88;
const leastForWhole = 90;

/** The widths of the last two columns. Only a wide terminal has room for a signature, and not always for all of it. */
function lastColumns(layout: Layout): { readonly what: number; readonly result: number } {
  const { columns, widest } = layout;
  const room = columns - beforeWhat(layout);
  if (columns < wideColumns || !Number.isFinite(columns)) return { what: room, result: 0 };
  const wanted = Math.min(mostOfResult, widest.result);
  const what = Math.max(
    leastForWhat,
    Math.min(widest.what, Math.max(leastForWhole, room - gap.length - wanted)),
  );
  const result = Math.min(Math.max(leastOfResult, wanted), room - what - gap.length);
  return wanted === 0 || result < leastOfResult
    ? { what: room, result: 0 }
    : { what: room - result - gap.length, result };
}

/** Lines that programs read are whole. */
function roomIn({ columns, isPipe }: Canvas): number {
  return isPipe === true ? Number.POSITIVE_INFINITY : columns;
}

export function historyHeading(canvas: Canvas, shared: HistoryLayout): string {
  const { paint } = canvas;
  const layout = { ...shared, columns: roomIn(canvas) };
  const when = pad(`WHEN (${layout.zone === 'utc' ? 'UTC' : 'local'})`, widths.when);
  const state = pad('STATE', widths.state);
  const { what, result } = lastColumns(layout);
  const text = isNarrow(layout)
    ? `${narrowCells(when, state, 'BOT', layout).trimEnd()}\n${gap}${pad('ID', widths.id)}${gap}WHAT`
    : `${cellsOf(when, state, 'ID', 'BOT', layout)}${result === 0 ? 'WHAT' : `${pad('WHAT', what)}${gap}SIGNATURE OR ID`}`;
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

/** An intent in a few words: who gets what. */
export function whoGetsWhat(intent: Pick<Intent, 'kind' | 'body'>, own: Own, isWhole = false): string {
  const request = requestOf(intent);
  if (intent.kind === 'message') return `${text(request.conversation_id)}: ${text(request.content)}`;
  const address = text(request.to_address);
  const shown =
    isWhole || address.length <= 12 ? address : `${address.slice(0, 4)}${own('…')}${address.slice(-4)}`;
  return `${formatAmountOf(text(request.amount), text(request.asset))} ${own('→')} ${shown}`;
}

/** Its name, its row in a batch, how it was resolved, or who wants it approved. */
function marksOf(intent: Intent, width: number, layout: Layout): string {
  const { bots, columns, own } = layout;
  const { name, rowId, resolvedAs, bot } = intent;
  const cut = (text: string, most: number): string => cutTo(text, most, cutting(layout));
  const row = [rowId === undefined ? undefined : safeLine(rowId), forWhom(intent, own)]
    .flatMap((said) => (said === undefined ? [] : [` ${cut(said, Math.floor(width / 4))}`]))
    .join('');
  const named =
    name === undefined ? '' : ` [${cut(safeLine(name), Math.floor(width / (row === '' ? 2 : 4)))}${row}]`;
  const waiting = isProposal(intent) ? waitsForApproval : undefined;
  const mark = resolvedAs === undefined ? waiting : resolvedWay(resolvedAs);
  const other =
    bots.length > 1 || bots.includes(bot) ? '' : ` ${ofBot(cut(safeLine(bot), mostOfBot(columns)))}`;
  return `${named}${mark === undefined ? '' : ` (${own(mark)})`}${other}`;
}

/** The description and marks cut to a width. The marks must stay when a long text is cut. */
function whatIn(intent: Intent, width: number, layout: Layout): string {
  const marks = marksOf(intent, width, layout);
  const room = Math.max(0, width - layout.widthOf(marks));
  const whole = safeLine(whoGetsWhat(intent, layout.own, true));
  if (layout.widthOf(whole) <= room) return whole + marks;
  return cutTo(safeLine(whoGetsWhat(intent, layout.own)), room, cutting(layout)) + marks;
}

/** The same for a narrow terminal: marks that would be cut off get a line of their own. */
function whatInNarrow(intent: Intent, width: number, layout: Layout): string {
  const what = safeLine(whoGetsWhat(intent, layout.own));
  const marks = marksOf(intent, width, layout).trimStart();
  if (marks === '' || layout.widthOf(what) + 1 + layout.widthOf(marks) <= width)
    return whatIn(intent, width, layout);
  const cut = (text: string): string => cutTo(text, width, cutting(layout));
  return `${cut(what)}\n${' '.repeat(widths.id + 2 * gap.length)}${cut(marks)}`;
}

/** What it is called at the service or on the chain, if the terminal is wide. */
function withResult(what: string, report: Report, layout: Layout): string {
  const { what: whatWidth, result } = lastColumns(layout);
  const id = idOrSignature(report);
  if (result === 0 || id === undefined) return what;
  return `${pad(what, whatWidth, layout.widthOf)}${gap}${cutTo(safeLine(id), result, cutting(layout))}`;
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
      const when = isoIn(layout.zone, intent.createdAtMs).slice(0, widths.when);
      const bot = safeLine(intent.bot);
      if (isNarrow(layout)) {
        const before = `${gap}${pad(intent.id, widths.id)}${gap}`;
        const width = Math.max(leastForWhat, columns - before.length);
        return `${narrowCells(when, state, bot, layout).trimEnd()}\n${before}${whatInNarrow(intent, width, layout)}\n`;
      }
      const what = whatIn(intent, lastColumns(layout).what, layout);
      return `${cellsOf(when, state, intent.id, bot, layout)}${withResult(what, report, layout)}\n`;
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
  return `${isoIn(zone, attempt.startedAtMs)} ${attempt.verdict ?? 'being sent'}${status}${trouble}`;
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
          ...attempts.map(
            (attempt) => [`Attempt ${attempt.number}`, canvas.own(attemptLine(attempt, zone))] as const,
          ),
          ['Reply', replyLine(report)],
          ...decisionLines(decisions, zone),
          ['Resolved', intent.resolvedAs && resolvedWay(intent.resolvedAs)],
          ['Why', explained && canvas.own(explained.message)],
        ],
        canvas,
      );
      return `${drawReport(report, { ...canvas, verbose: true })}${facts}${explained === undefined ? '' : drawTodo(explained, canvas)}`;
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
    labelled([['Next', todo === '' ? undefined : canvas.own(todo)]], canvas) +
    lines.map((line) => `    ${safeLine(line)}\n`).join('')
  );
}
