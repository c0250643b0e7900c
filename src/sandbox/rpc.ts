import { RpcError } from './rpcError.ts';
import { methods } from './rpcMethods.ts';
import type { Service } from './service.ts';

/** Solana JSON-RPC, as much as a client needs to confirm a transfer and see what it moved. */
export function answerRpc(body: unknown, service: Service): string {
  if (!Array.isArray(body)) return toJson(answerCall(body, service));
  return toJson(body.map((call) => answerCall(call, service)));
}

function answerCall(call: unknown, service: Service): object {
  const {
    id = null,
    method,
    params = [],
  } = (typeof call === 'object' && call !== null ? call : {}) as Record<string, unknown>;
  try {
    if (typeof method !== 'string' || !Array.isArray(params)) throw new RpcError(-32600, 'Invalid request');
    const run = Object.hasOwn(methods, method) ? methods[method] : undefined;
    if (run === undefined)
      throw new RpcError(-32601, `Method not found; there is ${Object.keys(methods).join(', ')}`);
    return { jsonrpc: '2.0', id, result: run(params, service) };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return { jsonrpc: '2.0', id, error: { code: error.code, message: error.message } };
  }
}

/** JSON with u64 as bare digits: JSON.stringify has no word for a bigint. */
function toJson(value: unknown): string {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return `[${value.map(toJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, inner]) => `${JSON.stringify(name)}:${toJson(inner)}`)
    .join(',')}}`;
}
