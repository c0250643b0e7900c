import type { Readings } from './readings.ts';
import type { KeptReply } from './store/keys.ts';

export type Reply = { status: number; headers: [string, string][]; body: Buffer };

export type Rejection = {
  kind: 'rejection';
  status: number;
  code: string;
  message: string;
  field?: string;
  retryAfterMs?: number;
  headers?: [string, string][];
};

export const rejection = (status: number, code: string, message: string): Rejection => ({
  kind: 'rejection',
  status,
  code,
  message,
});

export function successReply({ status, contentType, body }: KeptReply): Reply {
  return { status, headers: [['Content-Type', contentType]], body: Buffer.from(body, 'utf8') };
}

export type ReplyContext = { readings: Readings; requestId: string; nowMs: number };

export function rejectionReply(rejected: Rejection, context: ReplyContext): Reply {
  const { readings } = context;
  const { contentType, text } = errorBody(rejected, readings.error_body, context.requestId);
  const headers: [string, string][] = [...(rejected.headers ?? [])];
  if (text !== '') headers.push(['Content-Type', readings.content_type ?? contentType]);
  const after = retryAfter(rejected.retryAfterMs, readings.retry_after, context.nowMs);
  if (after !== undefined) headers.push(['Retry-After', after]);
  return { status: rejected.status, headers, body: Buffer.from(text, 'utf8') };
}

function errorBody(
  rejected: Rejection,
  shape: Readings['error_body'],
  requestId: string,
): { contentType: string; text: string } {
  const { code, message, field } = rejected;
  const named = field === undefined ? {} : { field };
  switch (shape) {
    case 'nested':
      return json({ error: { code, message, ...named }, request_id: requestId });
    case 'flat':
      return json({ error: code, message, ...named, request_id: requestId });
    case 'text':
      return { contentType: 'text/plain; charset=utf-8', text: message };
    case 'html':
      return { contentType: 'text/html; charset=utf-8', text: htmlError(rejected.status, message) };
    case 'empty':
      return { contentType: '', text: '' };
  }
}

const json = (value: object): { contentType: string; text: string } => ({
  contentType: 'application/json',
  text: JSON.stringify(value),
});

function htmlError(status: number, message: string): string {
  const safe = escapeHtml(message);
  return `<!doctype html><html><head><title>${status}</title></head><body><h1>${status}</h1><p>${safe}</p></body></html>\n`;
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (found) => `&#${found.charCodeAt(0)};`);
}

export function retryAfter(
  waitMs: number | undefined,
  form: Readings['retry_after'],
  nowMs: number,
): string | undefined {
  if (waitMs === undefined || form === 'none') return undefined;
  // Both forms count whole seconds: round up, or the client comes back too early.
  const waitS = Math.ceil(waitMs / 1000);
  return form === 'seconds' ? String(waitS) : new Date(Math.ceil(nowMs / 1000 + waitS) * 1000).toUTCString();
}
