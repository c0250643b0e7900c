import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from './faults.ts';
import type { KeptReply } from './ledger.ts';
import type { Readings } from './readings.ts';
import type { Rejection } from './rejection.ts';

export type Reply = { status: number; headers: [string, string][]; body: Buffer };

export function successReply({ status, contentType, body }: KeptReply): Reply {
  return { status, headers: [['Content-Type', contentType]], body: Buffer.from(body, 'utf8') };
}

export function jsonReply(text: string, status = 200): Reply {
  return { status, headers: [['Content-Type', 'application/json']], body: Buffer.from(text, 'utf8') };
}

export type ReplyContext = { readings: Readings; requestId: string; nowMs: number };

export function rejectionReply(rejected: Rejection, context: ReplyContext): Reply {
  const { readings } = context;
  const { contentType, text } = errorBody(rejected, readings.error_body, context.requestId);
  const headers: [string, string][] = [...(rejected.more.headers ?? [])];
  if (text !== '') headers.push(['Content-Type', readings.content_type ?? contentType]);
  const after = retryAfter(rejected.more.retryAfterMs, readings.retry_after, context.nowMs);
  if (after !== undefined) headers.push(['Retry-After', after]);
  return { status: rejected.status, headers, body: Buffer.from(text, 'utf8') };
}

function errorBody(
  rejected: Rejection,
  shape: Readings['error_body'],
  requestId: string,
): { contentType: string; text: string } {
  const { code, message } = rejected;
  const { field } = rejected.more;
  switch (shape) {
    case 'nested':
      return json({ error: { code, message, field }, request_id: requestId });
    case 'flat':
      return json({ error: code, message, field, request_id: requestId });
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
  const safe = message.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  return `<!doctype html><html><head><title>${status}</title></head><body><h1>${status}</h1><p>${safe}</p></body></html>\n`;
}

export function retryAfter(
  waitMs: number | undefined,
  form: Readings['retry_after'],
  nowMs: number,
): string | undefined {
  if (waitMs === undefined || form === 'none') return undefined;
  // Both forms count whole seconds. Rounding down would bring the client back too early.
  const waitS = Math.ceil(waitMs / 1000);
  return form === 'seconds' ? String(waitS) : new Date(Math.ceil(nowMs / 1000 + waitS) * 1000).toUTCString();
}

/** The status sent, or 0 if no reply was sent. */
type Delivered = number;

/** The response, and the signal that ends all waiting when the sandbox closes. */
export type Outlet = { response: ServerResponse; closing: AbortSignal };

/** Replies to repeat, each on its connection, just before the next reply. */
const saidAgain = new WeakMap<Socket, Buffer>();

export function sendReply(reply: Reply, { response, closing }: Outlet): Delivered {
  if (response.destroyed) return 0;
  const again = response.socket === null ? undefined : saidAgain.get(response.socket);
  if (response.socket !== null && again !== undefined) {
    saidAgain.delete(response.socket);
    response.socket.write(again);
  }
  response.statusCode = reply.status;
  for (const [name, value] of reply.headers) response.setHeader(name, value);
  if (!isBodiless(reply.status)) response.setHeader('Content-Length', reply.body.length);
  if (closing.aborted) response.setHeader('Connection', 'close');
  response.end(isBodiless(reply.status) ? undefined : reply.body);
  return reply.status;
}

/** Applies a fault to a reply. A `stall` ends by itself or with the client. */
export async function deliver(fault: Fault, reply: Reply, outlet: Outlet): Promise<Delivered> {
  const { socket } = outlet.response;
  if (socket === null) return 0;
  switch (fault.kind) {
    case 'pass':
    case 'rpc-error':
    case 'twist':
      return sendReply(reply, outlet);
    case 'drop':
      socket.destroy();
      return 0;
    case 'reset':
      socket.resetAndDestroy();
      return 0;
    case 'stall':
      await stall(fault, outlet);
      return socket.destroyed ? 0 : sendReply(reply, outlet);
    case 'drip':
      return drip(reply, fault.ms ?? 20, socket, outlet);
    case 'cut':
      return cut(reply, fault.at ?? 1, socket);
    case 'garbage':
      socket.end(Buffer.from('\u0000\u0001garbage, not HTTP\r\n\r\n\u00ff', 'latin1'));
      return 0;
    case 'twice': {
      const status = sendReply(reply, outlet);
      const headers: [string, string][] = [...framed(reply), ['Connection', 'keep-alive']];
      saidAgain.set(socket, Buffer.concat([head(reply.status, undefined, headers), reply.body]));
      return status;
    }
    case 'reply':
      socket.end(scripted(fault, reply));
      return fault.status ?? 0;
  }
}

/** Applies a fault before the effect. Returns whether the request continues: some faults only delay it. */
export async function passes(fault: Fault, outlet: Outlet): Promise<boolean> {
  if (fault.kind === 'pass') return true;
  if (fault.kind !== 'stall' || typeof fault.ms !== 'number') return false;
  await stall(fault, outlet);
  return true;
}

/** Without `ms`, a stall lasts until the client leaves or the sandbox closes. */
async function stall({ ms }: Fault, { response, closing }: Outlet): Promise<void> {
  if (typeof ms === 'number') {
    await sleep(ms, undefined, { signal: closing }).catch(() => undefined);
    return;
  }
  await new Promise<void>((resolve) => {
    const end = (): void => {
      response.socket?.destroy();
      resolve();
    };
    if (closing.aborted || response.destroyed) end();
    closing.addEventListener('abort', end, { once: true });
    response.once('close', end);
  });
}

async function drip(reply: Reply, everyMs: number, socket: Socket, { closing }: Outlet): Promise<Delivered> {
  socket.setNoDelay(true);
  socket.write(head(reply.status, undefined, framed(reply)));
  const body = isBodiless(reply.status) ? Buffer.alloc(0) : reply.body;
  for (let at = 0; at < body.length && !socket.destroyed; at += 1) {
    socket.write(body.subarray(at, at + 1));
    await sleep(everyMs, undefined, { signal: closing }).catch(() => undefined);
  }
  socket.end();
  return reply.status;
}

function cut(reply: Reply, at: number, socket: Socket): Delivered {
  const body = isBodiless(reply.status) ? Buffer.alloc(0) : reply.body.subarray(0, at);
  socket.end(Buffer.concat([head(reply.status, undefined, framed(reply)), body]));
  return reply.status;
}

function scripted(script: Fault, own: Reply): Buffer {
  const { status = own.status } = script;
  const body = scriptedBody(script) ?? own.body;
  const scripted = Array.isArray(script.headers) ? script.headers : Object.entries(script.headers ?? {});
  const has = (name: string): boolean => scripted.some(([other]) => other.toLowerCase() === name);
  const headers = [...scripted, ...own.headers.filter(([name]) => !has(name.toLowerCase()))];
  const isFramed = has('content-length') || has('transfer-encoding');
  const all = isFramed ? headers : framed({ status, headers, body });
  return Buffer.concat([head(status, script.reason, all), isBodiless(status) ? Buffer.alloc(0) : body]);
}

function scriptedBody({ body, body_base64 }: Fault): Buffer | undefined {
  if (body !== undefined) return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body), 'utf8');
  return body_base64 === undefined ? undefined : Buffer.from(body_base64, 'base64');
}

/** Whether HTTP sends this status without a body or a length. */
function isBodiless(status: number): boolean {
  return status < 200 || status === 204 || status === 304;
}

function framed({ status, headers, body }: Reply): [string, string][] {
  return isBodiless(status) ? headers : [...headers, ['Content-Length', String(body.length)]];
}

/** The head of a reply, written by hand: node:http would refuse most of what a fault must send. */
function head(status: number, reason: string | undefined, headers: [string, string][]): Buffer {
  const said = headers.some(([name]) => name.toLowerCase() === 'connection');
  const all = said ? headers : [...headers, ['Connection', 'close']];
  const lines = all.map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(
    `HTTP/1.1 ${status} ${reason ?? STATUS_CODES[status] ?? 'Unknown'}\r\n${lines.join('')}\r\n`,
    'latin1',
  );
}
