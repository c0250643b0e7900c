import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { isOwnPath, serveOwn } from './control.ts';
import type { Operation } from './faults.ts';
import { serveOperation } from './operate.ts';
import type { LivePages } from './page/view.ts';
import { defaultReadings } from './readings.ts';
import { type Outlet, type Reply, rejection, rejectionReply, send } from './reply.ts';
import { type Fate, type LoggedReply, notAllowed, type RequestLog, reject, type Service } from './request.ts';
import type { WebsocketHub } from './rpc/subscriptions.ts';
import { isBusy } from './store/database.ts';

type Site = {
  service: Service;
  fate: Fate;
  closing: AbortSignal;
  /** Requests still at work, whether or not their clients are waiting. */
  underway: Set<Promise<void>>;
  requestTimeoutMs: number;
  onRequest: (logged: Omit<RequestLog, 'at'>) => void;
  websockets: WebsocketHub;
  live: LivePages;
};

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
    const answering = answer(request, response, site);
    site.underway.add(answering);
    void answering.finally(() => site.underway.delete(answering));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const rejected = rejectUnparsed(error, socket);
    if (rejected !== undefined) site.onRequest({ operation: 'none', ...rejected });
  });
  server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    takeUpgrade(request, stream, head, site);
  });
  // Without a listener, Node would cut off a CONNECT without a reply.
  server.on('connect', (_: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => undefined);
    // Unread bytes would hide that the client has ended, and the connection would never close.
    socket.resume();
    socket.end('HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    site.onRequest({ operation: 'none', status: 405, reason: 'method_not_allowed' });
  });
  return server;
}

/** The port after the service's own, where @solana/web3.js 1 expects the websocket. It serves nothing else. */
export function createWebsocketSite(site: Site): Server {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(426, { Upgrade: 'websocket', 'Content-Length': 0 }).end();
  });
  server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    takeUpgrade(request, stream, head, site);
  });
  return server;
}

function takeUpgrade(request: IncomingMessage, stream: Duplex, head: Buffer, site: Site): void {
  site.websockets.take(request, stream, head).catch(() => stream.destroy());
}

async function answer(request: IncomingMessage, response: ServerResponse, site: Site): Promise<void> {
  const outlet: Outlet = { response, closing: site.closing };
  response.on('error', () => undefined);
  const path = (request.url ?? '/').split('?')[0] ?? '/';
  const operation = operationPaths[path] ?? (path.split('/')[1] || 'page');
  try {
    const logged = await route(path, request, outlet, site);
    site.onRequest({ operation, ...logged });
  } catch (error) {
    const status = response.headersSent ? 0 : send(failure(error, site.service), outlet);
    site.onRequest({ operation, status, reason: error instanceof Error ? error.message : String(error) });
  }
}

/** Uses default readings and nothing from the folder: the folder may be what failed. */
function failure(error: unknown, { requestId, nowMs }: Service): Reply {
  const rejected = isBusy(error)
    ? rejection(503, 'busy', 'The data folder is busy.')
    : rejection(500, 'internal', 'The sandbox failed; this is a bug.');
  return rejectionReply(rejected, { readings: defaultReadings, requestId: requestId(), nowMs: nowMs() });
}

async function route(
  path: string,
  request: IncomingMessage,
  outlet: Outlet,
  site: Site,
): Promise<LoggedReply> {
  const { service, fate } = site;
  const operation = operationPaths[path];
  if (operation !== undefined) {
    if (request.method !== 'POST') return reject(notAllowed('POST'), request, outlet, service);
    return serveOperation(operation, request, outlet, service, fate);
  }
  if (isOwnPath(path)) return serveOwn(path, request, outlet, service, site);
  return reject(rejection(404, 'not_found', 'There is no such path.'), request, outlet, service);
}

const unparsed: Record<string, [number, string]> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout'],
};

type Unparsed = { status: number; reason: string };

/** Answers bytes that are not HTTP, or a request that never ends. */
function rejectUnparsed(error: NodeJS.ErrnoException, socket: Socket): Unparsed | undefined {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return undefined;
  }
  const [status, name] = unparsed[error.code ?? ''] ?? [400, 'Bad Request'];
  const body = JSON.stringify({ error: { code: 'invalid_http', message: name } });
  const head = `HTTP/1.1 ${status} ${name}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`;
  socket.end(head + body, () => socket.destroySoon());
  return { status, reason: name };
}
