import {
  arrayAt,
  FieldError,
  type Fields,
  filledString,
  objectAt,
  optionalKey,
  optionalString,
  requiredString,
} from './payload.ts';

export type MessagePayload = {
  conversationId: string;
  content: string;
  components: unknown[] | undefined;
  replyTo: string | undefined;
  key: string | undefined;
};

const contentLimit = 5000;

export function readMessage(fields: Fields): MessagePayload {
  const conversationId = filledString(fields, 'conversation_id');
  const content = requiredString(fields, 'content');
  // A character is a Unicode code point: one emoji is not two.
  const length = [...content].length;
  if (length < 1 || length > contentLimit)
    throw new FieldError('content', `must have 1 to ${contentLimit} characters, not ${length}`);
  const components = fields.components === undefined ? undefined : arrayAt(fields.components, 'components');
  components?.forEach((row, index) => {
    checkRow(row, `components[${index}]`);
  });
  const replyTo = optionalString(fields, 'reply_to_message_id');
  return { conversationId, content, components, replyTo, key: optionalKey(fields) };
}

function checkRow(value: unknown, at: string): void {
  const row = objectAt(value, at);
  checkType(row, 'action_row', at);
  arrayAt(row.components, `${at}.components`).forEach((button, index) => {
    checkButton(button, `${at}.components[${index}]`);
  });
}

function checkButton(value: unknown, at: string): void {
  const button = objectAt(value, at);
  checkType(button, 'button', at);
  filledString(button, 'label', `${at}.label`);
  filledString(button, 'custom_id', `${at}.custom_id`);
  optionalString(button, 'style', `${at}.style`);
}

function checkType(fields: Fields, type: string, at: string): void {
  if (requiredString(fields, 'type', `${at}.type`) !== type)
    throw new FieldError(`${at}.type`, `must be "${type}"`);
}
