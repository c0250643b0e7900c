import type { Kind } from '../intent/wanted.ts';

/** What a row may say, by the names of the payload's fields. `buttons` is a short way to write `components`. */
export const columnsOf: Readonly<Record<Kind, readonly string[]>> = {
  message: ['id', 'conversation_id', 'content', 'reply_to_message_id', 'components', 'buttons'],
  transfer: ['id', 'to_address', 'asset', 'amount', 'memo'],
};

export const neededColumnsOf: Readonly<Record<Kind, readonly string[]>> = {
  message: ['conversation_id', 'content'],
  transfer: ['id', 'to_address', 'asset', 'amount'],
};

/** Columns whose cells are JSON. */
export const jsonColumns: readonly string[] = ['components', 'buttons'];
