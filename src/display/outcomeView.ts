import type { Intent } from '../journal/journal.ts';
import { formatAmountOf } from '../words/amount.ts';
import { headlineOf } from '../words/headline.ts';
import { foldAtBlanks } from '../wrap.ts';
import { chainFacts } from './chainView.ts';
import type { Canvas, View } from './display.ts';
import { drawMessage, type LabelCanvas, labelled } from './drawing.ts';
import {
  idOrSignature,
  isVerified,
  messageOf,
  type Report,
  reportJson,
  requestOf,
  shown,
  transferOf,
} from './report.ts';

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function headline(report: Report, { paint, columns }: Canvas): string {
  const { intent, replayed, attempt } = report;
  const line = headlineOf({
    ...intent,
    isDoneBefore: attempt?.duplicate === true || replayed,
    isReplayed: replayed,
    isUnverified: isVerified(report) === false,
  });
  const mark = intent.state === 'accepted' ? paint.green('✔') : paint.yellow('•');
  const lines = foldAtBlanks(line, columns - 2).map((text) => paint.bold(text));
  return `${mark} ${lines.join('\n  ')}\n`;
}

/** What a person sees of one intent: what was asked, and what the service said of it. */
export function drawReport(report: Report, canvas: Canvas): string {
  const { intent } = report;
  const request = requestOf(intent);
  const named =
    intent.name === undefined
      ? undefined
      : `${intent.name} (--${intent.namedBy === 'key' ? 'idempotency-key' : intent.namedBy === 'row' ? 'once' : intent.namedBy})`;
  // Of what another machine may have done under the name only this is known: what was asked for here.
  const isUnverified = isVerified(report) === false;
  const trailing = labelled(
    [
      ['Name', named],
      ['Row', intent.rowId],
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
        isUnverified
          ? ['Asked for', `this message in ${text(request.conversation_id)}`]
          : ['Conversation', text(request.conversation_id)],
        ['Reply to', text(request.reply_to_message_id)],
      ],
      canvas,
    );
    return `${headline(report, canvas)}${facts}${drawMessage(request, canvas)}${trailing}`;
  }
  const transfer = transferOf(report);
  const amount = formatAmountOf(text(request.amount) ?? '', text(request.asset) ?? '');
  const facts = labelled(
    [
      ...(isUnverified
        ? ([['Asked for', `${amount} to ${text(request.to_address)}`]] as const)
        : ([
            ['Amount', amount],
            ['To', text(request.to_address)],
          ] as const)),
      ['Memo', text(request.memo)],
      ['Signature', shown(transfer?.signature)],
      ['Status', shown(transfer?.status)],
      ['Transfer', shown(transfer?.transfer_id)],
      ...chainFacts(report.chain, text(request.asset)),
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
      ['Service', intent.spelledUrl],
      ['To', text(request.to_address)],
      ['Amount', amount === undefined ? undefined : formatAmountOf(amount, text(request.asset) ?? '')],
      ['Memo', text(request.memo)],
      ['Conversation', text(request.conversation_id)],
      ['Content', text(request.content)],
    ],
    canvas,
  );
}

export function outcomeView(report: Report): View {
  const quiet = idOrSignature(report);
  return {
    json: reportJson(report),
    human: (canvas) => drawReport(report, canvas),
    ...(quiet === undefined ? {} : { quiet }),
  };
}

/** A failure that concerns an intent, whole. */
