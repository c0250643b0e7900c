import * as z from 'zod/mini';
import { type Component, componentWarnings, isButton, isRow, repeatedIds } from './buttons.ts';
import type { Complaint, Complaints, FieldRules, OptionsOfField } from './complaint.ts';
import { intentFailure } from './facts.ts';
import { check, halfPair, optionalText, rule, text } from './schema.ts';
import type { MessageRequest, Wanted } from './wanted.ts';

const maxContentCodePoints = 5000;

const content = z.string().check(
  rule('content', (value: string) => {
    const is = badContent(value);
    return is === undefined ? undefined : { most: maxContentCodePoints, is };
  }),
);

function badContent(value: string): FieldRules['content']['is'] | undefined {
  const broken = halfPair(value);
  if (broken !== undefined) return broken;
  // At most two UTF-16 units a code point: no need to count what is far too long.
  if (value.length > 2 * maxContentCodePoints) return 'far-too-long';
  const characters = [...value].length;
  if (characters === 0) return 'empty';
  return characters > maxContentCodePoints ? { characters } : undefined;
}

const button = z.strictObject({
  type: z.literal('button'),
  label: text('label'),
  style: z.optional(text('style')),
  custom_id: text('custom-id'),
});

const row = z.strictObject({
  type: z.literal('action_row'),
  components: z
    .array(z.unknown())
    .check(rule('row-of-buttons', (value: unknown[]) => (value.length === 0 ? 'empty' : undefined))),
});

const messageSchema = z.strictObject({
  conversation_id: text('conversation'),
  content,
  components: z.optional(z.array(z.unknown())),
  reply_to_message_id: optionalText(),
  idempotency_key: optionalText(),
});

const typed = z.looseObject({ type: text('component-type') });

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
    field: complaint.field === undefined ? path : `${path}.${complaint.field}`,
  }));
}

type CheckedMessage = { wanted: Wanted & { kind: 'message' }; payloadKey: string | undefined };

/** A message from fields of any origin, or a refusal that lists everything wrong with them. */
export function parseMessage(fields: unknown, options: OptionsOfField = {}): CheckedMessage {
  const checked = checkMessage(fields);
  if ('complaints' in checked)
    throw intentFailure('not-valid', { kind: 'message', complaints: checked.complaints, options });
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
