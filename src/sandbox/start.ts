import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isBusy } from '../machine/fileLock.ts';
import { loadChain, type SandboxChain } from './chain.ts';
import { serveControl } from './control.ts';
import { type Database, lockWaitMs, openDatabase } from './database.ts';
import type { Operation } from './faults.ts';
import { Ledger } from './ledger.ts';
import { balancesOf, deriveFrom, fillFresh } from './money.ts';
import { serveOperation } from './operate.ts';
import { defaultReadings, readingsOf } from './readings.ts';
import { Rejection } from './rejection.ts';
import { type Outlet, rejectionReply, sendReply } from './reply.ts';
import type { LoggedReply, RequestLog, Service } from './request.ts';
import { serveRpc } from './rpc.ts';

export type SandboxSettings = {
  dataDir: string;
  /** 0 means any free port. */
  port: number;
  /** Used if `port` is 0 and this port is free. */
  steadyPort?: number;
  onRequest?: (logged: RequestLog) => void;
  /** How long a client may take to send its request. */
  requestTimeoutMs?: number;
  nowMs?: () => number;
  lockWaitMs?: number;
  loadChain?: () => SandboxChain;
};

export type RunningSandbox = Awaited<ReturnType<typeof startSandbox>>;

/** The Bot API on a loopback port, over a data folder that other processes may serve too. */
export async function startSandbox(settings: SandboxSettings) {
  const { dataDir, port, steadyPort = 0, nowMs = Date.now } = settings;
  const ledger = new Ledger(openDatabase(dataDir, settings.lockWaitMs ?? lockWaitMs, initialise));
  const derived = deriveFrom(ledger.fact('secret') ?? '');
  const service: Service = {
    ledger,
    derived,
    nowMs,
    requestId: () => `req_${randomBytes(10).toString('hex')}`,
    loadChain: settings.loadChain ?? loadChain,
  };
  const closing = new AbortController();
  const site: Site = {
    service,
    closing: closing.signal,
    underway: new Set(),
    requestTimeoutMs: settings.requestTimeoutMs ?? 30_000,
    onRequest: (logged) => settings.onRequest?.({ at: new Date(nowMs()), ...logged }),
  };
  const server = createSite(site);
  try {
    const wanted = port === 0 ? steadyPort : port;
    await listen(server, wanted).catch((error: unknown) => {
      if (wanted === port) throw error;
      return listen(server, 0);
    });
  } catch (error) {
    ledger.close();
    throw error;
  }
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { tokens, wallet, usdc, genesisHash } = derived;
  const { address } = wallet;
  return {
    baseUrl,
    tokens,
    conversations: ledger.conversations(),
    wallet: { address, balances: balancesOf(ledger, derived, address) },
    /** What a client needs for /rpc. `assets` maps each token's symbol to its mint. */
    node: { rpcUrl: `${baseUrl}/rpc`, genesisHash, wallet: address, assets: { [usdc.symbol]: usdc.mint } },
    close: async () => {
      closing.abort();
      await stop(server);
      await Promise.allSettled(site.underway);
      ledger.close();
    },
  };
}

/** A new folder gets a secret, from which all its identities derive. */
function initialise(db: Database): void {
  const ledger = new Ledger(db);
  const secret = randomBytes(32).toString('hex');
  ledger.putFact('secret', secret);
  ledger.putFact('slot', '0');
  ledger.putFact('slot_at_ms', String(Date.now()));
  fillFresh(ledger, deriveFrom(secret));
}

/** Listens on loopback only: other machines cannot connect. */
async function listen(server: Server, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
}

const closingGraceMs = 5_000;

/** Finishes requests in flight. After a while, drops a client that is silent or does not finish. */
function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const grace = setTimeout(() => server.closeAllConnections(), closingGraceMs);
    server.close(() => {
      clearTimeout(grace);
      resolve();
    });
    server.closeIdleConnections();
  });
}

type Site = {
  service: Service;
  closing: AbortSignal;
  /** Requests still at work, whether or not their clients are waiting. */
  underway: Set<Promise<void>>;
  requestTimeoutMs: number;
  onRequest: (logged: Omit<RequestLog, 'at'>) => void;
};

function createSite(site: Site): Server {
  const { requestTimeoutMs, underway } = site;
  const server = createServer({
    requestTimeout: requestTimeoutMs,
    headersTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.max(50, Math.min(1000, requestTimeoutMs / 4)),
    keepAliveTimeout: 30_000,
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const answering = answer(request, response, site);
    underway.add(answering);
    void answering.finally(() => underway.delete(answering));
  });
  return server;
}

const operationPaths: Record<string, Operation> = {
  '/api/bot/v1/messages/send': 'message',
  '/api/bot/v1/wallet/transfers': 'transfer',
};

async function answer(request: IncomingMessage, response: ServerResponse, site: Site): Promise<void> {
  const outlet: Outlet = { response, closing: site.closing };
  response.on('error', () => undefined);
  const path = (request.url ?? '/').split('?')[0] ?? '/';
  const operation = operationPaths[path] ?? (path.split('/')[1] || 'none');
  const logged = await route(path, request, outlet, site.service).catch((error: unknown) =>
    refuse(error, request, outlet, site.service),
  );
  const left = logged.status === 0 && logged.reason === undefined ? { reason: 'the client left' } : {};
  site.onRequest({ operation, ...logged, ...left });
}

function refuse(
  error: unknown,
  request: IncomingMessage,
  outlet: Outlet,
  { ledger, requestId, nowMs }: Service,
): LoggedReply {
  request.resume();
  const isKnown = error instanceof Rejection;
  // Read nothing from the folder if the folder may have failed.
  const readings = isKnown ? readingsOf(ledger) : defaultReadings;
  const rejected = isKnown ? error : failure(error);
  const reply = rejectionReply(rejected, { readings, requestId: requestId(), nowMs: nowMs() });
  const status = outlet.response.headersSent ? 0 : sendReply(reply, outlet);
  return { status, reason: isKnown ? error.code : String(error) };
}

/** If it is busy, other processes kept the folder locked for longer than this one waits. Nothing was done. */
function failure(error: unknown): Rejection {
  if (isBusy(error)) return new Rejection(503, 'busy', 'The data folder is busy.');
  return new Rejection(500, 'internal', 'The sandbox failed; this is a bug.');
}

async function route(
  path: string,
  request: IncomingMessage,
  outlet: Outlet,
  service: Service,
): Promise<LoggedReply> {
  const operation = operationPaths[path];
  if (path === '/control' || path.startsWith('/control/'))
    return serveControl(path, request, outlet, service);
  if (operation === undefined && path !== '/rpc')
    throw new Rejection(404, 'not_found', 'This path does not exist.');
  if (request.method !== 'POST')
    throw new Rejection(405, 'method_not_allowed', 'Use POST.', { headers: [['Allow', 'POST']] });
  if (operation === undefined) return serveRpc(request, outlet, service);
  return serveOperation(operation, request, outlet, service);
}
