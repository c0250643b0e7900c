import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { SandboxChain } from './chain.ts';
import { isObject } from './faults.ts';
import type { Ledger } from './ledger.ts';
import { assetNamed, type Derived } from './money.ts';
import { Rejection } from './rejection.ts';
import { addressBytes } from './solana.ts';

/** What answering a request needs. */
export type Service = {
  ledger: Ledger;
  derived: Derived;
  nowMs: () => number;
  requestId: () => string;
  loadChain: () => SandboxChain;
};

/** The sandbox's log entry for one request. Status 0: no reply was sent. */
export type RequestLog = {
  at: Date;
  operation: string;
  status: number;
  key?: string | undefined;
  effect?: string | undefined;
  reason?: string | undefined;
};

export type LoggedReply = Omit<RequestLog, 'at' | 'operation'>;

const bodyLimitBytes = 1024 * 1024;
const drainLimitBytes = 64 * bodyLimitBytes;

/** Discards bytes above the limit but reads on: otherwise a client that is still writing would never see the 413. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size <= bodyLimitBytes) chunks.push(chunk);
      else chunks.length = 0;
      if (size > drainLimitBytes) break;
    }
  } catch {
    throw new Rejection(400, 'broken_off', 'The body broke off.');
  }
  if (size <= bodyLimitBytes) return Buffer.concat(chunks);
  const headers: [string, string][] = [['Connection', 'close']];
  throw new Rejection(413, 'payload_too_large', 'A request may have 1 MiB at most.', { headers });
}

export function assertJson(request: IncomingMessage): void {
  if (/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')) return;
  throw new Rejection(415, 'unsupported_media_type', 'The request needs Content-Type: application/json.');
}

/** Refuses requests that a web page made a browser send. Their Host or Origin shows it. */
export function assertLocal({ headers: { host = '', origin } }: IncomingMessage): void {
  const isLoopback = (name: string): boolean => /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i.test(name);
  if (isLoopback(host) && (origin === undefined || isLoopback(origin.replace(/^https?:\/\//, '')))) return;
  throw new Rejection(403, 'not_loopback', 'Ask by 127.0.0.1.');
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

export type Fields = Record<string, unknown>;

export type RequestBody = ReturnType<typeof readRequest>;

/** A body's text, its fields, and a hash of the request without its key. */
export function readRequest(bytes: Uint8Array) {
  const decoded = decodeJson(bytes);
  if (decoded === undefined) throw new FieldError('body', 'must be JSON in UTF-8');
  const fields = objectAt(decoded.value, 'body');
  return { text: decoded.text, fields, hash: hashOf(fields) };
}

export function keyIn(value: unknown): string | undefined {
  return isObject(value) && typeof value.idempotency_key === 'string' ? value.idempotency_key : undefined;
}

/** Two bodies are the same request if they differ only in their key or in the order of their fields. */
function hashOf({ idempotency_key: _, ...rest }: Fields): string {
  try {
    const text = JSON.stringify(sorted(rest));
    return createHash('sha256').update(text).digest('hex');
  } catch (error) {
    if (error instanceof RangeError) throw new FieldError('body', 'is nested too deeply');
    throw error;
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([name, inner]) => [name, sorted(inner)]);
}

/** Thrown for the first field of a payload that breaks a rule of the document's tables. */
export class FieldError extends Error {
  readonly field: string;

  constructor(field: string, rule: string) {
    super(`${field} ${rule}.`);
    this.field = field;
  }
}

function objectAt(value: unknown, field: string): Fields {
  if (!isObject(value)) throw new FieldError(field, 'must be an object');
  return value;
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

export type MessagePayload = ReturnType<typeof readMessage>;

const contentLimit = 5000;

export function readMessage(fields: Fields) {
  const conversationId = filledString(fields, 'conversation_id');
  const content = requiredString(fields, 'content');
  // Counts code points, so some emoji count as two or more.
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

export type TransferPayload = ReturnType<typeof readTransfer>;

export function readTransfer(fields: Fields, derived: Derived) {
  const to = requiredString(fields, 'to_address');
  if (addressBytes(to) === undefined) throw new FieldError('to_address', 'must be 32 bytes in base58');
  const name = filledString(fields, 'asset');
  const asset = assetNamed(name, derived);
  const quoted = JSON.stringify(name.slice(0, 64));
  if (asset === undefined)
    throw new FieldError('asset', `must be "SOL" or name a token; ${quoted} names none`);
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
