import { isApprovedAndUnsent, isProposal } from '../../../once/engine/standing.ts';
import type { Attempt, Decision, Entry, State } from '../../../once/journal/journal.ts';
import { iso, isoExact } from '../../../once/phrases.ts';
import { troubleWords } from '../../../once/wire/trouble.ts';
import { type Fact, type Fields, labelled } from '../../show/card.ts';
import type { Canvas, Paint, View } from '../../show/display.ts';
import { amountIn, forWhom, requestOf } from '../../show/entry.ts';
import { outcomeView, type Report } from '../../show/report.ts';
import { cutTo, pad, type WidthOf, widthsFor } from '../../show/table.ts';
import { safeLine } from '../../show/text.ts';
import { timesPaid } from '../../wording/chain.ts';
import { approvedNotSent } from '../../wording/entry.ts';
import { resolvedWay } from '../../wording/history.ts';
import type { Problem } from '../../wording/problem.ts';
import { adviceOf, withLacking } from '../../wording/suggest.ts';

const widths = { when: 19, state: 8, id: 12 };
const gap = '  ';
const beforeWhat = widths.when + widths.state + widths.id + 3 * gap.length;
const leastForWhat = 20;

/** What all lines of one list share. If the list has more than one bot, each line names its bot. */
export type HistoryLayout = {
  readonly bots: readonly string[];
  readonly widthOf: WidthOf;
};

/** The layout for these entries. The first page decides whether the list has more than one bot. */
export async function historyLayout(
  entries: readonly Entry[],
  first?: HistoryLayout,
): Promise<HistoryLayout> {
  const foreign = entries.flatMap((entry) => [
    ...[entry.bot, entry.name, entry.rowId, forWhom(entry)],
    unlessDamaged(() => whoGetsWhat(entry)),
  ]);
  const widthOf = await widthsFor(foreign.map((text = '') => safeLine(text)));
  if (first !== undefined) return { ...first, widthOf };
  return { bots: [...new Set(entries.map(({ bot }) => bot))], widthOf };
}

/** The layout reads ahead. A damaged entry fails later, when its own line is shown. */
function unlessDamaged(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}

function lineOf(when: string, state: string, id: string, what: string): string {
  return `${[when, state, pad(id, widths.id), what].join(gap)}\n`;
}

export function historyHeading({ paint }: Canvas): string {
  return paint.dim(lineOf(pad('WHEN (UTC)', widths.when), pad('STATE', widths.state), 'ID', 'WHAT'));
}

const colours: Readonly<Record<State, (paint: Paint) => Paint>> = {
  open: (paint) => paint.cyan,
  sending: (paint) => paint.cyan,
  unknown: (paint) => paint.yellow,
  accepted: (paint) => paint.green,
  rejected: (paint) => paint.red,
  held: (paint) => paint.magenta,
  resolved: (paint) => paint.blue,
  declined: (paint) => paint.blue,
};

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** An entry in a few words: the recipient and the content. */
function whoGetsWhat(entry: Pick<Entry, 'kind' | 'body'>, isWhole = false): string {
  const request = requestOf(entry);
  if (entry.kind === 'message') return `${text(request.conversation_id)}: ${text(request.content)}`;
  const address = text(request.to_address);
  const short = isWhole || address.length <= 12 ? address : `${address.slice(0, 4)}…${address.slice(-4)}`;
  return `${amountIn(request) ?? ''} → ${short}`;
}

/** Its name, its row and for whom it is, how it was resolved or approved, how often it was paid, and its bot. */
function marksOf({ entry, chain }: Report, width: number, { bots, widthOf }: HistoryLayout): string {
  const { name, rowId, resolvedAs, bot } = entry;
  const cut = (text: string, share: number): string =>
    cutTo(safeLine(text), Math.floor(width / share), widthOf);
  const beside = [rowId, forWhom(entry)].flatMap((said) => (said === undefined ? [] : [cut(said, 4)]));
  const named = name && [cut(name, beside.length === 0 ? 2 : 4), ...beside].join(' ');
  const approval = isApprovedAndUnsent(entry) ? approvedNotSent : undefined;
  const decided = resolvedAs === undefined ? (approval ?? timesPaid(chain)) : resolvedWay(resolvedAs);
  return [
    ...(named ? [` [${named}]`] : []),
    ...(decided === undefined ? [] : [` (${decided})`]),
    ...(bots.length > 1 || !bots.includes(bot) ? [` (bot ${cut(bot, 4)})`] : []),
  ].join('');
}

/** The description and the marks. A long text is cut, but never the marks or an amount. */
function whatIn(report: Report, columns: number, layout: HistoryLayout): string {
  const { entry } = report;
  const { widthOf } = layout;
  // A narrow terminal breaks the line.
  const width = Math.max(leastForWhat, columns - beforeWhat);
  const marks = marksOf(report, width, layout);
  const room = Math.max(0, width - widthOf(marks));
  const whole = safeLine(whoGetsWhat(entry, true));
  if (widthOf(whole) <= room) return whole + marks;
  const short = safeLine(whoGetsWhat(entry));
  if (entry.kind === 'message') return cutTo(short, Math.max(room, 1), widthOf) + marks;
  return short + cutTo(marks, Math.max(0, width - widthOf(short)), widthOf);
}

/** One entry as one line of a table. */
export function historyLine(report: Report, layout: HistoryLayout): View {
  const { entry } = report;
  return {
    json: outcomeView(report).json,
    quiet: entry.id,
    human: ({ paint, columns, isPipe }) => {
      const state = colours[entry.state](paint)(
        pad(isProposal(entry) ? 'waiting' : entry.state, widths.state),
      );
      const when = iso(entry.createdAtMs).slice(0, widths.when);
      // Lines that programs read are never cut.
      const most = isPipe === true ? Number.POSITIVE_INFINITY : columns;
      return lineOf(when, state, entry.id, whatIn(report, most, layout));
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

/** The service's words, if nothing else shows them: the person who decides needs them. */
function replyLine({ attempt, entry }: Report): string | undefined {
  if (attempt?.reply === undefined || attempt.reply.length === 0 || entry.state === 'accepted')
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
  /** The problem, if there is one, and what to do. */
  readonly explained: Problem | undefined;
};

/** Everything that the journal has about one entry. */
export function historyDetail({ report, attempts, decisions, explained }: HistoryDetail): View {
  const { entry } = report;
  const { message, hint, next } = explained ?? {};
  const view = outcomeView({ ...report, decisions }, [
    ['', undefined, { attempts: attempts.map(attemptJson) }],
    ...attempts.map(attemptFact),
    ['Reply', replyLine(report)],
    ['Resolved', entry.resolvedAs && resolvedWay(entry.resolvedAs)],
    ['Why', message, { explained: explained && { message, hint, next } }],
  ]);
  const todo = (canvas: Canvas): string => (explained === undefined ? '' : drawTodo(explained, canvas));
  return { ...view, quiet: entry.id, human: (canvas) => view.human(canvas) + todo(canvas) };
}

/** Each command on a separate line, ready to paste. */
function drawTodo({ hint, next = [] }: Problem, canvas: Canvas): string {
  const suggested = canvas.suggest(next);
  const todo = withLacking(adviceOf(hint ?? '', suggested.by), suggested).trim();
  return (
    labelled([['Next', todo === '' ? undefined : todo]], canvas) +
    suggested.lines.map((line) => `    ${safeLine(line)}\n`).join('')
  );
}
