/** A reply, read as tolerantly as the service's document is silent. */
export type ParsedReply = {
  /** The body, where it is a JSON object. */
  readonly json?: Readonly<Record<string, unknown>>;
  readonly complaint?: Complaint;
  readonly requestId?: string;
};

type RawReply = {
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
};

const requestIdHeaders = ['x-request-id', 'request-id', 'x-correlation-id', 'x-amzn-requestid', 'cf-ray'];

const maxShownCharacters = 300;

function isObject(value: unknown): value is Record<string, unknown> {
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

/** What the service says went wrong, in its own words. */
export type Complaint = { readonly code?: string; readonly message?: string };

/** As much of a text as anybody reads; never half a character. */
function shortened(text: string): string {
  // At most two UTF-16 units a character: no need to take a whole megabyte apart.
  const characters = [...text.slice(0, 2 * maxShownCharacters + 2)];
  return characters.length > maxShownCharacters
    ? `${characters.slice(0, maxShownCharacters).join('')}…`
    : text;
}

function shown(value: unknown): string | undefined {
  const text = nonEmpty(value);
  return text === undefined ? undefined : shortened(text);
}

function complaintFrom(code: unknown, message: unknown): Complaint | undefined {
  const shownCode = typeof code === 'number' ? String(code) : shown(code);
  const shownMessage = shown(message);
  if (shownCode === undefined && shownMessage === undefined) return undefined;
  return {
    ...(shownCode === undefined ? {} : { code: shownCode }),
    ...(shownMessage === undefined ? {} : { message: shownMessage }),
  };
}

function complaintIn(json: Record<string, unknown>): Complaint | undefined {
  const { error } = json;
  if (isObject(error)) return complaintFrom(error.code, error.message ?? error.detail);
  if (nonEmpty(error) !== undefined) return complaintFrom(json.code, json.message ?? error);
  return complaintFrom(json.code, nonEmpty(json.message) ?? json.detail ?? json.title);
}

/** The text of a body that is no JSON object; of a page, its title or what a browser would show. */
function complaintInText(body: Uint8Array): Complaint | undefined {
  const text = new TextDecoder().decode(body.subarray(0, 16 * 1024));
  const title = /<title[^>]*>([^<]*)<\/title>/iu.exec(text)?.[1] ?? '';
  const plain = title.trim() === '' ? text.replace(/<[^>]*>/gu, ' ') : title;
  const line = plain.replace(/\s+/gu, ' ').trim();
  return line === '' ? undefined : { message: shortened(line) };
}

export function readReply({ body, headers }: RawReply): ParsedReply {
  const json = parse(body);
  const complaint = json === undefined ? complaintInText(body) : complaintIn(json);
  const nested = json !== undefined && isObject(json.error) ? nonEmpty(json.error.request_id) : undefined;
  const fromHeader = requestIdHeaders.map((name) => nonEmpty(headers[name])).find((id) => id !== undefined);
  const requestId = nonEmpty(json?.request_id) ?? nested ?? fromHeader;
  return {
    ...(json === undefined ? {} : { json }),
    ...(complaint === undefined ? {} : { complaint }),
    // A NUL would end the text wherever it is kept; the reply's own bytes stay beside it.
    ...(requestId === undefined ? {} : { requestId: requestId.replaceAll('\0', '\ufffd') }),
  };
}

/** How long the service asks to be left alone, from Retry-After (seconds or a date) or a rate limit's reset. */
export function retryAfterMs(headers: Readonly<Record<string, string>>, nowMs: number): number | undefined {
  const waitMs = requestedWaitMs(headers, nowMs);
  return waitMs === undefined ? undefined : Math.min(waitMs, longestMs);
}

// Far beyond any wait, and still a date.
const longestMs = 10 * 365 * 24 * 3600 * 1000;

const seconds = /^\d+(\.\d+)?$/u;

// Date.parse takes nearly anything for a date: "-5" and "3, 7" too.
const date = /^([A-Z][a-z]{2,8},? |\d{4}-\d\d-\d\dT)/u;

function requestedWaitMs(headers: Readonly<Record<string, string>>, nowMs: number): number | undefined {
  const value = headers['retry-after']?.trim() ?? '';
  if (value === '') return resetMs(headers, nowMs);
  // A header given twice arrives as one text: the longest wait satisfies both.
  const waits = value.split(/\s*,\s*/u);
  if (waits.every((wait) => seconds.test(wait))) return Math.ceil(Math.max(...waits.map(Number)) * 1000);
  const dateMs = date.test(value) ? Date.parse(value) : Number.NaN;
  // The service's own clock, where it shows it: ours may be wrong.
  if (!Number.isNaN(dateMs)) return Math.max(0, dateMs - (serverNow(headers) ?? nowMs));
  return resetMs(headers, nowMs);
}

function serverNow(headers: Readonly<Record<string, string>>): number | undefined {
  const dateMs = date.test(headers.date ?? '') ? Date.parse(headers.date ?? '') : Number.NaN;
  return Number.isNaN(dateMs) ? undefined : dateMs;
}

// Seconds from now, or a time since 1970 in seconds or milliseconds: nobody waits for thirty years.
const leastEpochSeconds = 1_000_000_000;
const leastEpochMs = 1_000_000_000_000;

function resetMs(headers: Readonly<Record<string, string>>, nowMs: number): number | undefined {
  const text = headers['x-ratelimit-reset']?.trim();
  if (text === undefined || !seconds.test(text)) return undefined;
  const reset = Number(text);
  if (reset < leastEpochSeconds) return Math.ceil(reset * 1000);
  const resetAtMs = reset < leastEpochMs ? Math.ceil(reset * 1000) : Math.ceil(reset);
  return Math.max(0, resetAtMs - (serverNow(headers) ?? nowMs));
}
