import type { Attempt, Decision, Intent, State } from '../journal/journal.ts';
import type { Canvas, Paint, View } from './display.ts';
import { labelled } from './drawing.ts';
import { drawReport } from './outcomeView.ts';
import { iso, type Report, reportJson, requestOf } from './report.ts';
import { safeLine } from './safeText.ts';
import { cutTo, pad } from './table.ts';

const widths = { time: 20, state: 8, id: 12 };
const gap = '  ';
const leastForWhat = 16;

export function historyHeading({ paint }: Canvas): string {
  const cells = [pad('WHEN', widths.time), pad('STATE', widths.state), pad('ID', widths.id), 'WHAT'];
  return `${paint.dim(cells.join(gap))}\n`;
}

function shortTime(ms: number): string {
  return iso(ms).replace(/\.\d+Z$/u, 'Z');
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
export function whatOf(intent: Pick<Intent, 'kind' | 'name' | 'body'>): string {
  const request = requestOf(intent);
  const name = intent.name === undefined ? '' : ` [${intent.name}]`;
  if (intent.kind === 'message') return `${text(request.conversation_id)}: ${text(request.content)}${name}`;
  return `${text(request.amount)} ${text(request.asset)} → ${shortAddress(text(request.to_address))}${name}`;
}

/** One intent as one line of a table that fits the terminal. */
export function historyLine(report: Report): View {
  return {
    json: reportJson(report),
    quiet: report.intent.id,
    human: ({ paint, columns }) => {
      const { intent } = report;
      const taken = widths.time + widths.state + widths.id + 3 * gap.length;
      const cells = [
        shortTime(intent.createdAtMs),
        colours[intent.state](paint)(pad(intent.state, widths.state)),
        pad(intent.id, widths.id),
        cutTo(safeLine(whatOf(intent)), Math.max(leastForWhat, columns - taken)),
      ];
      return `${cells.join(gap)}\n`;
    },
  };
}

function attemptJson(attempt: Attempt): Record<string, unknown> {
  const { endedAtMs, reply } = attempt;
  return {
    number: attempt.number,
    started_at: iso(attempt.startedAtMs),
    ...(endedAtMs === undefined ? {} : { ended_at: iso(endedAtMs) }),
    ...(attempt.phase === undefined ? {} : { phase: attempt.phase }),
    ...(attempt.verdict === undefined ? {} : { verdict: attempt.verdict }),
    ...(attempt.status === undefined ? {} : { status: attempt.status }),
    ...(attempt.requestId === undefined ? {} : { request_id: attempt.requestId }),
    ...(attempt.trouble === undefined ? {} : { trouble: attempt.trouble }),
    ...(reply === undefined ? {} : { reply: new TextDecoder().decode(reply) }),
  };
}

function decisionJson({ kind, who, atMs, reason, signature }: Decision): Record<string, unknown> {
  return { kind, who, at: iso(atMs), reason, ...(signature === undefined ? {} : { signature }) };
}

function attemptLine(attempt: Attempt): string {
  const status = attempt.status === undefined ? '' : ` status ${attempt.status}`;
  const trouble = attempt.trouble === undefined ? '' : ` (${attempt.trouble})`;
  return `${shortTime(attempt.startedAtMs)} ${attempt.verdict ?? 'in flight'}${status}${trouble}`;
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
          ['Bot', `${intent.bot} at ${intent.baseUrl}`],
          ['Created', shortTime(intent.createdAtMs)],
          ...attempts.map((attempt) => [`Attempt ${attempt.number}`, attemptLine(attempt)] as const),
          ...decisions.map(
            ({ kind, who, atMs, reason }) =>
              ['Decision', `${shortTime(atMs)} ${kind} by ${who}: ${reason}`] as const,
          ),
        ],
        canvas.paint,
      );
      return `${drawReport(report, canvas)}${facts}`;
    },
  };
}
