import { type ChainStanding, isAgainst } from '../chain/standing.ts';
import type { Attempt, Intent } from '../journal/journal.ts';
import { readReply } from '../wire/readReply.ts';
import { isApprovalReason } from '../words/decisionCommands.ts';
import { damage, unreadableBody } from '../words/journal.ts';
import { isoExact } from '../words/time.ts';
import type { Problem } from '../words/told.ts';

/** What a command tells about one intent, in the one shape that all commands share. */
export type Report = {
  readonly command: string;
  readonly intent: Intent;
  readonly attempt: Attempt | undefined;
  readonly replayed: boolean;
  readonly problem?: Problem | undefined;
  readonly warnings: readonly string[];
  /** The operator's own word on a resolved intent. */
  readonly signature?: string | undefined;
  /** What is known of it by the chain. */
  readonly chain?: ChainStanding | undefined;
};

export type Fields = Readonly<Record<string, unknown>>;

const deepest = 24;

/** Reply fields are shown as they came, but no deeper than anything reads. */
function pruned(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth === deepest) return '(nested too deep to show)';
  if (Array.isArray(value)) return value.map((item) => pruned(item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, pruned(field, depth + 1)]));
}

/** The request as it was frozen, without its key. */
export function requestOf({ body }: Pick<Intent, 'body'>): Fields {
  const { idempotency_key: _key, ...request } = fieldsIn(body);
  return request;
}

/** The journal keeps only bodies that botctl made itself: what cannot be read was damaged since. */
function fieldsIn(body: Uint8Array): Fields {
  try {
    const fields: unknown = JSON.parse(new TextDecoder().decode(body));
    if (typeof fields === 'object' && fields !== null) return fields as Fields;
  } catch {
    // Said below, in words that help.
  }
  throw damage(unreadableBody);
}

function replyJson(attempt: Attempt | undefined): Fields | undefined {
  if (attempt?.reply === undefined || attempt.verdict !== 'accepted') return undefined;
  return readReply({ body: attempt.reply, headers: attempt.headers }).json;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The message as the service answered it. */
export function messageOf({ intent, attempt }: Pick<Report, 'intent' | 'attempt'>): Fields | undefined {
  const message = intent.kind === 'message' ? replyJson(attempt)?.message : undefined;
  return isFields(message) ? message : undefined;
}

/** The transfer as the service answered it, or as an operator found it. */
export function transferOf({
  intent,
  attempt,
  signature,
}: Pick<Report, 'intent' | 'attempt' | 'signature'>): Fields | undefined {
  if (intent.kind !== 'transfer') return undefined;
  const json = replyJson(attempt);
  if (json !== undefined) {
    const { request_id: _requestId, ...transfer } = json;
    return transfer;
  }
  return signature === undefined ? undefined : { signature };
}

/** A field of a reply as text: what is no string or number is shown as JSON. */
export function shown(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  return typeof value === 'string' ? value : JSON.stringify(pruned(value));
}

/** What a script wants of it: the message id or the signature (without one, the transfer id). */
export function idOrSignature(report: Report): string | undefined {
  const message = messageOf(report);
  if (message !== undefined) return shown(message.id ?? message.message_id);
  const transfer = transferOf(report);
  return shown(transfer?.signature) ?? shown(transfer?.transfer_id);
}

/** A script that waits for a person asks for one word, whoever wants that person’s approval. */
function whyJson({ why }: Intent): Fields {
  if (why === undefined) return {};
  if (!isApprovalReason(why)) return { why };
  return { why: 'approval', ...(why === 'approval' ? {} : { proposed: why === 'proposed' }) };
}

function intentJson(intent: Intent): Fields {
  return {
    id: intent.id,
    kind: intent.kind,
    key: intent.key,
    ...(intent.name === undefined ? {} : { name: intent.name }),
    ...(intent.rowId === undefined ? {} : { row: intent.rowId }),
    bot: intent.bot,
    base_url: intent.spelledUrl,
    state: intent.state,
    tainted: intent.tainted,
    ...whyJson(intent),
    ...(intent.resolvedAs === undefined ? {} : { resolved_as: intent.resolvedAs }),
    attempts: intent.attempts,
    created_at: isoExact(intent.createdAtMs),
    request: requestOf(intent),
  };
}

/** Whether it is shown that what happened is what was asked for, by more than a person’s word; nothing where nothing did. */
export function isVerified({
  intent,
  attempt,
  chain,
}: Pick<Report, 'intent' | 'attempt' | 'chain'>): boolean | undefined {
  if (chain?.view?.verdict === 'proven') return true;
  if (isAgainst(chain?.view))
    return intent.state === 'accepted' || intent.resolvedAs === 'happened' ? false : undefined;
  if (intent.state === 'accepted') return attempt?.verified ?? false;
  return intent.resolvedAs === 'happened' ? false : undefined;
}

function chainJson(chain: ChainStanding | undefined): Fields {
  if (chain?.view === undefined) return {};
  return { chain: { ...chain.view, ...(chain.acknowledged ? { acknowledged: true } : {}) } };
}

export function reportJson(report: Report): Record<string, unknown> {
  const { command, intent, attempt, replayed, problem, warnings } = report;
  const message = messageOf(report);
  const transfer = transferOf(report);
  const verified = isVerified(report);
  return {
    schema: 'botctl/1',
    command,
    outcome: intent.state,
    replayed,
    duplicate: attempt?.duplicate ?? false,
    ...(verified === undefined ? {} : { verified }),
    intent: intentJson(intent),
    ...(message === undefined ? {} : { message: pruned(message) }),
    ...(transfer === undefined ? {} : { transfer: pruned(transfer) }),
    ...chainJson(report.chain),
    ...(attempt?.requestId === undefined ? {} : { request_id: attempt.requestId }),
    warnings,
    ...(problem === undefined ? {} : { error: problem }),
  };
}
