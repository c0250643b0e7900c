import stringWidth from 'string-width';
import type { Attempt, Decision, Intent, State } from '../journal/journal.ts';
import { formatAmountOf } from '../words/amount.ts';
import { iso, isoExact } from '../words/time.ts';
import type { Canvas, Paint, View } from './display.ts';
import { labelled } from './drawing.ts';
import { drawReport } from './outcomeView.ts';
import { type Report, reportJson, requestOf } from './report.ts';
import { safeLine } from './safeText.ts';
import { cutTo, pad } from './table.ts';

const widths = { time: 20, state: 8, id: 12 };
const gap = '  ';
const beforeWhat = widths.time + widths.state + widths.id + 3 * gap.length;
const leastForWhat = 20;

/** Where a row has no room for what it is about, that has a line of its own. */
function isNarrow(columns: number): boolean {
  return columns < beforeWhat + leastForWhat;
}

export function historyHeading({ paint, columns }: Canvas): string {
  const cells = [pad('WHEN', widths.time), pad('STATE', widths.state)];
  const rest = isNarrow(columns)
    ? `\n${gap}${pad('ID', widths.id)}${gap}WHAT`
    : `${gap}${pad('ID', widths.id)}${gap}WHAT`;
  return `${paint.dim(cells.join(gap) + rest)}\n`;
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
  return address.length > 12 ? `${address.slice(0, 5)}…${address.slice(-4)}` : address;
}

/** An intent in a few words: who gets what. */
export function whoGetsWhat(intent: Pick<Intent, 'kind' | 'body'>): string {
  const request = requestOf(intent);
  if (intent.kind === 'message') return `${text(request.conversation_id)}: ${text(request.content)}`;
  return `${formatAmountOf(text(request.amount), text(request.asset))} → ${shortAddress(text(request.to_address))}`;
}

/** What it is about and its name, in so many cells: of a long text the name is what must stay. */
function whatIn(intent: Intent, width: number): string {
  const what = safeLine(whoGetsWhat(intent));
  if (intent.name === undefined) return cutTo(what, width);
  const name = ` [${cutTo(safeLine(intent.name), Math.floor(width / 2))}]`;
  return cutTo(what, Math.max(0, width - stringWidth(name))) + name;
}

/** One intent as one line of a table that fits the terminal. */
export function historyLine(report: Report): View {
  return {
    json: reportJson(report),
    quiet: report.intent.id,
    human: ({ paint, columns }) => {
      const { intent } = report;
      const state = colours[intent.state](paint)(pad(intent.state, widths.state));
      const when = `${iso(intent.createdAtMs)}${gap}${state}`;
      const id = pad(intent.id, widths.id);
      if (isNarrow(columns)) {
        const width = Math.max(leastForWhat, columns - widths.id - 2 * gap.length);
        return `${when}\n${gap}${id}${gap}${whatIn(intent, width)}\n`;
      }
      return `${when}${gap}${id}${gap}${whatIn(intent, columns - beforeWhat)}\n`;
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
    ...(attempt.trouble === undefined ? {} : { trouble: attempt.trouble }),
    ...(reply === undefined ? {} : { reply: new TextDecoder().decode(reply) }),
  };
}

function decisionJson({ kind, who, atMs, reason, signature }: Decision): Record<string, unknown> {
  return { kind, who, at: isoExact(atMs), reason, ...(signature === undefined ? {} : { signature }) };
}

function attemptLine(attempt: Attempt): string {
  const status = attempt.status === undefined ? '' : ` status ${attempt.status}`;
  const trouble = attempt.trouble === undefined ? '' : ` (${attempt.trouble})`;
  return `${iso(attempt.startedAtMs)} ${attempt.verdict ?? 'in flight'}${status}${trouble}`;
}

/** Everything the journal holds of one intent. */
export function historyDetail(
  report: Report,
  attempts: readonly Attempt[],
  decisions: readonly Decision[],
): View {
  return {
    json: {
      ...reportJson(report),
      attempts: attempts.map(attemptJson),
      decisions: decisions.map(decisionJson),
    },
    quiet: report.intent.id,
    human: (canvas) => {
      const { intent } = report;
      const facts = labelled(
        [
          ['Bot', `${intent.bot} at ${intent.spelledUrl}`],
          ['Created', iso(intent.createdAtMs)],
          ...attempts.map((attempt) => [`Attempt ${attempt.number}`, attemptLine(attempt)] as const),
          ...decisions.map(
            ({ kind, who, atMs, reason }) =>
              ['Decision', `${iso(atMs)} ${kind} by ${who}: ${reason}`] as const,
          ),
        ],
        canvas,
      );
      return `${drawReport(report, canvas)}${facts}`;
    },
  };
}
