import * as z from 'zod/mini';
import { entryFailure } from './failures.ts';
import { type Complaint, type Complaints, complain, type FieldRules, type OptionsOfField } from './rules.ts';
import { check, halfPair, optionalText, rule, text } from './schema.ts';
import type { ActionRow, Button, Component, MessageRequest, Wanted } from './wanted.ts';

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
  // A code point takes at most two UTF-16 units, so a text that is far too long need not be counted.
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

/** Checks rows and buttons against the service's document. Types that it does not show pass unchanged. */
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

/** Makes a message from fields of any origin. Throws one error that lists everything wrong with them. */
export function parseMessage(fields: unknown, options: OptionsOfField = {}): CheckedMessage {
  const checked = checkMessage(fields);
  if ('complaints' in checked)
    throw entryFailure('not-valid', { kind: 'message', complaints: checked.complaints, options });
  return checked;
}

/** The same, but returns what is wrong instead of throwing it: a batch lists it and goes on. */
export function checkMessage(fields: unknown): CheckedMessage | Complaints {
  const checked = check(messageSchema, fields);
  const raw =
    typeof fields === 'object' && fields !== null && 'components' in fields ? fields.components : [];
  const components = Array.isArray(raw) ? raw : [];
  const complaints = [...checked.complaints, ...checkComponents(components, 'components')];
  if (complaints.length === 0) complaints.push(...repeatedIds(components as Component[]));
  if (!checked.success || complaints.length > 0) return { complaints };
  const { idempotency_key: payloadKey, ...request } = checked.data;
  return {
    wanted: { kind: 'message', request: request as MessageRequest },
    payloadKey,
  };
}

const fieldNames = new Map<string, 'label' | 'custom_id' | 'style'>([
  ['label', 'label'],
  ['id', 'custom_id'],
  ['custom_id', 'custom_id'],
  ['style', 'style'],
]);

/** Splits at commas. `\,` stands for a comma and `\\` for a backslash. */
function splitAtCommas(text: string): string[] {
  const parts: string[] = [''];
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === '\\' && /[\\,]/u.test(text.charAt(index + 1))) {
      index += 1;
      parts.push(`${parts.pop() ?? ''}${text.charAt(index)}`);
    } else if (character === ',') parts.push('');
    else parts.push(`${parts.pop() ?? ''}${character}`);
  }
  return parts;
}

export function parseButton(text: string): Button | Complaint {
  const fields = new Map<'label' | 'custom_id' | 'style', string>();
  for (const part of splitAtCommas(text)) {
    const equals = part.indexOf('=');
    const name = fieldNames.get(part.slice(0, equals).trim());
    if (equals < 0 || name === undefined) {
      return complain('--button', 'button', { unknown: part });
    }
    if (fields.has(name)) return complain('--button', 'button', { twice: name });
    fields.set(name, part.slice(equals + 1));
  }
  const label = fields.get('label');
  const customId = fields.get('custom_id');
  const style = fields.get('style');
  if (!label) return complain('--button', 'button', 'no-label');
  if (!customId) return complain('--button', 'button', 'no-id');
  if (style === '') return complain('--button', 'button', 'empty-style');
  return { type: 'button', label, ...(style === undefined ? {} : { style }), custom_id: customId };
}

/** The row of buttons that the command line gives. */
export function rowsFrom(texts: readonly string[]): { rows: ActionRow[]; complaints: Complaint[] } {
  const buttons: Button[] = [];
  const complaints: Complaint[] = [];
  for (const text of texts) {
    const button = parseButton(text);
    if ('rule' in button) complaints.push(button);
    else buttons.push(button);
  }
  return { rows: [{ type: 'action_row', components: buttons }], complaints };
}

function isRow(component: Component): component is ActionRow {
  return component.type === 'action_row';
}

function isButton(component: Component): component is Button {
  return component.type === 'button';
}

/** All buttons, at any depth. */
function buttonsIn(components: readonly Component[]): Button[] {
  return components.flatMap((component) => {
    if (isRow(component)) return buttonsIn(component.components);
    return isButton(component) ? [component] : [];
  });
}

function repeatedIds(components: readonly Component[]): Complaint[] {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const { custom_id: id } of buttonsIn(components)) {
    if (seen.has(id)) repeated.add(id);
    seen.add(id);
  }
  return [...repeated].map((id) => complain('components', 'distinct-ids', { id }));
}
