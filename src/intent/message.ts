import * as z from 'zod/mini';
import { type Component, componentWarnings, isButton, isRow, repeatedIds } from './buttons.ts';
import { type Complaint, type Complaints, refusal } from './complaint.ts';
import { check, halfPair, optionalText, rule, text } from './schema.ts';
import type { MessageRequest, Wanted } from './wanted.ts';

export const maxContentCodePoints = 5000;

const contentRule = `1 to ${maxContentCodePoints} characters, counted as Unicode code points`;

const content = z.string().check(
  rule<string>(contentRule, (value) => {
    const broken = halfPair(value);
    if (broken !== undefined) return broken;
    // At most two UTF-16 units a code point: no need to count what is far too long.
    if (value.length > 2 * maxContentCodePoints) return 'is far too long';
    const count = [...value].length;
    if (count === 0) return 'is empty';
    return count > maxContentCodePoints ? `has ${count} characters` : undefined;
  }),
);

const button = z.strictObject({
  type: z.literal('button'),
  label: text('text on the button'),
  style: z.optional(text('a style, or absent')),
  custom_id: text('an identifier of your choice'),
});

const row = z.strictObject({
  type: z.literal('action_row'),
  components: z
    .array(z.unknown())
    .check(rule<unknown[]>('one button or more', (value) => (value.length === 0 ? 'is empty' : undefined))),
});

const optionOfField = { conversation_id: '--conversation', content: '--content (or --content-file)' };

const messageSchema = z.strictObject({
  conversation_id: text('the identifier of a conversation'),
  content,
  components: z.optional(z.array(z.unknown())),
  reply_to_message_id: optionalText(),
  idempotency_key: optionalText(),
});

const typed = z.looseObject({ type: text('the type of a component') });

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
    field: complaint.field === 'the request' ? path : `${path}.${complaint.field}`,
  }));
}

export type CheckedMessage = { wanted: Wanted & { kind: 'message' }; payloadKey: string | undefined };

/** A message from fields of any origin, or a refusal that lists everything wrong with them. */
export function parseMessage(fields: unknown): CheckedMessage {
  const checked = checkMessage(fields);
  if ('complaints' in checked) throw refusal(checked.complaints, 'The message', optionOfField);
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
