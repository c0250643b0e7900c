import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { serveOperation } from './botApi.ts';
import { control } from './control.ts';
import { type Outlet, send } from './delivery.ts';
import type { Fate } from './fate.ts';
import type { Service } from './operate.ts';
import type { Operation } from './operation.ts';
import { page } from './page.ts';
import { type Refusal, type Reply, refusal, refusalReply } from './reply.ts';
import { readBody } from './requestBody.ts';
import type { RequestLine } from './requestLine.ts';
import { answerRpc } from './rpc.ts';

export type Site = {
  service: Service;
  fate: Fate;
  closing: AbortSignal;
  /** Requests whose work is not done, whether or not their client still waits. */
  flights: Set<Promise<void>>;
  requestTimeoutMs: number;
  onRequest: (line: Omit<RequestLine, 'at'>) => void;
};

type Told = Omit<RequestLine, 'at' | 'operation'>;

const operationPaths: Record<string, Operation> = {
  '/api/bot/v1/messages/send': 'message',
  '/api/bot/v1/wallet/transfers': 'transfer',
};

export function createSite(site: Site): Server {
  const { requestTimeoutMs } = site;
  const server = createServer({
    requestTimeout: requestTimeoutMs,
    headersTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.max(50, Math.min(1000, requestTimeoutMs / 4)),
    keepAliveTimeout: 30_000,
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const flight = answer(request, response, site);
    site.flights.add(flight);
    void flight.finally(() => site.flights.delete(flight));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    refuseUnparsed(error, socket, site);
  });
  return server;
}

async function answer(request: IncomingMessage, response: ServerResponse, site: Site): Promise<void> {
  const outlet: Outlet = { response, closing: site.closing };
  response.on('error', () => undefined);
  const path = (request.url ?? '/').split('?')[0] ?? '/';
  const operation = operationName(path);
  try {
    const told = await route(path, request, outlet, site);
    site.onRequest({ operation, ...told });
  } catch (error) {
    const busy = (error as { code?: unknown }).code === 'SQLITE_BUSY';
    const refused = busy
      ? refusal(503, 'busy', 'The data folder is busy.')
      : refusal(500, 'internal', 'The sandbox failed; this is a bug.');
    const status = response.headersSent ? 0 : send(render(refused, site), outlet);
    site.onRequest({ operation, status, reason: error instanceof Error ? error.message : String(error) });
  }
}

function operationName(path: string): string {
  return operationPaths[path] ?? (path.split('/')[1] || 'page');
}

async function route(path: string, request: IncomingMessage, outlet: Outlet, site: Site): Promise<Told> {
  const method = request.method ?? '';
  const operation = operationPaths[path];
  if (operation !== undefined) {
    if (method !== 'POST') return refuse(notAllowed('POST'), request, outlet, site);
    return serveOperation(operation, request, outlet, site.service, site.fate);
  }
  if (path === '/rpc' || path === '/' || path === '/control' || path.startsWith('/control/')) {
    // A page on the web can make a browser ask this machine by a name of its own; then Host gives it away.
    if (!isLoopback(request.headers.host))
      return refuse(refusal(403, 'not_loopback', 'Ask by 127.0.0.1.'), request, outlet, site);
    return serveOwn(path, request, outlet, site);
  }
  return refuse(refusal(404, 'not_found', 'There is no such path.'), request, outlet, site);
}

async function serveOwn(path: string, request: IncomingMessage, outlet: Outlet, site: Site): Promise<Told> {
  const method = request.method ?? '';
  const { ledger, identity } = site.service;
  if (path === '/') {
    if (method !== 'GET' && method !== 'HEAD') return refuse(notAllowed('GET'), request, outlet, site);
    return { status: send(page(ledger, identity), outlet) };
  }
  if (path === '/rpc' && method !== 'POST') return refuse(notAllowed('POST'), request, outlet, site);
  const body = await jsonBody(request);
  if (body.kind === 'refused') return refuse(body.refusal, request, outlet, site);
  if (path === '/rpc') return { status: send(jsonReply(200, answerRpc(body.value, site.service)), outlet) };
  const query = new URLSearchParams((request.url ?? '').split('?')[1] ?? '');
  const { status, body: said } = control({ method, path, query, body: body.value }, { ledger, identity });
  return { status: send(jsonReply(status, JSON.stringify(said)), outlet) };
}

type JsonBody = { kind: 'value'; value: unknown } | { kind: 'refused'; refusal: Refusal };

async function jsonBody(request: IncomingMessage): Promise<JsonBody> {
  const refused = (status: number, code: string, message: string): JsonBody => ({
    kind: 'refused',
    refusal: refusal(status, code, message),
  });
  const body = await readBody(request);
  if (body.kind === 'broken-off') return refused(400, 'broken_off', 'The body broke off.');
  if (body.kind === 'too-large')
    return refused(413, 'payload_too_large', 'A request may have 1 MiB at most.');
  if (body.bytes.length === 0) return { kind: 'value', value: undefined };
  // Only a request that a browser asks leave for may say this of itself.
  if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')) {
    return refused(415, 'unsupported_media_type', 'The request needs Content-Type: application/json.');
  }
  try {
    return { kind: 'value', value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body.bytes)) };
  } catch {
    return refused(400, 'invalid_json', 'The body must be JSON in UTF-8.');
  }
}

function refuse(refused: Refusal, request: IncomingMessage, outlet: Outlet, site: Site): Told {
  request.resume();
  return { status: send(render(refused, site), outlet), reason: refused.code };
}

function notAllowed(allow: string): Refusal {
  return { ...refusal(405, 'method_not_allowed', `Use ${allow}.`), headers: [['Allow', allow]] };
}

function render(refused: Refusal, { service }: Site): Reply {
  return refusalReply(refused, {
    readings: service.readings(),
    requestId: service.requestId(),
    nowMs: service.nowMs(),
  });
}

function jsonReply(status: number, text: string): Reply {
  return { status, headers: [['Content-Type', 'application/json']], body: Buffer.from(text, 'utf8') };
}

function isLoopback(host: string | undefined): boolean {
  return /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i.test(host ?? '');
}

const unparsed: Record<string, [number, string]> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout'],
};

/** What is no HTTP request at all, or one that never ends. */
function refuseUnparsed(error: NodeJS.ErrnoException, socket: Socket, site: Site): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, name] = unparsed[error.code ?? ''] ?? [400, 'Bad Request'];
  const body = JSON.stringify({ error: { code: 'invalid_http', message: name } });
  const head = `HTTP/1.1 ${status} ${name}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`;
  socket.end(head + body, () => socket.destroySoon());
  site.onRequest({ operation: 'none', status, reason: name });
}
