/** `unread`: before the body is read; `before` and `after`: before and after the effect is committed. */
export const faultMoments = ['unread', 'before', 'after'] as const;
type FaultMoment = (typeof faultMoments)[number];

export type FaultKind =
  | { kind: 'pass' }
  | { kind: 'drop' }
  | { kind: 'reset' }
  | { kind: 'stall'; ms: number | null }
  | { kind: 'drip'; ms: number }
  | { kind: 'cut'; at: number }
  | { kind: 'garbage' }
  | { kind: 'twice' }
  | { kind: 'reply'; reply: ScriptedReply }
  | RpcFaultKind;

/** Faults for /rpc only. `path` leads from the result to the value that is replaced. */
type RpcFaultKind =
  | { kind: 'rpc-error'; code: number; message: string; data?: unknown }
  | { kind: 'twist'; path: string; value: unknown };

/** Any reply at all. Missing parts are what the service itself would say; `raw_base64` is the whole reply. */
export type ScriptedReply = {
  status: number;
  reason?: string;
  headers?: [string, string][];
  body_base64?: string;
  raw_base64?: string;
};

/** Without an operation it applies to both Bot API operations, and never to /rpc. */
export type Fault = FaultKind & {
  when: FaultMoment;
  operation: Operation | 'rpc' | null;
  key: string | null;
  method?: string;
};

type ParsedFault = { ok: true; fault: Fault; times: number } | { ok: false; problem: string };

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isCount = (value: unknown): value is number => Number.isInteger(value) && Number(value) >= 0;

const problem = (text: string): { ok: false; problem: string } => ({ ok: false, problem: text });

const commonFields = ['kind', 'when', 'operation', 'key', 'method', 'times'];

const ownFields: Record<FaultKind['kind'], string[]> = {
  pass: [],
  drop: [],
  reset: [],
  stall: ['ms'],
  drip: ['ms'],
  cut: ['at'],
  garbage: [],
  twice: [],
  reply: ['status', 'reason', 'headers', 'body', 'body_base64', 'raw_base64'],
  'rpc-error': ['code', 'message', 'data'],
  twist: ['path', 'value'],
};

const rpcKinds: readonly unknown[] = ['rpc-error', 'twist'];

export const faultKinds: readonly string[] = Object.keys(ownFields);

export function parseFault(value: unknown): ParsedFault {
  if (!isObject(value)) return problem('a fault must be an object');
  const { kind, when = 'before', key = null, method, times = 1 } = value;
  const { operation = rpcKinds.includes(kind) ? 'rpc' : null } = value;
  if (typeof kind !== 'string' || !Object.hasOwn(ownFields, kind)) {
    return problem(`kind must be one of ${faultKinds.join(', ')}`);
  }
  const allowed = [...commonFields, ...ownFields[kind as FaultKind['kind']]];
  const unknown = Object.keys(value).find((name) => !allowed.includes(name));
  if (unknown !== undefined) return problem(`a ${kind} has no field ${JSON.stringify(unknown)}`);
  if (when !== 'unread' && when !== 'before' && when !== 'after')
    return problem('when must be unread, before or after');
  if (!isOperation(operation)) return problem('operation must be message, transfer or rpc');
  if (rpcKinds.includes(kind) && operation !== 'rpc') return problem(`a ${kind} is for the operation rpc`);
  if (method !== undefined && (typeof method !== 'string' || operation !== 'rpc' || when === 'unread'))
    return problem('method must be a string, for the operation rpc, and not with unread');
  if (key !== null && operation === 'rpc') return problem('a call to /rpc has no key');
  if (key !== null && typeof key !== 'string') return problem('key must be a string');
  if (key !== null && when === 'unread') return problem('an unread request has no key yet');
  if (!isCount(times) || times === 0) return problem('times must be a whole number from 1');
  const parsed = parseKind(kind as FaultKind['kind'], value);
  if ('problem' in parsed) return problem(parsed.problem);
  const named = method === undefined ? {} : { method };
  return { ok: true, fault: { ...parsed, when, operation, key, ...named }, times };
}

function isOperation(value: unknown): value is Fault['operation'] {
  return value === null || value === 'rpc' || operations.includes(value as Operation);
}

function parseKind(kind: FaultKind['kind'], value: Record<string, unknown>): FaultKind | { problem: string } {
  switch (kind) {
    case 'stall': {
      const { ms = null } = value;
      return ms === null || isCount(ms)
        ? { kind, ms }
        : { problem: 'ms must be a whole number, or null for ever' };
    }
    case 'drip': {
      const { ms = 20 } = value;
      return isCount(ms) ? { kind, ms } : { problem: 'ms must be a whole number' };
    }
    case 'cut': {
      const { at = 1 } = value;
      return isCount(at) ? { kind, at } : { problem: 'at must be a whole number of bytes' };
    }
    case 'reply':
      return parseReply(value);
    case 'rpc-error': {
      const { code, message = 'A scripted fault.', data } = value;
      if (!Number.isInteger(code) || typeof message !== 'string')
        return { problem: 'code must be a whole number, and message a string' };
      return { kind, code: Number(code), message, ...(data === undefined ? {} : { data }) };
    }
    case 'twist': {
      const { path = '', value: twisted = null } = value;
      return typeof path === 'string' ? { kind, path, value: twisted } : { problem: 'path must be a string' };
    }
    default:
      return { kind };
  }
}

function parseReply(value: Record<string, unknown>): FaultKind | { problem: string } {
  const { status, reason, headers, body, body_base64, raw_base64 } = value;
  if (!isCount(status) || status > 999) return { problem: 'status must be a whole number up to 999' };
  for (const text of [reason, body_base64, raw_base64]) {
    if (text !== undefined && typeof text !== 'string')
      return { problem: 'reason, body_base64 and raw_base64 must be strings' };
  }
  const pairs = headerPairs(headers);
  if (headers !== undefined && pairs === undefined)
    return { problem: 'headers must be an object, or pairs, of strings' };
  const bytes = body === undefined ? body_base64 : Buffer.from(bodyText(body), 'utf8').toString('base64');
  const reply: ScriptedReply = { status };
  if (typeof reason === 'string') reply.reason = reason;
  if (pairs !== undefined) reply.headers = pairs;
  if (typeof bytes === 'string') reply.body_base64 = bytes;
  if (typeof raw_base64 === 'string') reply.raw_base64 = raw_base64;
  return { kind: 'reply', reply };
}

const bodyText = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body));

function headerPairs(headers: unknown): [string, string][] | undefined {
  const pairs = Array.isArray(headers) ? headers : isObject(headers) ? Object.entries(headers) : undefined;
  const isPair = (pair: unknown): pair is [string, string] =>
    Array.isArray(pair) && pair.length === 2 && pair.every((text) => typeof text === 'string');
  return pairs?.every(isPair) ? pairs : undefined;
}

/** The two operations of the service. */
export type Operation = 'message' | 'transfer';

const operations: readonly Operation[] = ['message', 'transfer'];
