import type { IncomingMessage } from 'node:http';
import { type Fault, isObject } from './faults.ts';
import { invalidParams, methods, type Node, nodeOf, RpcError } from './node.ts';
import { deliver, jsonReply, type Outlet, type Reply, retryAfter, sendReply } from './reply.ts';
import { assertJson, assertLocal, decodeJson, type LoggedReply, readBody, type Service } from './request.ts';

/** Serves a call to the node: with the answer, or with the fault that a test scripted. */
export async function serveRpc(
  request: IncomingMessage,
  outlet: Outlet,
  service: Service,
): Promise<LoggedReply> {
  assertLocal(request);
  assertJson(request);
  const decoded = decodeJson(await readBody(request));
  if (decoded === undefined) {
    const reply = jsonReply(toJson(failed(null, new RpcError(-32700, 'Parse error'))));
    return { status: sendReply(reply, outlet), reason: 'Parse error' };
  }
  const call = isObject(decoded.value) ? decoded.value : {};
  const node = nodeOf(service);
  const fault = service.ledger.takeFault({ method: call.method });
  const reply = replyTo(call, node, fault);
  const reason = typeof call.method === 'string' ? call.method : '';
  if (fault === undefined) return { status: sendReply(reply, outlet), reason };
  return { status: await deliver(fault, reply, outlet), reason: `${reason} fault: ${fault.kind}` };
}

/** The answer or, for a scripted status that is not 2xx, the error that a node would send. */
function replyTo(call: Record<string, unknown>, node: Node, fault: Fault | undefined): Reply {
  const { status = 200 } = fault ?? {};
  if (status >= 200 && status <= 299) return jsonReply(toJson(answer(call, node, fault)));
  const error = failed(idOf(call), new RpcError(status, 'A scripted fault.'));
  const reply = jsonReply(toJson(error), status);
  const after = status === 429 ? retryAfter(1000, node.readings.retry_after, node.nowMs) : undefined;
  return after === undefined ? reply : { ...reply, headers: [...reply.headers, ['Retry-After', after]] };
}

function answer(call: Record<string, unknown>, node: Node, fault: Fault | undefined): object {
  const { method, params = [] } = call;
  const id = idOf(call);
  try {
    if (typeof method !== 'string' || !Array.isArray(params)) throw new RpcError(-32600, 'Invalid request');
    const run = Object.hasOwn(methods, method) ? methods[method] : undefined;
    if (run === undefined)
      throw new RpcError(-32601, `Method not found; known are ${Object.keys(methods).join(', ')}`);
    if (fault?.kind === 'rpc-error')
      throw new RpcError(fault.code ?? 0, fault.message ?? 'A scripted fault.', fault.data);
    const result = run(params, node);
    return { jsonrpc: '2.0', id, result: fault?.kind === 'twist' ? twisted(result, fault) : result };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return failed(id, error);
  }
}

function failed(id: unknown, { code, message, data }: RpcError): object {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } };
}

function idOf({ id }: Record<string, unknown>): string | number | null {
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

/**
 * The result with one value replaced. `path` is a list of names and indexes separated by dots; '' is the whole result.
 */
function twisted(result: unknown, { path = '', value = null }: Fault): unknown {
  return path === '' ? value : withChanged(result, path.split('.'), value);
}

function withChanged(inner: unknown, [name = '', ...rest]: string[], value: unknown): unknown {
  if (typeof inner !== 'object' || inner === null)
    throw invalidParams(`nothing is called ${name} in a result to be twisted`);
  const copy = (Array.isArray(inner) ? [...inner] : { ...inner }) as Record<string, unknown>;
  copy[name] = rest.length === 0 ? value : withChanged(copy[name], rest, value);
  return copy;
}

/** JSON with u64 as bare digits, which JSON.stringify cannot write for a bigint. */
function toJson(value: unknown): string {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return `[${value.map(toJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return `{${fields.map(([name, inner]) => `${JSON.stringify(name)}:${toJson(inner)}`).join(',')}}`;
}
