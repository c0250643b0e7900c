import * as z from 'zod/mini';
import { invalidRequest } from '../words/complaints.ts';
import { empty, wholeRequest } from '../words/fields.ts';
import {
  contentFarTooLong,
  contentLength,
  contentRule,
  conversationRule,
  customIdRule,
  labelRule,
  rowRule,
  styleRule,
  theMessage,
  typeRule,
} from '../words/messageFields.ts';
import { type Component, componentWarnings, isButton, isRow, repeatedIds } from './buttons.ts';
import type { Complaint, Complaints, OptionsOfField } from './complaint.ts';
import { check, halfPair, optionalText, rule, text } from './schema.ts';
import type { MessageRequest, Wanted } from './wanted.ts';

const maxContentCodePoints = 5000;

const content = z.string().check(
  rule<string>(contentRule(maxContentCodePoints), (value) => {
    const broken = halfPair(value);
    if (broken !== undefined) return broken;
    // At most two UTF-16 units a code point: no need to count what is far too long.
    if (value.length > 2 * maxContentCodePoints) return contentFarTooLong;
    const count = [...value].length;
    if (count === 0) return empty;
    return count > maxContentCodePoints ? contentLength(count) : undefined;
  }),
);

const button = z.strictObject({
  type: z.literal('button'),
  label: text(labelRule),
  style: z.optional(text(styleRule)),
  custom_id: text(customIdRule),
});

const row = z.strictObject({
  type: z.literal('action_row'),
  components: z
    .array(z.unknown())
    .check(rule<unknown[]>(rowRule, (value) => (value.length === 0 ? empty : undefined))),
});

const messageSchema = z.strictObject({
  conversation_id: text(conversationRule),
  content,
  components: z.optional(z.array(z.unknown())),
  reply_to_message_id: optionalText(),
  idempotency_key: optionalText(),
});

const typed = z.looseObject({ type: text(typeRule) });

/** Rows and buttons are held to the document; types that it does not show pass as they are. */
function checkComponents(values: readonly unknown[], path: string): Complaint[] {
  return values.flatMap((value, index) => {
    const at = `${path}[${index}]`;
    const kind = check(typed, value);
    if (!kind.success) return under(at, kind.complaints);
    const component: Component = kind.data;
    if (!isRow(component) && !isButton(component)) return [];
    const { complaints } = isRow(component) ? check(row, value) : check(button, value);
    if (complaints.length > 0) return under(at, complaints);
    return isRow(component) ? checkComponents(component.components, `${at}.components`) : [];
  });
}

function under(path: string, complaints: readonly Complaint[]): Complaint[] {
  return complaints.map((complaint) => ({
    ...complaint,
    field: complaint.field === wholeRequest ? path : `${path}.${complaint.field}`,
  }));
}

type CheckedMessage = { wanted: Wanted & { kind: 'message' }; payloadKey: string | undefined };

/** A message from fields of any origin, or a refusal that lists everything wrong with them. */
export function parseMessage(fields: unknown, options: OptionsOfField = {}): CheckedMessage {
  const checked = checkMessage(fields);
  if ('complaints' in checked) throw invalidRequest(checked.complaints, theMessage, options);
  return checked;
}

/** The same with everything that is wrong as a value: a batch lists it and goes on. */
export function checkMessage(fields: unknown): CheckedMessage | Complaints {
  const checked = check(messageSchema, fields);
  const given =
    typeof fields === 'object' && fields !== null && 'components' in fields ? fields.components : [];
  const components = Array.isArray(given) ? given : [];
  const complaints = [...checked.complaints, ...checkComponents(components, 'components')];
  if (complaints.length === 0) complaints.push(...repeatedIds(components as Component[]));
  if (!checked.success || complaints.length > 0) return { complaints };
  const { idempotency_key: payloadKey, ...request } = checked.data;
  return {
    wanted: {
      kind: 'message',
      request: request as MessageRequest,
      warnings: componentWarnings(components as Component[]),
    },
    payloadKey,
  };
}
