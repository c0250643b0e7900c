import type { Attempt, Entry } from '../../once/journal/journal.ts';
import { hasLostDigits, isObject, readReply } from '../../once/wire/flight.ts';
import type { Fields } from './card.ts';

const deepest = 24;

/** A reply's fields as received, up to a fixed depth. A number that lost digits is left out: it is not as received. */
export function pruned(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return hasLostDigits(value) ? undefined : value;
  if (depth === deepest) return '(nested too deep to show)';
  if (Array.isArray(value)) return value.map((item) => pruned(item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, pruned(field, depth + 1)]));
}

function replyJson(attempt: Attempt | undefined): Fields | undefined {
  if (attempt?.reply === undefined || attempt.verdict !== 'accepted') return undefined;
  return readReply({ body: attempt.reply, headers: attempt.headers }).json;
}

/** An entry and its reply. */
export type Replied = {
  readonly entry: Entry;
  readonly attempt: Attempt | undefined;
  /** The signature that an operator noted when resolving the entry. */
  readonly signature?: string | undefined;
};

/** The message in the service's reply. */
export function messageOf({ entry, attempt }: Replied): Fields | undefined {
  const message = entry.kind === 'message' ? replyJson(attempt)?.message : undefined;
  return isObject(message) ? message : undefined;
}

/** The transfer in the service's reply, or as an operator found it. */
export function transferOf({ entry, attempt, signature }: Replied): Fields | undefined {
  if (entry.kind !== 'transfer') return undefined;
  const json = replyJson(attempt);
  if (json !== undefined) {
    const { request_id: _requestId, ...transfer } = json;
    // Some services put the result into a separate field.
    return isObject(transfer.transfer) ? { ...transfer.transfer, ...transfer } : transfer;
  }
  return signature === undefined ? undefined : { signature };
}

/** A field of a reply as text. Anything but a string or number is shown as JSON. */
export function fieldText(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  return typeof value === 'string' ? value : JSON.stringify(pruned(value));
}

/** The value for scripts: the message ID or the signature, or without a signature the transfer ID. */
export function idOrSignature(report: Replied): string | undefined {
  if (report.entry.kind === 'message') {
    const message = messageOf(report);
    return fieldText(message?.id ?? message?.message_id ?? replyJson(report.attempt)?.message_id);
  }
  const transfer = transferOf(report);
  return fieldText(transfer?.signature) ?? fieldText(transfer?.transfer_id);
}

/** When the service, the chain or a person settled that it happened. */
export function settledAt({ entry, attempt }: Replied): number {
  return entry.state === 'accepted' ? (attempt?.endedAtMs ?? entry.updatedAtMs) : entry.updatedAtMs;
}
