import type { Fault } from '../faults.ts';
import { toJson } from './json.ts';
import { methods } from './methods.ts';
import type { Node } from './node.ts';
import { RpcError } from './rpcError.ts';
import { twisted } from './twist.ts';

const callsAtMost = 100;

/** Solana JSON-RPC, as much as a client needs to confirm a transfer and see what it moved. */
export function answerRpc(body: unknown, node: Node, fault: Fault | undefined): string {
  if (!Array.isArray(body)) return toJson(answerCall(body, node, fault));
  if (body.length === 0 || body.length > callsAtMost)
    return toJson(failed(null, new RpcError(-32600, `Invalid request: 1 to ${callsAtMost} calls`)));
  return toJson(body.map((call) => answerCall(call, node, fault)));
}

/** What the bytes of a request were, where they are no JSON. */
export function answerUnreadable(): string {
  return toJson(failed(null, new RpcError(-32700, 'Parse error')));
}

/** A whole answer under an HTTP status that is no success. */
export function answerStatus(body: unknown, status: number, message: string): string {
  return toJson(failed(Array.isArray(body) ? null : idOf(body), new RpcError(status, message)));
}

/** The methods that a request calls, for the faults that are meant for one. */
export function methodsIn(body: unknown): string[] {
  const calls = Array.isArray(body) ? body.slice(0, callsAtMost) : [body];
  return calls.flatMap((call) => {
    const { method } = asCall(call);
    return typeof method === 'string' ? [method] : [];
  });
}

function answerCall(call: unknown, node: Node, fault: Fault | undefined): object {
  return answerWith(methods, call, fault, (run, params) => run(params, node));
}

/** One call's answer, out of a table of methods: what it gives, or why it cannot. */
export function answerWith<Run>(
  table: Readonly<Record<string, Run>>,
  call: unknown,
  fault: Fault | undefined,
  resultOf: (run: Run, params: unknown[]) => unknown,
): object {
  const { method, params = [] } = asCall(call);
  const id = idOf(call);
  try {
    if (typeof method !== 'string' || !Array.isArray(params)) throw new RpcError(-32600, 'Invalid request');
    const run = Object.hasOwn(table, method) ? table[method] : undefined;
    if (run === undefined)
      throw new RpcError(-32601, `Method not found; there is ${Object.keys(table).join(', ')}`);
    const met = fault?.method === undefined || fault.method === method ? fault : undefined;
    if (met?.kind === 'rpc-error') throw new RpcError(met.code, met.message, met.data);
    const result = resultOf(run, params);
    return { jsonrpc: '2.0', id, result: met?.kind === 'twist' ? twisted(result, met) : result };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return failed(id, error);
  }
}

function failed(id: unknown, { code, message, data }: RpcError): object {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } };
}

function idOf(call: unknown): string | number | null {
  const { id } = asCall(call);
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

function asCall(call: unknown): Record<string, unknown> {
  return typeof call === 'object' && call !== null ? (call as Record<string, unknown>) : {};
}
