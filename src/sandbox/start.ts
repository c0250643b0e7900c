import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Chain, loadChain } from './chain.ts';
import { isOwnPath, readingsOf, serveOwn } from './control.ts';
import type { Operation } from './faults.ts';
import { type Balance, balancesOf, deriveFrom, fillFresh } from './money.ts';
import { serveOperation } from './operate.ts';
import { defaultReadings, type Readings } from './readings.ts';
import { type Outlet, type Reply, rejection, rejectionReply, send } from './reply.ts';
import {
  type Fate,
  fateOf,
  type LoggedReply,
  notAllowed,
  type RequestLog,
  reject,
  type Service,
} from './request.ts';
import { type Database, isBusy, lockWaitMs, openDatabase } from './store/database.ts';
import { FactStore, Ledger } from './store/ledger.ts';

export type SandboxSettings = {
  dataDir: string;
  /** 0 means any free port. */
  port: number;
  /** The preferred port if `port` is 0 and this one is free. */
  steadyPort?: number;
  onRequest?: (logged: RequestLog) => void;
  /** How long a client may take to send its request. */
  requestTimeoutMs?: number;
  nowMs?: () => number;
  randomBytes?: (count: number) => Buffer;
  lockWaitMs?: number;
  loadChain?: () => Chain;
};

export type RunningSandbox = {
  baseUrl: string;
  tokens: { full: string; no_send: string; no_wallet: string };
  conversations: string[];
  wallet: { address: string; balances: Balance[] };
  node: NodeFacts;
  /** Settings in the data folder that the user may have forgotten, a sentence each. */
  notes: string[];
  close(): Promise<void>;
};

/** The Bot API on a loopback port, over a data folder that other processes may serve too. */
export async function startSandbox(settings: SandboxSettings): Promise<RunningSandbox> {
  const random = settings.randomBytes ?? randomBytes;
  const nowMs = settings.nowMs ?? Date.now;
  const ledger = new Ledger(
    openDatabase(settings.dataDir, settings.lockWaitMs ?? lockWaitMs, (fresh) => initialise(fresh, random)),
  );
  const derived = deriveFrom(ledger.facts.get('secret') ?? '');
  const service: Service = {
    ledger,
    derived,
    readings: () => readingsOf(ledger),
    nowMs,
    requestId: () => `req_${random(10).toString('hex')}`,
    loadChain: settings.loadChain ?? loadChain,
  };
  const closing = new AbortController();
  const underway = new Set<Promise<void>>();
  const fate = fateOf(ledger);
  const site = {
    service,
    fate,
    closing: closing.signal,
    underway,
    requestTimeoutMs: settings.requestTimeoutMs ?? 30_000,
    onRequest: (logged: Omit<RequestLog, 'at'>) => settings.onRequest?.({ at: new Date(nowMs()), ...logged }),
  };
  const server = createSite(site);
  const listener = await listenSteadily(server, settings).catch((error: unknown) => {
    ledger.close();
    throw error;
  });
  return {
    baseUrl: `http://127.0.0.1:${listener.port}`,
    tokens: derived.tokens,
    conversations: ledger.conversations.list(),
    wallet: { address: derived.wallet.address, balances: balancesOf(ledger, derived.wallet.address) },
    node: nodeFacts(`http://127.0.0.1:${listener.port}`, service),
    notes: [...folderNotes(settings.dataDir), ...notesOf(ledger)],
    close: async () => {
      closing.abort();
      await listener.stop();
      await Promise.allSettled(underway);
      ledger.close();
    },
  };
}

const othersMayWrite = 0o022;
const onlyTheirOwn = 0o1000;

/** Notes about an existing folder, which is left as it is. */
function folderNotes(folder: string): string[] {
  const { mode } = statSync(folder);
  const isOpen = process.platform !== 'win32' && (mode & othersMayWrite) !== 0 && (mode & onlyTheirOwn) === 0;
  return isOpen ? [`Other users can change what is in ${folder} (mode ${(mode & 0o777).toString(8)}).`] : [];
}

function notesOf(ledger: Ledger): string[] {
  const changed = Object.entries(readingsOf(ledger)).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(defaultReadings[name as keyof Readings]),
  );
  const notes = changed.map(([name, value]) => `The reading ${name} is set to ${JSON.stringify(value)}.`);
  const waiting = ledger.faults.list().length;
  if (waiting > 0) notes.push(`Scripted faults are waiting: ${waiting}.`);
  return notes;
}

type Listener = { port: number; stop(): Promise<void> };

const closingGraceMs = 5_000;

/** Takes the preferred port if any would do and it is free, otherwise the requested one. */
async function listenSteadily(server: Server, { port, steadyPort = 0 }: SandboxSettings): Promise<Listener> {
  if (port !== 0 || steadyPort === 0) return listen(server, port);
  try {
    return await listen(server, steadyPort);
  } catch {
    return listen(server, port);
  }
}

/** Loopback only: other machines cannot connect. */
async function listen(server: Server, port: number): Promise<Listener> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
  return { port: (server.address() as AddressInfo).port, stop: () => stop(server, sockets) };
}

/** Finishes requests in flight. A client that is silent or never ends is dropped after a while. */
function stop(server: Server, sockets: Set<Socket>): Promise<void> {
  return new Promise((resolve) => {
    // Not closeAllConnections, which forgets connections that have left HTTP.
    const grace = setTimeout(() => {
      for (const socket of sockets) socket.destroy();
    }, closingGraceMs);
    server.close(() => {
      clearTimeout(grace);
      resolve();
    });
    server.closeIdleConnections();
  });
}

/** What a client must know about the chain to use the node at /rpc: everything that a profile would say. */
type NodeFacts = {
  rpcUrl: string;
  genesisHash: string;
  wallet: string;
  /** Each token's mint, by symbol. */
  assets: Readonly<Record<string, string>>;
};

function nodeFacts(baseUrl: string, { ledger, derived }: Pick<Service, 'ledger' | 'derived'>): NodeFacts {
  const mints = ledger.accounts.assets().map(({ symbol, mint }) => [symbol, mint] as const);
  return {
    rpcUrl: `${baseUrl}/rpc`,
    genesisHash: derived.genesisHash,
    wallet: derived.wallet.address,
    assets: Object.fromEntries(mints),
  };
}

/** A new folder gets a secret, from which all its identities derive. */
function initialise(db: Database, random: (count: number) => Buffer): void {
  const secret = random(32).toString('hex');
  new FactStore(db).put('secret', secret);
  const ledger = new Ledger(db);
  fillFresh(ledger, deriveFrom(secret));
}

type Site = {
  service: Service;
  fate: Fate;
  closing: AbortSignal;
  /** Requests still at work, whether or not their clients are waiting. */
  underway: Set<Promise<void>>;
  requestTimeoutMs: number;
  onRequest: (logged: Omit<RequestLog, 'at'>) => void;
};

const operationPaths: Record<string, Operation> = {
  '/api/bot/v1/messages/send': 'message',
  '/api/bot/v1/wallet/transfers': 'transfer',
};

function createSite(site: Site): Server {
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

async function answer(request: IncomingMessage, response: ServerResponse, site: Site): Promise<void> {
  const outlet: Outlet = { response, closing: site.closing };
  response.on('error', () => undefined);
  const path = (request.url ?? '/').split('?')[0] ?? '/';
  const operation = operationPaths[path] ?? (path.split('/')[1] || 'none');
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
  if (isOwnPath(path)) return serveOwn(path, request, outlet, service, fate);
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
