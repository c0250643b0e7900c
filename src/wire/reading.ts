/** A reply, read as tolerantly as the service's document is silent. */
export type Reading = {
  /** The body, where it is a JSON object. */
  readonly json?: Readonly<Record<string, unknown>>;
  /** What the service says went wrong, in its own words. */
  readonly complaint?: { readonly code?: string; readonly message?: string };
  readonly requestId?: string;
};

export type RawReply = {
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

function parse(body: Uint8Array): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

type Complaint = { readonly code?: string; readonly message?: string };

function complaintFrom(code: unknown, message: unknown): Complaint | undefined {
  const shownCode = typeof code === 'number' ? String(code) : nonEmpty(code);
  const shownMessage = nonEmpty(message);
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
  const title = /<title[^>]*>([^<]*)<\/title>/iu.exec(text)?.[1];
  const plain = title ?? text.replace(/<[^>]*>/gu, ' ');
  const line = plain.replace(/\s+/gu, ' ').trim();
  if (line === '') return undefined;
  return { message: line.length > maxShownCharacters ? `${line.slice(0, maxShownCharacters)}…` : line };
}

export function readReply({ body, headers }: RawReply): Reading {
  const json = parse(body);
  const complaint = json === undefined ? complaintInText(body) : complaintIn(json);
  const nested = json !== undefined && isObject(json.error) ? nonEmpty(json.error.request_id) : undefined;
  const fromHeader = requestIdHeaders.map((name) => nonEmpty(headers[name])).find((id) => id !== undefined);
  const requestId = nonEmpty(json?.request_id) ?? nested ?? fromHeader;
  return {
    ...(json === undefined ? {} : { json }),
    ...(complaint === undefined ? {} : { complaint }),
    ...(requestId === undefined ? {} : { requestId }),
  };
}

/** How long the service asks to be left alone, from Retry-After (seconds or a date) or a rate limit's reset. */
export function retryAfterMs(headers: Readonly<Record<string, string>>, nowMs: number): number | undefined {
  const askedMs = askedMsOf(headers, nowMs);
  return askedMs === undefined ? undefined : Math.min(askedMs, longestMs);
}

// Far beyond any wait, and still a date.
const longestMs = 10 * 365 * 24 * 3600 * 1000;

function askedMsOf(headers: Readonly<Record<string, string>>, nowMs: number): number | undefined {
  const asked = headers['retry-after']?.trim();
  if (asked !== undefined) {
    if (/^\d+(\.\d+)?$/u.test(asked)) return Math.ceil(Number(asked) * 1000);
    const dateMs = Date.parse(asked);
    // The service's own clock, where it shows it: ours may be wrong.
    if (!Number.isNaN(dateMs)) return Math.max(0, dateMs - (serverNow(headers) ?? nowMs));
  }
  return resetMs(headers, nowMs);
}

function serverNow(headers: Readonly<Record<string, string>>): number | undefined {
  const dateMs = Date.parse(headers.date ?? '');
  return Number.isNaN(dateMs) ? undefined : dateMs;
}

// Seconds from now, or a time since 1970: nobody waits for thirty years.
const leastEpochSeconds = 1_000_000_000;

function resetMs(headers: Readonly<Record<string, string>>, nowMs: number): number | undefined {
  const reset = headers['x-ratelimit-reset']?.trim();
  if (reset === undefined || !/^\d+(\.\d+)?$/u.test(reset)) return undefined;
  const seconds = Number(reset);
  if (seconds < leastEpochSeconds) return Math.ceil(seconds * 1000);
  return Math.max(0, Math.ceil(seconds * 1000) - (serverNow(headers) ?? nowMs));
}
