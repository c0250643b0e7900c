import type { Intent } from '../journal/journal.ts';
import type { Canvas, View } from './display.ts';
import { drawMessage, type LabelCanvas, labelled } from './drawing.ts';
import { essence, messageOf, type Report, reportJson, requestOf, shown, transferOf } from './report.ts';

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function headline({ intent, replayed, attempt }: Report, { paint }: Canvas): string {
  const noun = intent.kind === 'message' ? 'Message' : 'Transfer';
  const done = intent.kind === 'message' ? 'sent' : 'made';
  const again = replayed ? ', and nothing was sent now' : '';
  const how = attempt?.duplicate ? `${done} already` : done;
  if (intent.state === 'accepted') return `${paint.green('✔')} ${paint.bold(`${noun} ${how}${again}`)}\n`;
  const word = intent.state === 'resolved' ? `resolved: ${intent.resolvedAs}` : intent.state;
  return `${paint.yellow('•')} ${paint.bold(`${noun} ${word}${again}`)}\n`;
}

/** What a person sees of one intent: what was asked, and what the service said of it. */
export function drawReport(report: Report, canvas: Canvas): string {
  const { intent } = report;
  const request = requestOf(intent);
  const named =
    intent.name === undefined
      ? undefined
      : `${intent.name} (--${intent.namedBy === 'key' ? 'idempotency-key' : intent.namedBy === 'row' ? 'once' : intent.namedBy})`;
  const trailing = labelled(
    [
      ['Name', named],
      ['Intent', intent.id],
      ['Key', intent.key],
    ],
    canvas,
  );
  if (intent.kind === 'message') {
    const message = messageOf(report);
    const facts = labelled(
      [
        ['Message', shown(message?.id ?? message?.message_id)],
        ['Conversation', text(request.conversation_id)],
        ['Reply to', text(request.reply_to_message_id)],
      ],
      canvas,
    );
    return `${headline(report, canvas)}${facts}${drawMessage(request, canvas)}${trailing}`;
  }
  const transfer = transferOf(report);
  const facts = labelled(
    [
      ['Amount', `${text(request.amount)} ${text(request.asset)}`],
      ['To', text(request.to_address)],
      ['Memo', text(request.memo)],
      ['Signature', shown(transfer?.signature)],
      ['Status', shown(transfer?.status)],
      ['Transfer', shown(transfer?.transfer_id)],
    ],
    canvas,
  );
  return `${headline(report, canvas)}${facts}${trailing}`;
}

/** For a question about an intent: who would do what, and where. */
export function drawIntent(intent: Intent, canvas: LabelCanvas): string {
  const request = requestOf(intent);
  const amount = text(request.amount);
  return labelled(
    [
      ['Bot', intent.bot],
      ['Service', intent.baseUrl],
      ['To', text(request.to_address)],
      ['Amount', amount === undefined ? undefined : `${amount} ${text(request.asset)}`],
      ['Memo', text(request.memo)],
      ['Conversation', text(request.conversation_id)],
      ['Content', text(request.content)],
    ],
    canvas,
  );
}

export function outcomeView(report: Report): View {
  const quiet = essence(report);
  return {
    json: reportJson(report),
    human: (canvas) => drawReport(report, canvas),
    ...(quiet === undefined ? {} : { quiet }),
  };
}

/** A failure that concerns an intent, whole. */
