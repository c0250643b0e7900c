import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Chain } from './chain.ts';
import type { Fault, Operation } from './faults.ts';
import type { Derived, TokenName } from './money.ts';
import type { Readings } from './readings.ts';
import {
  type Outlet,
  type Rejection,
  type Reply,
  type ReplyContext,
  rejection,
  rejectionReply,
  send,
} from './reply.ts';
import { addressBytes } from './solana.ts';
import type { Asset } from './store/database.ts';
import { type Ledger, type RateLimit, takeOne } from './store/ledger.ts';

/** What a request is answered with. */
export type Service = {
  ledger: Ledger;
  derived: Derived;
  readings: () => Readings;
  nowMs: () => number;
  requestId: () => string;
  loadChain: () => Chain;
};

/** One admitted request: its token, its bytes, and the current readings of the document. */
export type RequestContext = ReplyContext & { token: TokenName; bodyText: string; bodyHash: string };

export function replyContext(service: Service): ReplyContext {
  return { readings: service.readings(), requestId: service.requestId(), nowMs: service.nowMs() };
}

const bodyLimitBytes = 1024 * 1024;
const drainLimitBytes = 64 * bodyLimitBytes;

export type ReadBody = { kind: 'whole'; bytes: Buffer } | { kind: 'too-large' } | { kind: 'broken-off' };

/** Discards what exceeds the limit but reads on: a client that is still writing would never see the 413. */
export async function readBody(request: IncomingMessage): Promise<ReadBody> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size <= bodyLimitBytes) chunks.push(chunk);
      else chunks.length = 0;
      if (size > drainLimitBytes) return { kind: 'too-large' };
    }
  } catch {
    return { kind: 'broken-off' };
  }
  return size > bodyLimitBytes ? { kind: 'too-large' } : { kind: 'whole', bytes: Buffer.concat(chunks) };
}

type JsonRequest = { text: string; fields: Fields; hash: string };

export function isJson(contentType: string | undefined): boolean {
  return /^application\/json\s*(;|$)/i.test(contentType ?? '');
}

/** The decoded value, or undefined if the bytes are not JSON in UTF-8. */
export function decodeJson(bytes: Uint8Array): { text: string; value: unknown } | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { text, value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

export function readRequest(bytes: Uint8Array): Checked<JsonRequest> {
  const decoded = decodeJson(bytes);
  if (decoded === undefined) return { ok: false, field: 'body', rule: 'must be JSON in UTF-8' };
  return check(() => {
    const fields = objectAt(decoded.value, 'body');
    return { text: decoded.text, fields, hash: hashOf(fields) };
  });
}

export function keyIn(value: unknown): string | undefined {
  const key = typeof value === 'object' && value !== null ? (value as Fields).idempotency_key : undefined;
  return typeof key === 'string' ? key : undefined;
}

/** Two bodies are the same request if they differ only in their key or in the order of their fields. */
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

/** The sandbox's log entry for one request. Status 0: no reply was sent. */
export type RequestLog = {
  at: Date;
  operation: string;
  status: number;
  key?: string;
  effect?: string;
  reason?: string;
};

/** Whether a web page made a browser send this request: its Host or Origin gives it away. */
export function isForeign({ headers }: IncomingMessage): boolean {
  return (
    !isLoopback(headers.host) ||
    (headers.origin !== undefined && !isLoopback(headers.origin.replace(/^https?:\/\//, '')))
  );
}

function isLoopback(host: string | undefined): boolean {
  return /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i.test(host ?? '');
}

export type RequestHead = { operation: Operation; authorization: string[]; contentType: string | undefined };

/** Every check that comes before the body. */
export function admit(
  head: RequestHead,
  context: ReplyContext,
  service: Service,
): { kind: 'admitted'; token: TokenName } | Rejection {
  const token = tokenOf(head.authorization, service.derived);
  if (token === undefined) return rejection(401, 'invalid_token', 'The bot token is missing or invalid.');
  const denied = deniedTo(token, head.operation) ?? limited(`${token}/${head.operation}`, context, service);
  if (denied !== undefined) return denied;
  if (!isJson(head.contentType)) {
    return rejection(415, 'unsupported_media_type', 'The request needs Content-Type: application/json.');
  }
  return { kind: 'admitted', token };
}

function tokenOf(authorization: string[], { tokens }: Derived): TokenName | undefined {
  if (authorization.length !== 1) return undefined;
  const names: TokenName[] = ['full', 'no_send', 'no_wallet'];
  return names.find((name) => authorization[0] === `Bot ${tokens[name]}`);
}

function deniedTo(token: TokenName, operation: Operation): Rejection | undefined {
  if (operation === 'message' && token === 'no_send') {
    return rejection(403, 'send_permission_missing', 'This bot has no send permission.');
  }
  if (operation === 'transfer' && token === 'no_wallet') {
    return rejection(403, 'wallet_scope_disabled', 'The wallet transfer scope is disabled for this bot.');
  }
  return undefined;
}

function limited(bucketName: string, { readings }: ReplyContext, service: Service): Rejection | undefined {
  const waitMs = takeFrom(bucketName, readings.rate_limit, service);
  if (waitMs === undefined) return undefined;
  return { ...rejection(429, 'rate_limited', 'Too many requests.'), retryAfterMs: waitMs };
}

/** Takes one from a bucket; if the bucket is empty, says how long until one is available. */
export function takeFrom(
  bucketName: string,
  limit: RateLimit | null,
  { ledger, nowMs }: Pick<Service, 'ledger' | 'nowMs'>,
): number | undefined {
  if (limit === null) return undefined;
  const taken = ledger.atomically(() => {
    const result = takeOne(limit, ledger.buckets.get(bucketName), nowMs());
    ledger.buckets.put(bucketName, result.bucket);
    return result;
  });
  return taken.allowed ? undefined : taken.waitMs;
}

export type LoggedReply = Omit<RequestLog, 'at' | 'operation'>;

export function reject(
  rejected: Rejection,
  request: IncomingMessage,
  outlet: Outlet,
  service: Service,
): LoggedReply {
  request.resume();
  return { status: send(render(rejected, service), outlet), reason: rejected.code };
}

export function notAllowed(allow: string): Rejection {
  return { ...rejection(405, 'method_not_allowed', `Use ${allow}.`), headers: [['Allow', allow]] };
}

export function render(rejected: Rejection, service: Service): Reply {
  return rejectionReply(rejected, replyContext(service));
}

/** Chooses the fault for a request: the first scripted one that fits. */
export type Fate = {
  beforeReading(operation: Operation): Fault | undefined;
  afterReading(operation: Operation, key: string | undefined): Fault | undefined;
  /** For a request to /rpc: before its body is read, or by the methods it calls. */
  ofRpc(methods: 'unread' | readonly string[]): Fault | undefined;
};

export function fateOf(ledger: Ledger): Fate {
  return {
    beforeReading: (operation) => takeFault(ledger, (fault) => fits(fault, operation, undefined), 'unread'),
    afterReading: (operation, key) => takeFault(ledger, (fault) => fits(fault, operation, key), 'read'),
    ofRpc: (methods) =>
      takeFault(
        ledger,
        ({ operation, method }) => operation === 'rpc' && (method === undefined || methods.includes(method)),
        methods === 'unread' ? 'unread' : 'read',
      ),
  };
}

function fits(fault: Fault, operation: Operation, key: string | undefined): boolean {
  return (fault.operation ?? operation) === operation && (fault.key ?? key) === key;
}

/** Scripted faults run in order: a fault waiting for another moment is not overtaken. */
function takeFault(
  ledger: Ledger,
  matches: (fault: Fault) => boolean,
  moment: 'unread' | 'read',
): Fault | undefined {
  if (ledger.faults.list().length === 0) return undefined;
  return ledger.atomically(() => {
    const next = ledger.faults.list().find(({ fault }) => matches(fault));
    if (next === undefined || (next.fault.when === 'unread') !== (moment === 'unread')) return undefined;
    ledger.faults.use(next.id);
    return next.fault;
  });
}

/** A payload that follows the document's tables, or the first field that breaks a rule. */
export type Checked<T> = { ok: true; value: T } | { ok: false; field: string; rule: string };

export type Fields = Record<string, unknown>;

class FieldError extends Error {
  readonly field: string;
  readonly rule: string;

  constructor(field: string, rule: string) {
    super(`${field} ${rule}`);
    this.field = field;
    this.rule = rule;
  }
}

/** Runs a check of fields that stops at the first broken rule. */
export function check<T>(read: () => T): Checked<T> {
  try {
    return { ok: true, value: read() };
  } catch (error) {
    if (error instanceof FieldError) return { ok: false, field: error.field, rule: error.rule };
    throw error;
  }
}

function objectAt(value: unknown, field: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new FieldError(field, 'must be an object');
  return value as Fields;
}

function arrayAt(value: unknown, field: string): unknown[] {
  if (!Array.isArray(value)) throw new FieldError(field, 'must be an array');
  return value;
}

function requiredString(fields: Fields, name: string, at = name): string {
  const value = fields[name];
  if (value === undefined) throw new FieldError(at, 'is required');
  if (typeof value !== 'string') throw new FieldError(at, 'must be a string');
  return value;
}

function filledString(fields: Fields, name: string, at = name): string {
  const value = requiredString(fields, name, at);
  if (value === '') throw new FieldError(at, 'must not be empty');
  return value;
}

function optionalString(fields: Fields, name: string, at = name): string | undefined {
  return fields[name] === undefined ? undefined : requiredString(fields, name, at);
}

function optionalKey(fields: Fields): string | undefined {
  return fields.idempotency_key === undefined ? undefined : filledString(fields, 'idempotency_key');
}

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
  // Counts Unicode code points, so that an emoji counts as one.
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

export type TransferPayload = {
  to: string;
  asset: { symbol: 'SOL'; decimals: number } | ({ symbol: string } & Asset);
  units: bigint;
  memo: string | undefined;
  key: string | undefined;
};

const sol = { symbol: 'SOL', decimals: 9 } as const;

export function readTransfer(
  fields: Fields,
  assetNamed: (name: string) => Asset | undefined,
): TransferPayload {
  const to = requiredString(fields, 'to_address');
  if (addressBytes(to) === undefined) throw new FieldError('to_address', 'must be 32 bytes in base58');
  const name = filledString(fields, 'asset');
  const asset = name === 'SOL' ? sol : assetNamed(name);
  if (asset === undefined)
    throw new FieldError(
      'asset',
      `must be "SOL" or name a token; ${JSON.stringify(name.slice(0, 64))} names none`,
    );
  const units = readAmount(requiredString(fields, 'amount'), asset.decimals);
  return { to, asset, units, memo: optionalString(fields, 'memo'), key: optionalKey(fields) };
}

function readAmount(text: string, decimals: number): bigint {
  const match = /^(0|[1-9][0-9]*)(?:\.([0-9]+))?$/.exec(text);
  if (match === null) throw new FieldError('amount', 'must be a decimal amount, such as "1.5"');
  const fraction = match[2] ?? '';
  if (fraction.length > decimals) throw new FieldError('amount', `must have at most ${decimals} decimals`);
  const units = BigInt(`${match[1]}${fraction.padEnd(decimals, '0')}`);
  if (units === 0n) throw new FieldError('amount', 'must be more than zero');
  return units;
}
