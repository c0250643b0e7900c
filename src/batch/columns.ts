import type { Kind } from '../intent/wanted.ts';

/** What a row may say, by the names of the payload's fields. `buttons` is a short way to write `components`. */
const columnsOf: Readonly<Record<Kind, readonly string[]>> = {
  message: ['id', 'conversation_id', 'content', 'reply_to_message_id', 'components', 'buttons'],
  transfer: ['id', 'to_address', 'asset', 'amount', 'memo'],
};

const neededColumnsOf: Readonly<Record<Kind, readonly string[]>> = {
  message: ['conversation_id', 'content'],
  transfer: ['id', 'to_address', 'asset', 'amount'],
};

/** What a header may name, and what it must. */
export type HeaderColumns = {
  readonly known: readonly string[];
  readonly needed: readonly string[];
  /** Says of what the header lacks who needs it, where that is not the command itself. */
  readonly refuseMissing?: (missing: readonly string[], columns: readonly string[], file: string) => void;
};

export function headerOf(kind: Kind): HeaderColumns {
  return { known: columnsOf[kind], needed: neededColumnsOf[kind] };
}

/** Columns whose cells are JSON. */
export const jsonColumns: readonly string[] = ['components', 'buttons'];
