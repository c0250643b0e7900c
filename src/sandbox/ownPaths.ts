import type { IncomingMessage } from 'node:http';
import { control } from './control.ts';
import { type Outlet, send } from './delivery.ts';
import type { Fate } from './fate.ts';
import { isForeign } from './foreign.ts';
import type { LivePages } from './page/live.ts';
import { pagePaths, servePage } from './page/servePage.ts';
import { type LoggedReply, notAllowed, reject } from './reject.ts';
import { type Rejection, type Reply, rejection } from './reply.ts';
import { readBody } from './requestBody.ts';
import { decodeJson, isJson } from './requestJson.ts';
import { serveRpc } from './rpc/serveRpc.ts';
import type { Service } from './service.ts';

export function isOwnPath(path: string): boolean {
  return path === '/rpc' || pagePaths.includes(path) || path === '/control' || path.startsWith('/control/');
}

/** The sandbox's own paths, apart from the Bot API: control, Solana RPC, the page. */
export async function serveOwn(
  path: string,
  request: IncomingMessage,
  outlet: Outlet,
  service: Service,
  { fate, live }: { fate: Fate; live: LivePages },
): Promise<LoggedReply> {
  const method = request.method ?? '';
  if (isForeign(request))
    return reject(rejection(403, 'not_loopback', 'Ask by 127.0.0.1.'), request, outlet, service);
  if (pagePaths.includes(path)) {
    if (method !== 'GET' && method !== 'HEAD') return reject(notAllowed('GET'), request, outlet, service);
    return { status: servePage(path, outlet, service, live) };
  }
  if (path === '/rpc' && method !== 'POST') return reject(notAllowed('POST'), request, outlet, service);
  if (path === '/rpc' && isJson(request.headers['content-type']))
    return serveRpc(request, outlet, service, fate);
  const body = await jsonBody(request);
  if (body.kind === 'rejected') return reject(body.rejection, request, outlet, service);
  const query = new URLSearchParams((request.url ?? '').split('?')[1] ?? '');
  const { status, body: said } = control({ method, path, query, body: body.value }, service);
  return { status: send(jsonReply(status, JSON.stringify(said)), outlet) };
}

type JsonBody = { kind: 'value'; value: unknown } | { kind: 'rejected'; rejection: Rejection };

async function jsonBody(request: IncomingMessage): Promise<JsonBody> {
  const rejected = (status: number, code: string, message: string): JsonBody => ({
    kind: 'rejected',
    rejection: rejection(status, code, message),
  });
  const body = await readBody(request);
  if (body.kind === 'broken-off') return rejected(400, 'broken_off', 'The body broke off.');
  if (body.kind === 'too-large')
    return rejected(413, 'payload_too_large', 'A request may have 1 MiB at most.');
  if (body.bytes.length === 0) return { kind: 'value', value: undefined };
  // Only a request that a browser asks leave for may say this of itself.
  if (!isJson(request.headers['content-type'])) {
    return rejected(415, 'unsupported_media_type', 'The request needs Content-Type: application/json.');
  }
  const decoded = decodeJson(body.bytes);
  if (decoded === undefined) return rejected(400, 'invalid_json', 'The body must be JSON in UTF-8.');
  return { kind: 'value', value: decoded.value };
}

function jsonReply(status: number, text: string): Reply {
  return { status, headers: [['Content-Type', 'application/json']], body: Buffer.from(text, 'utf8') };
}
