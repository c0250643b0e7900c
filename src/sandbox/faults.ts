import { badCall, obey, oneOf, type Rule } from './rejection.ts';

export type Operation = 'message' | 'transfer';

/** A fault that a test scripts for one request. The service fills in the parts that a scripted reply leaves out. */
export type Fault = {
  kind: FaultKind;
  /** Before the body is read, before the effect, or after its commit. Ignored for a request to /rpc. */
  when: 'unread' | 'before' | 'after';
  /** Without an operation it applies to both Bot API operations, and never to /rpc. */
  operation: Operation | 'rpc' | null;
  key: string | null;
  method?: string;
  ms?: number | null;
  at?: number;
  status?: number;
  reason?: string;
  headers?: [string, string][] | Record<string, string>;
  body?: unknown;
  body_base64?: string;
  code?: number;
  message?: string;
  data?: unknown;
  path?: string;
  value?: unknown;
};

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isCount = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0;
const isText = (value: unknown): boolean => typeof value === 'string';
const isPair = (pair: unknown): boolean => Array.isArray(pair) && pair.length === 2 && pair.every(isText);

const count: Rule = { accepts: isCount, rule: 'a whole number' };
const text: Rule = { accepts: isText, rule: 'a string' };
const anything: Rule = { accepts: () => true, rule: 'anything' };

const commonRules: Record<string, Rule> = {
  kind: anything,
  when: oneOf('unread', 'before', 'after'),
  operation: oneOf('message', 'transfer', 'rpc'),
  key: text,
  method: text,
  times: { accepts: (value) => isCount(value) && value !== 0, rule: 'a whole number from 1' },
};

const ownRules = {
  pass: {},
  drop: {},
  reset: {},
  stall: { ms: { accepts: (value) => value === null || isCount(value), rule: 'a whole number, or null' } },
  drip: { ms: count },
  cut: { at: count },
  garbage: {},
  twice: {},
  reply: {
    status: {
      accepts: (value) => isCount(value) && Number(value) <= 999,
      rule: 'a whole number up to 999',
    },
    reason: text,
    headers: {
      accepts: (value) =>
        Array.isArray(value) ? value.every(isPair) : isObject(value) && Object.values(value).every(isText),
      rule: 'an object, or pairs, of strings',
    },
    body: anything,
    body_base64: text,
  },
  'rpc-error': {
    code: { accepts: Number.isInteger, rule: 'a whole number' },
    message: text,
    data: anything,
  },
  twist: { path: text, value: anything },
} satisfies Record<string, Record<string, Rule>>;

type FaultKind = keyof typeof ownRules;

export const faultKinds = Object.keys(ownRules) as FaultKind[];

const needed: Partial<Record<FaultKind, string>> = { reply: 'status', 'rpc-error': 'code' };
const rpcKinds: readonly FaultKind[] = ['rpc-error', 'twist'];

export function parseFault(value: unknown): { fault: Fault; times: number } {
  if (!isObject(value)) throw badCall('a fault must be an object');
  const kind = faultKinds.find((known) => known === value.kind);
  if (kind === undefined) throw badCall(`kind must be one of ${faultKinds.join(', ')}`);
  const rules: Record<string, Rule> = { ...commonRules, ...ownRules[kind] };
  const settings = Object.entries(value);
  const lacking = needed[kind];
  if (lacking !== undefined && value[lacking] === undefined) settings.push([lacking, undefined]);
  for (const [name, setting] of settings) obey(rules, name, setting);
  const { times = 1, ...fields } = value as Partial<Fault> & { times?: number };
  const operation = fields.operation ?? (rpcKinds.includes(kind) ? 'rpc' : null);
  const fault: Fault = { when: 'before', key: null, ...fields, kind, operation };
  if (rpcKinds.includes(kind) && operation !== 'rpc') throw badCall(`a ${kind} is for the operation rpc`);
  if (fault.method !== undefined && operation !== 'rpc') throw badCall('method is for the operation rpc');
  if (fault.key !== null && operation === 'rpc') throw badCall('a call to /rpc has no key');
  if (fault.key !== null && fault.when === 'unread') throw badCall('an unread request has no key yet');
  return { fault, times };
}

/**
 * What is known about a request when a fault is looked up: a Bot API operation before or after its body is read, or an
 * RPC method.
 */
export type Met = { operation: Operation; unread: boolean; key?: string | undefined } | { method: unknown };

export function isFor({ operation, key, method }: Fault, met: Met): boolean {
  if ('method' in met) return operation === 'rpc' && (method ?? met.method) === met.method;
  return (operation ?? met.operation) === met.operation && (key ?? met.key) === met.key;
}
