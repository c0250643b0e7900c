import type { IncomingMessage } from 'node:http';
import type { Fault } from '../faults.ts';
import { rentExemption } from '../money.ts';
import { deliver, type Outlet, passes, type Reply, retryAfter, send } from '../reply.ts';
import { decodeJson, type Fate, type LoggedReply, readBody, type Service, takeFrom } from '../request.ts';
import {
  accountInfo,
  addressIn,
  commitmentOf,
  configOf,
  countIn,
  inContext,
  invalidParams,
  listIn,
  type Node,
  nodeFor,
  RpcError,
  reachedSlot,
  type Stage,
  slotAt,
  text,
  toJson,
  tokenAccountsByOwner,
  tokenBalance,
  tokenSupply,
} from './node.ts';
import { recentSlots, signaturesFor, statusesOf, transactionOf } from './transactions.ts';

/** Serves a request to the node: its fault, its rate limit, its calls. */
export async function serveRpc(
  request: IncomingMessage,
  outlet: Outlet,
  service: Service,
  fate: Fate,
): Promise<LoggedReply> {
  const early = fate.ofRpc('unread');
  if (early !== undefined && !(await passes(early, outlet)))
    return meet(early, '', standIn(early, undefined), outlet);
  const body = await readBody(request);
  if (body.kind === 'broken-off') return { status: 0, reason: 'the client left' };
  if (body.kind === 'too-large')
    return {
      status: send(jsonReply(answerStatus(null, 413, 'A request may have 1 MiB at most.'), 413), outlet),
    };
  const decoded = decodeJson(body.bytes);
  if (decoded === undefined)
    return { status: send(jsonReply(answerUnreadable()), outlet), reason: 'Parse error' };
  const call = decoded.value;
  const node = nodeFor(request.url ?? '', service);
  if ('problem' in node)
    return { status: send(jsonReply(answerStatus(call, 400, node.problem), 400), outlet) };
  const methods = methodsIn(call);
  const reason = methods.join(' ');
  const fault = fate.ofRpc(methods);
  const waitMs = takeFrom('rpc', node.readings.rpc_rate_limit, service);
  if (waitMs !== undefined) return { status: send(tooMany(call, node, waitMs), outlet), reason };
  const reply = ownReply(fault, call, node);
  if (fault === undefined) return { status: send(reply, outlet), reason };
  return meet(fault, reason, reply, outlet);
}

async function meet(fault: Fault, methods: string, reply: Reply, outlet: Outlet): Promise<LoggedReply> {
  const status = await deliver(fault, reply, outlet);
  return { status, reason: `${methods} fault: ${fault.kind}`.trimStart() };
}

/** The default body for a scripted status: the real answer for a success, a JSON-RPC error otherwise. */
function ownReply(fault: Fault | undefined, call: unknown, node: Node): Reply {
  const status = fault?.kind === 'reply' ? fault.reply.status : 200;
  if (status === 429) return tooMany(call, node, 1000);
  if (fault !== undefined && (status < 200 || status > 299)) return standIn(fault, call);
  return jsonReply(answerRpc(call, node, fault));
}

function standIn(fault: Fault, call: unknown): Reply {
  const status = fault.kind === 'reply' ? fault.reply.status : 503;
  return jsonReply(answerStatus(call, status, 'A scripted fault.'), status);
}

function tooMany(call: unknown, { readings, nowMs }: Node, waitMs: number): Reply {
  const reply = jsonReply(answerStatus(call, 429, 'Too many requests for a specific RPC call'), 429);
  const after = retryAfter(waitMs, readings.retry_after, nowMs);
  return after === undefined ? reply : { ...reply, headers: [...reply.headers, ['Retry-After', after]] };
}

function jsonReply(text: string, status = 200): Reply {
  return { status, headers: [['Content-Type', 'application/json']], body: Buffer.from(text, 'utf8') };
}

const callsAtMost = 100;

/** The part of Solana JSON-RPC that a client needs to confirm a transfer and see what it moved. */
function answerRpc(body: unknown, node: Node, fault: Fault | undefined): string {
  if (!Array.isArray(body)) return toJson(answerCall(body, node, fault));
  if (body.length === 0 || body.length > callsAtMost)
    return toJson(failed(null, new RpcError(-32600, `Invalid request: 1 to ${callsAtMost} calls`)));
  return toJson(body.map((call) => answerCall(call, node, fault)));
}

/** The answer to bytes that are not JSON. */
export function answerUnreadable(): string {
  return toJson(failed(null, new RpcError(-32700, 'Parse error')));
}

/** A complete answer with an HTTP error status. */
function answerStatus(body: unknown, status: number, message: string): string {
  return toJson(failed(Array.isArray(body) ? null : idOf(body), new RpcError(status, message)));
}

/** The methods that a request calls, to match faults meant for one method. */
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

/** Answers one call from a table of methods: with the result, or with an error. */
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

/**
 * The result with one value replaced. `path` is a list of names and indexes separated by dots; '' is the whole result.
 */
function twisted(result: unknown, { path, value }: { path: string; value: unknown }): unknown {
  return path === '' ? value : withChanged(result, path.split('.'), value);
}

function withChanged(inner: unknown, [name = '', ...rest]: string[], value: unknown): unknown {
  if (typeof inner !== 'object' || inner === null)
    throw invalidParams(`nothing is called ${name} in a result to be twisted`);
  const copy = (Array.isArray(inner) ? [...inner] : { ...inner }) as Record<string, unknown>;
  copy[name] = rest.length === 0 ? value : withChanged(copy[name], rest, value);
  return copy;
}

type Method = (params: unknown[], node: Node) => unknown;

const slotsInEpoch = 432_000;
const accountsAtMost = 100;
const accountBytesAtMost = 10 * 1024 * 1024;

/** Accounts are shown as of now at every commitment: only transactions have stages here. */
export const methods: Record<string, Method> = {
  getHealth: (_, { readings }) => {
    const numSlotsBehind = readings.node_lag_slots;
    if (numSlotsBehind === 0) return 'ok';
    throw new RpcError(-32005, `Node is behind by ${numSlotsBehind} slots`, { numSlotsBehind });
  },
  getVersion: () => ({ 'solana-core': '3.0.0', 'feature-set': 0 }),
  getGenesisHash: (_, { derived, readings }) => readings.genesis_hash ?? derived.genesisHash,
  getSlot: ([config], node) => slotFor(config, node),
  getBlockTime: ([value], { ledger }) => {
    const slot = countIn(value, 'a slot', Number.MAX_SAFE_INTEGER, -1);
    return ledger.transactions.between(slot - 1, slot)[0]?.blockTimeS ?? null;
  },
  getBlockHeight: ([config], node) => slotFor(config, node),
  getEpochInfo: ([config], node) => epochInfo(slotFor(config, node), node),
  getMinimumBalanceForRentExemption: ([bytes]) =>
    rentExemption(countIn(bytes, 'a size', accountBytesAtMost, 0)),
  getLatestBlockhash: ([config], node) =>
    inContext(configOf(config), node, (commitment) => latestBlockhash(commitment, node)),
  isBlockhashValid: ([hash, config], node) =>
    inContext(configOf(config), node, () => isRecent(text(hash, 'a blockhash'), node)),
  getBalance: ([address, config], node) =>
    inContext(configOf(config), node, () => node.ledger.accounts.get(addressIn(address))?.lamports ?? 0n),
  getAccountInfo: ([address, config], node) =>
    inContext(configOf(config), node, () => accountInfo(addressIn(address), configOf(config), node.ledger)),
  getMultipleAccounts: ([addresses, config], node) =>
    inContext(configOf(config), node, () =>
      listIn(addresses, 'addresses', accountsAtMost).map((address) =>
        accountInfo(addressIn(address), configOf(config), node.ledger),
      ),
    ),
  getTokenAccountBalance: ([address, config], node) =>
    inContext(configOf(config), node, () => tokenBalance(addressIn(address), node.ledger)),
  getTokenSupply: ([mint, config], node) =>
    inContext(configOf(config), node, () => tokenSupply(addressIn(mint), node.ledger)),
  getTokenAccountsByOwner: (params, node) =>
    inContext(configOf(params[2]), node, () => tokenAccountsByOwner(params, node.ledger)),
  getSignatureStatuses: ([signatures, config], node) =>
    inContext({}, node, () => statusesOf(signatures, configOf(config), node)),
  getSignaturesForAddress: (params, node) => signaturesFor(params, node),
  getTransaction: (params, node) => transactionOf(params, node),
};

function slotFor(config: unknown, node: Node): number {
  const asked = configOf(config);
  return reachedSlot(asked, commitmentOf(asked), node);
}

function epochInfo(slot: number, { ledger }: Node): object {
  return {
    absoluteSlot: slot,
    blockHeight: slot,
    epoch: Math.floor(slot / slotsInEpoch),
    slotIndex: slot % slotsInEpoch,
    slotsInEpoch,
    transactionCount: ledger.transactions.count(),
  };
}

function latestBlockhash(commitment: Stage, node: Node): object {
  const slot = slotAt(commitment, node);
  return { blockhash: node.derived.blockhash(slot), lastValidBlockHeight: slot + recentSlots };
}

function isRecent(hash: string, { derived, slot }: Node): boolean {
  for (let age = 0; age <= Math.min(slot, recentSlots); age += 1) {
    if (derived.blockhash(slot - age) === hash) return true;
  }
  return false;
}
