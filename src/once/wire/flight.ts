import { apiPath } from '../entry/baseUrl.ts';
import type { Kind } from '../entry/wanted.ts';
import type { Trouble } from './trouble.ts';

/** The result of one HTTP request, before it is interpreted. */
export type Flight = NoReply | Reply;

export type NoReply = {
  readonly came: 'nothing';
  /** Whether the request's headers were sent. Only then can the request have taken effect. */
  readonly headersSent: boolean;
  readonly trouble: Trouble;
  /** The server tried to change the protocol, so it answered, but not with a final reply. */
  readonly upgraded?: true;
};

export type Reply = {
  readonly came: 'reply';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** `whole` if the body ended where it should, otherwise why it did not. */
  readonly ended: 'whole' | 'broken' | 'too-long';
  /** Set only if the reply's connection could carry another request. */
  readonly socket?: ReplySocket;
};

/** The connection of a reply. After the reply is judged, exactly one call says whether another request may use it. */
interface ReplySocket {
  keep(): void;
  /** Replies may arrive for the wrong requests, so anything else that arrives on it is ignored. */
  drop(): Promise<void>;
}

/** All parts of one request. The token, which not all requests need, is revealed only while its header is written. */
export type Shipment = {
  readonly url: string;
  readonly token: { reveal(): string } | undefined;
  readonly body: Uint8Array;
};

/** A channel to the service: one request at a time, on its own connection. */
export interface Channel {
  fly(shipment: Shipment, limits: FlightLimits): Promise<Flight>;
  close(): Promise<void>;
}

export type FlightLimits = {
  readonly timeoutMs: number;
  /** Aborting it ends the attempt at once. */
  readonly cut: AbortSignal;
  /** Called when the connection is open and nothing is written yet. Returns why nothing may be sent, if so. */
  readonly lastCheck: () => Trouble | undefined;
};

const paths: Readonly<Record<Kind, string>> = {
  message: `${apiPath}/messages/send`,
  transfer: `${apiPath}/wallet/transfers`,
};

export function endpoint(serviceUrl: string, kind: Kind): string {
  return `${serviceUrl}${paths[kind]}`;
}

/** A parsed reply. The service's document says little, so parsing is tolerant. */
export type ParsedReply = ReturnType<typeof readReply>;

export type RawReply = Pick<Reply, 'body' | 'headers'>;

const requestIdHeaders = ['x-request-id', 'request-id', 'x-correlation-id', 'x-amzn-requestid', 'cf-ray'];

const maxShownCharacters = 300;

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function nonEmpty(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

// Made once: a batch reads thousands of replies a second.
const utf8 = new TextDecoder('utf-8', { fatal: true });

function parse(body: Uint8Array): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(utf8.decode(body));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What went wrong, in the service's own words. */
export type ReplyComplaint = { readonly code?: string; readonly message?: string };

/** Cuts a text to a readable length, never within a character. */
export function shortened(text: string): string {
  // A character takes at most two UTF-16 units, so a megabyte of text need not be split.
  const characters = [...text.slice(0, 2 * maxShownCharacters + 2)];
  return characters.length > maxShownCharacters
    ? `${characters.slice(0, maxShownCharacters).join('')}…`
    : text;
}

function fieldText(value: unknown): string | undefined {
  const text = nonEmpty(value);
  return text === undefined ? undefined : shortened(text);
}

function complaintFrom(code: unknown, message: unknown): ReplyComplaint | undefined {
  const shownCode = typeof code === 'number' ? String(code) : fieldText(code);
  const shownMessage = fieldText(message);
  if (shownCode === undefined && shownMessage === undefined) return undefined;
  return {
    ...(shownCode === undefined ? {} : { code: shownCode }),
    ...(shownMessage === undefined ? {} : { message: shownMessage }),
  };
}

function complaintIn(json: ReplyFields): ReplyComplaint | undefined {
  const { error, errors } = json;
  const inner = error ?? (Array.isArray(errors) ? errors[0] : undefined);
  if (isObject(inner)) return complaintFrom(inner.code ?? json.code, messageIn(inner) ?? messageIn(json));
  const message = messageIn(json);
  return complaintFrom(json.code ?? (message && inner), message ?? inner);
}

function messageIn({ message, detail, description, title }: ReplyFields): string | undefined {
  return [message, detail, description, title].map(nonEmpty).find((text) => text !== undefined);
}

/** The text of a body that is not a JSON object; for an HTML page, its title or visible text. */
function complaintInText(body: Uint8Array): ReplyComplaint | undefined {
  const text = new TextDecoder().decode(body.subarray(0, 16 * 1024));
  const title = /<title[^<>]*>([^<]*)<\/title>/iu.exec(text)?.[1] ?? '';
  const plain = title.trim() === '' ? text.replace(/<[^<>]*>/gu, ' ') : title;
  const line = plain.replace(/\s+/gu, ' ').trim();
  return line === '' ? undefined : { message: shortened(line) };
}

export function readReply({ body, headers }: RawReply) {
  const json = parse(body);
  const complaint = json === undefined ? complaintInText(body) : complaintIn(json);
  const nested = json !== undefined && isObject(json.error) ? nonEmpty(json.error.request_id) : undefined;
  const fromHeader = requestIdHeaders.map((name) => nonEmpty(headers[name])).find((id) => id !== undefined);
  const requestId = nonEmpty(json?.request_id) ?? nested ?? fromHeader;
  return {
    /** The body, if it is a JSON object. */
    ...(json === undefined ? {} : { json }),
    ...(complaint === undefined ? {} : { complaint }),
    // A NUL would end the text wherever it is stored. The reply's own bytes are kept beside it.
    ...(requestId === undefined ? {} : { requestId: requestId.replaceAll('\0', '\ufffd') }),
  };
}

/** How long the service asks to wait: Retry-After, in seconds or as a date. */
export function retryAfterMs(headers: Readonly<Record<string, string>>, nowMs: number): number | undefined {
  const waitMs = requestedWaitMs(headers, nowMs);
  return waitMs === undefined ? undefined : Math.min(waitMs, longestMs);
}

// Longer than any wait, and still a valid date.
const longestMs = 10 * 365 * 24 * 3600 * 1000;

const seconds = /^\d+(\.\d+)?$/u;

// Date.parse accepts almost anything as a date, even "-5" and "3, 7".
const date = /^([A-Z][a-z]{2,8},? |\d{4}-\d\d-\d\dT)/u;

function requestedWaitMs(headers: Readonly<Record<string, string>>, nowMs: number): number | undefined {
  const value = headers['retry-after']?.trim() ?? '';
  // A header that was sent twice arrives as one text. The longest wait satisfies both.
  const waits = value.split(/\s*,\s*/u);
  if (waits.every((wait) => seconds.test(wait))) return Math.ceil(Math.max(...waits.map(Number)) * 1000);
  const dateMs = date.test(value) ? Date.parse(value) : Number.NaN;
  // Uses the service's own clock if it sends one, because ours may be wrong.
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - (serverNow(headers) ?? nowMs));
}

function serverNow(headers: Readonly<Record<string, string>>): number | undefined {
  const dateMs = date.test(headers.date ?? '') ? Date.parse(headers.date ?? '') : Number.NaN;
  return Number.isNaN(dateMs) ? undefined : dateMs;
}

export type ReplyFields = Readonly<Record<string, unknown>>;

const stems =
  /^(?:(?:abort|cancell?|error|fail|refund|reject|revert|void)(?:ed)?|(?:decline|refuse|reverse)d?|denied|dropped|expired|failure|insufficient|invalid|timeout|unsuccessful)$/u;

/** Pairs of words that mean failure. `timeOut` is split into two words as well. */
const pairs = /^(?:timed? out|not enough|not sent)$/u;

const negations = new Set(['no', 'not', 'non', 'never']);

/** Splits at everything that is not a letter, and where camelCase begins a word. */
export function wordsOf(text: string): string[] {
  const spaced = text.replace(/(\p{Ll})(\p{Lu})|(\p{Lu})(?=\p{Lu}\p{Ll})/gu, '$1$3 $2');
  return spaced
    .toLowerCase()
    .split(/\P{L}+/u)
    .filter((word) => word !== '');
}

/** Whether a status or code means failure. `airdropped`, `not_failed` and `NO_ERROR` do not. */
function readsAsFailure(text: string): boolean {
  const words = wordsOf(text);
  return words.some((word, index) => {
    const isFailure = stems.test(word) || pairs.test(`${word} ${words[index + 1]}`);
    return isFailure && !negations.has(words[index - 1] ?? '');
  });
}

function isFailedStatus(status: unknown): boolean {
  return typeof status === 'string' ? readsAsFailure(status) : status === false || isThing(status);
}

export function isThing(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isNo(value: unknown): boolean {
  return value === false || value === 0 || (typeof value === 'string' && /^false$/iu.test(value));
}

/** "", false, 0, {} and [] are used for "no error". */
function saysNothing(value: unknown): boolean {
  if (isThing(value)) return Object.keys(value).length === 0;
  return value === undefined || value === null || value === '' || value === false || value === 0;
}

/** The fields of a reply, and those of the message or the transfer in it. */
export function bothIn(kind: Kind, json: ReplyFields): readonly ReplyFields[] {
  return [json, json[kind]].filter(isObject);
}

/** Whether a reply with a success status says in its own fields that the request failed. */
export function saysItFailed(kind: Kind, json: ReplyFields): boolean {
  return bothIn(kind, json).some(
    ({ status, error, errors, ok, success }) =>
      isFailedStatus(status) || !saysNothing(error) || !saysNothing(errors) || isNo(ok) || isNo(success),
  );
}

/** JSON's numbers beyond 2^53 lose digits, so an id that large is not the one that the service gave. */
export function hasLostDigits(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;
}

/** What a success says was done. The id of a transfer may also be a number. */
export type Result = { readonly transferId?: string; readonly signature?: string; readonly status?: unknown };

export function resultIn(kind: Kind, json: ReplyFields): Result | undefined {
  if (kind === 'message') return isObject(json.message) ? {} : undefined;
  const first = (name: string): unknown =>
    bothIn(kind, json)
      .map((fields) => fields[name])
      .find((value) => value !== undefined && value !== null && value !== '');
  const [id, signature] = [first('transfer_id'), nonEmpty(first('signature'))];
  const transferId = typeof id === 'number' && !hasLostDigits(id) ? String(id) : nonEmpty(id);
  if (transferId === undefined && signature === undefined && !hasLostDigits(id)) return undefined;
  return {
    ...(transferId === undefined ? {} : { transferId }),
    ...(signature === undefined ? {} : { signature }),
    status: first('status'),
  };
}
