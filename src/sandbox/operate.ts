import { createHash } from 'node:crypto';
import type { Chain } from './chain.ts';
import type { Identity, TokenName } from './identity.ts';
import type { Ledger } from './ledger.ts';
import { takeOne } from './limit.ts';
import { type MessagePayload, readMessage } from './messagePayload.ts';
import type { Operation } from './operation.ts';
import { type Checked, check, FieldError, type Fields, objectAt } from './payload.ts';
import type { Readings } from './readings.ts';
import { type Refusal, type Reply, type ReplyContext, refusal, refusalReply, successReply } from './reply.ts';
import { NoChainError } from './solana/nativeVm.ts';
import type { KeptReply, KeyName, RememberedKey } from './store/keys.ts';
import { executeTransfer } from './transfer.ts';
import { readTransfer, type TransferPayload } from './transferPayload.ts';

export type OperationRequest = {
  operation: Operation;
  authorization: string[];
  contentType: string | undefined;
  body: Buffer;
};

/** What the service says, and for its own log: the key, the effect, or why there is none. */
export type Answer = { reply: Reply; key?: string; effect?: string; reason?: string };

export type Service = {
  ledger: Ledger;
  identity: Identity;
  readings: () => Readings;
  nowMs: () => number;
  requestId: () => string;
  loadChain: () => Chain;
};

type Wanted =
  | { operation: 'message'; payload: MessagePayload }
  | { operation: 'transfer'; payload: TransferPayload; chain: Chain };

type Context = ReplyContext & { token: TokenName; bodyText: string; bodyHash: string };

/** One request to the Bot API, from its bytes to its reply. */
export function operate(request: OperationRequest, service: Service): Answer {
  const base = { readings: service.readings(), requestId: service.requestId(), nowMs: service.nowMs() };
  const refuse = (refused: Refusal, key?: string): Answer => ({
    reply: refusalReply(refused, base),
    reason: refused.code,
    ...(key === undefined ? {} : { key }),
  });
  const token = tokenOf(request.authorization, service.identity);
  if (token === undefined)
    return refuse(refusal(401, 'invalid_token', 'The bot token is missing or invalid.'));
  const denied =
    deniedTo(token, request.operation) ?? limited(`${token}/${request.operation}`, base, service);
  if (denied !== undefined) return refuse(denied);
  if (!/^application\/json\s*(;|$)/i.test(request.contentType ?? '')) {
    return refuse(
      refusal(415, 'unsupported_media_type', 'The request needs Content-Type: application/json.'),
    );
  }
  const body = parseBody(request.body);
  if (!body.ok) return refuse(invalid(request.operation, body.field, body.rule));
  const payload = readPayload(request.operation, body.value.fields, service.ledger);
  if (!payload.ok)
    return refuse(invalid(request.operation, payload.field, payload.rule), keyIn(body.value.fields));
  try {
    const wanted =
      payload.value.operation === 'message'
        ? payload.value
        : { ...payload.value, chain: service.loadChain() };
    const context: Context = { ...base, token, bodyText: body.value.text, bodyHash: body.value.hash };
    return service.ledger.atomically(() => doOnce(wanted, context, service));
  } catch (error) {
    if (error instanceof NoChainError)
      return refuse(refusal(503, 'chain_unavailable', error.message), keyIn(body.value.fields));
    throw error;
  }
}

/** The key, the effect and the reply: together or not at all. */
function doOnce(wanted: Wanted, context: Context, service: Service): Answer {
  const { ledger } = service;
  const { readings } = context;
  const { key } = wanted.payload;
  const name = key === undefined ? undefined : keyName(wanted.operation, key, context);
  const repeated = repeatReading(wanted.operation, readings);
  const kept = name === undefined || repeated === 'ignore' ? undefined : remembered(name, context, ledger);
  const named = key === undefined ? {} : { key };
  if (kept !== undefined) return { ...repeat(kept, repeated, context), ...named };
  const done =
    wanted.operation === 'message'
      ? postMessage(wanted.payload, context, service)
      : makeTransfer(wanted, context, service);
  if (done.kind === 'refusal') return { reply: refusalReply(done, context), reason: done.code, ...named };
  const reply = successOf(done.fields, readings);
  const { token, nowMs: atMs, bodyText: request } = context;
  ledger.effects.put({
    kind: wanted.operation,
    id: done.id,
    token,
    key: key ?? null,
    atMs,
    request,
    signature: done.signature,
  });
  if (name !== undefined)
    ledger.keys.put(name, { atMs, bodyHash: context.bodyHash, effectId: done.id, reply });
  return {
    reply: successReply(reply.status, reply.contentType, reply.body),
    effect: done.signature ?? done.id,
    ...named,
  };
}

type Done = { kind: 'done'; id: string; signature: string | null; fields: Fields };

function postMessage(
  payload: MessagePayload,
  context: Context,
  { ledger, identity }: Service,
): Done | Refusal {
  const { conversationId, content, components, replyTo } = payload;
  if (!ledger.conversations.has(conversationId)) {
    return {
      ...refusal(404, 'conversation_not_found', 'There is no such conversation.'),
      field: 'conversation_id',
    };
  }
  const id = identity.id('msg', ledger.effects.nextSeq());
  const message = {
    id,
    conversation_id: conversationId,
    content,
    ...(components === undefined ? {} : { components }),
    ...(replyTo === undefined ? {} : { reply_to_message_id: replyTo }),
    created_at: new Date(context.nowMs).toISOString(),
  };
  return { kind: 'done', id, signature: null, fields: { message, request_id: context.requestId } };
}

function makeTransfer(
  wanted: Extract<Wanted, { operation: 'transfer' }>,
  context: Context,
  service: Service,
): Done | Refusal {
  const { ledger, identity } = service;
  const made = executeTransfer(wanted.payload, {
    ledger,
    identity,
    chain: wanted.chain,
    nowMs: context.nowMs,
  });
  if (made.kind === 'refusal') return made;
  const id = identity.id('tr', ledger.effects.nextSeq());
  const { signature } = made;
  return {
    kind: 'done',
    id,
    signature,
    fields: { transfer_id: id, status: context.readings.transfer_status, signature },
  };
}

function successOf(fields: Fields, readings: Readings): KeptReply {
  const shown = Object.entries(fields).filter(([name]) => !readings.omit_fields.includes(name));
  const body = JSON.stringify({ ...Object.fromEntries(shown), ...readings.extra_fields });
  return { status: readings.success_status, contentType: readings.content_type ?? 'application/json', body };
}

function tokenOf(authorization: string[], { tokens }: Identity): TokenName | undefined {
  if (authorization.length !== 1) return undefined;
  const names: TokenName[] = ['full', 'no_send', 'no_wallet'];
  return names.find((name) => authorization[0] === `Bot ${tokens[name]}`);
}

function deniedTo(token: TokenName, operation: Operation): Refusal | undefined {
  if (operation === 'message' && token === 'no_send') {
    return refusal(403, 'send_permission_missing', 'This bot has no send permission.');
  }
  if (operation === 'transfer' && token === 'no_wallet') {
    return refusal(403, 'wallet_scope_disabled', 'The wallet transfer scope is disabled for this bot.');
  }
  return undefined;
}

function limited(
  bucketName: string,
  { readings, nowMs }: ReplyContext,
  { ledger }: Service,
): Refusal | undefined {
  const limit = readings.rate_limit;
  if (limit === null) return undefined;
  const taken = ledger.atomically(() => {
    const result = takeOne(limit, ledger.buckets.get(bucketName), nowMs);
    ledger.buckets.put(bucketName, result.bucket);
    return result;
  });
  return taken.allowed
    ? undefined
    : { ...refusal(429, 'rate_limited', 'Too many requests.'), retryAfterMs: taken.waitMs };
}

type Body = { text: string; fields: Fields; hash: string };

function parseBody(bytes: Buffer): Checked<Body> {
  const broken = (rule: string): Checked<Body> => ({ ok: false, field: 'body', rule });
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return broken('must be UTF-8');
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return broken('must be JSON');
  }
  return check(() => {
    const fields = objectAt(value, 'body');
    return { text, fields, hash: hashOf(fields) };
  });
}

/** Two bodies are the same request when only their key, or the order of their fields, differs. */
function hashOf({ idempotency_key: _, ...rest }: Fields): string {
  try {
    return createHash('sha256')
      .update(JSON.stringify(sorted(rest)))
      .digest('hex');
  } catch (error) {
    if (error instanceof RangeError) throw new FieldError('body', 'is nested too deeply');
    throw error;
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([name, inner]) => [name, sorted(inner)]);
}

type Read =
  | { operation: 'message'; payload: MessagePayload }
  | { operation: 'transfer'; payload: TransferPayload };

function readPayload(operation: Operation, fields: Fields, ledger: Ledger): Checked<Read> {
  if (operation === 'message') return check(() => ({ operation, payload: readMessage(fields) }));
  return check(() => ({ operation, payload: readTransfer(fields, (name) => ledger.accounts.asset(name)) }));
}

export function keyIn(fields: Fields): string | undefined {
  return typeof fields.idempotency_key === 'string' ? fields.idempotency_key : undefined;
}

function invalid(operation: Operation, field: string, rule: string): Refusal {
  const code = operation === 'message' ? 'invalid_payload' : 'invalid_transfer';
  return { ...refusal(400, code, `${field} ${rule}.`), field };
}

function keyName(operation: Operation, key: string, { readings, token }: Context): KeyName {
  return { operation, scope: readings.key_scope === 'bot' ? '' : token, key };
}

function repeatReading(operation: Operation, readings: Readings): Readings['repeated_message_key'] {
  return operation === 'message' ? readings.repeated_message_key : readings.repeated_transfer_key;
}

function remembered(name: KeyName, { readings, nowMs }: Context, ledger: Ledger): RememberedKey | undefined {
  const kept = ledger.keys.get(name);
  if (kept === undefined) return undefined;
  const memoryMs = readings.key_memory_ms;
  return memoryMs === null || nowMs - kept.atMs < memoryMs ? kept : undefined;
}

function repeat(kept: RememberedKey, reading: 'replay' | 'conflict' | 'ignore', context: Context): Answer {
  const refuse = (refused: Refusal): Answer => ({
    reply: refusalReply(refused, context),
    reason: refused.code,
  });
  const conflict = refusal(409, 'duplicate_idempotency_key', 'This idempotency key was already used.');
  if (kept.bodyHash !== context.bodyHash) {
    const other = 'This idempotency key was used for another request.';
    switch (context.readings.other_body) {
      case 'invalid':
        return refuse({ ...refusal(400, 'idempotency_key_reused', other), field: 'idempotency_key' });
      case 'conflict':
        return refuse(conflict);
      case 'unprocessable':
        return refuse(refusal(422, 'idempotency_key_reused', other));
      case 'as-repeat':
        break;
    }
  }
  if (reading === 'conflict') return refuse(conflict);
  const { status, contentType, body } = kept.reply;
  return { reply: successReply(status, contentType, body), reason: `repeats ${kept.effectId}` };
}
