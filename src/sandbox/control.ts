import type { IncomingMessage } from 'node:http';
import { type Fault, parseFault } from './faults.ts';
import { balancesOf, type Derived, fillFresh, giveTo, maxU64, suppliesOf, TooMuchError } from './money.ts';
import { currentSlot, defaultReadings, keepSlot, parseReadings, type Readings } from './readings.ts';
import { type Outlet, type Rejection, type Reply, rejection, send } from './reply.ts';
import {
  check,
  decodeJson,
  type Fate,
  isForeign,
  isJson,
  type LoggedReply,
  notAllowed,
  readBody,
  readTransfer,
  reject,
  type Service,
} from './request.ts';
import { serveRpc } from './rpc/answer.ts';
import type { Effect, EffectFilter, Ledger } from './store/ledger.ts';

export function isOwnPath(path: string): boolean {
  return path === '/rpc' || path === '/control' || path.startsWith('/control/');
}

/** Serves the sandbox's own paths beside the Bot API: control and Solana RPC. */
export async function serveOwn(
  path: string,
  request: IncomingMessage,
  outlet: Outlet,
  service: Service,
  fate: Fate,
): Promise<LoggedReply> {
  const method = request.method ?? '';
  if (isForeign(request))
    return reject(rejection(403, 'not_loopback', 'Ask by 127.0.0.1.'), request, outlet, service);
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
  // A web page can send this type only after asking permission (CORS), so other pages cannot call the control
  // interface.
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

type ControlReply = { status: number; body: unknown };

type ControlCall = { method: string; path: string; query: URLSearchParams; body: unknown };

type Handler = (call: ControlCall, controlled: Controlled) => ControlReply;

const ok = (body: unknown): ControlReply => ({ status: 200, body });
const bad = (message: string): ControlReply => ({
  status: 400,
  body: { error: { code: 'invalid_control', message } },
});

const handlers: Record<string, Handler> = {
  'GET /control': (_, controlled) => ok(stateOf(controlled)),
  'GET /control/ledger': ({ query }, controlled) => ok(ledgerOf(query, controlled)),
  'GET /control/readings': (_, { ledger }) => ok(readingsOf(ledger)),
  'POST /control/readings': setReadings,
  'GET /control/faults': (_, { ledger }) => ok(faultsOf(ledger)),
  'POST /control/faults': addFaults,
  'DELETE /control/faults': (_, { ledger }) => {
    ledger.faults.clear();
    return ok(faultsOf(ledger));
  },
  'POST /control/conversations': addConversation,
  'POST /control/money': giveMoney,
  'POST /control/forget-keys': forgetKeys,
  'POST /control/reset': (_, { ledger, derived }) => {
    ledger.forgetAll();
    fillFresh(ledger, derived);
    return ok(stateOf({ ledger, derived }));
  },
};

export const controlPaths: readonly string[] = [
  ...new Set(Object.keys(handlers).map((name) => name.split(' ')[1] ?? '')),
];

/** The sandbox's own interface beside the Bot API. Each call is one transaction. */
function control(call: ControlCall, controlled: Controlled): ControlReply {
  const path = call.path.replace(/\/$/, '');
  const handler = handlers[`${call.method} ${path}`];
  if (handler !== undefined) return handle(handler, call, controlled);
  const known = Object.keys(handlers).filter((name) => name.endsWith(` ${path}`));
  const message = known.length === 0 ? `There is no ${path}.` : `Try ${known.join(' or ')}.`;
  return { status: known.length === 0 ? 404 : 405, body: { error: { code: 'no_such_control', message } } };
}

function handle(handler: Handler, call: ControlCall, controlled: Controlled): ControlReply {
  try {
    return controlled.ledger.atomically(() => handler(call, controlled));
  } catch (error) {
    if (error instanceof TooMuchError) return bad(error.message);
    throw error;
  }
}

function setReadings({ body }: ControlCall, { ledger, nowMs }: Controlled): ControlReply {
  const parsed = parseReadings(body);
  if (!parsed.ok) return bad(parsed.problem);
  const problem = unpayable(parsed.change.also_pays, ledger);
  if (problem !== undefined) return bad(problem);
  const before = readingsOf(ledger);
  const readings = { ...before, ...parsed.change };
  // Time until now counts by the old clock.
  const clock = { ledger, readings: before, nowMs: nowMs() };
  if (readings.slot_ms !== before.slot_ms) keepSlot(currentSlot(clock), clock);
  ledger.settings.put('readings', readings);
  return ok(readings);
}

function unpayable(payment: Readings['also_pays'] | undefined, ledger: Ledger): string | undefined {
  if (payment === undefined || payment === null) return undefined;
  const read = check(() => readTransfer(payment, (name) => ledger.accounts.asset(name)));
  if (!read.ok) return `also_pays: ${read.field} ${read.rule}`;
  return read.value.units > maxU64 ? 'also_pays: no wallet holds that much' : undefined;
}

/** `{"faults": [...]}` adds to the queue. */
function addFaults({ body }: ControlCall, { ledger }: Controlled): ControlReply {
  const { faults } = asFields(body);
  if (!Array.isArray(faults)) return bad('faults must be an array');
  const wanted: { fault: Fault; times: number }[] = [];
  for (const [index, entry] of faults.entries()) {
    const parsed = parseFault(entry);
    if (!parsed.ok) return bad(`faults[${index}]: ${parsed.problem}`);
    wanted.push(parsed);
  }
  for (const { fault, times } of wanted) ledger.faults.add(fault, times);
  return ok(faultsOf(ledger));
}

function addConversation({ body }: ControlCall, { ledger }: Controlled): ControlReply {
  const { id } = asFields(body);
  if (typeof id !== 'string' || id === '') return bad('id must be a string');
  ledger.conversations.add(id);
  return ok({ conversations: ledger.conversations.list() });
}

/** Creates money for the bot's wallet, or for the given address. */
function giveMoney({ body }: ControlCall, { ledger, derived }: Controlled): ControlReply {
  const { address = derived.wallet.address, asset = 'SOL', amount } = asFields(body);
  const given = giveTo(ledger, { address, asset, amount });
  return given.ok ? ok(given.value) : bad(given.problem);
}

function forgetKeys({ body }: ControlCall, { ledger }: Controlled): ControlReply {
  const { key } = asFields(body);
  if (key !== undefined && typeof key !== 'string') return bad('key must be a string');
  ledger.keys.forget(key);
  return ok({ forgotten: key ?? 'all' });
}

function asFields(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

type Controlled = { ledger: Ledger; derived: Derived; nowMs: () => number };

export function readingsOf(ledger: Ledger): Readings {
  return { ...defaultReadings, ...(ledger.settings.get('readings') as Partial<Readings> | undefined) };
}

function faultsOf(ledger: Ledger): { scripted: unknown[] } {
  return { scripted: ledger.faults.list() };
}

function stateOf({ ledger, derived }: Pick<Controlled, 'ledger' | 'derived'>): object {
  const { address } = derived.wallet;
  return {
    tokens: derived.tokens,
    conversations: ledger.conversations.list(),
    wallet: { address, balances: balancesOf(ledger, address) },
    assets: ledger.accounts.assets(),
    readings: readingsOf(ledger),
    faults: faultsOf(ledger),
    counts: {
      messages: ledger.effects.count('message'),
      transfers: ledger.effects.count('transfer'),
      transactions: ledger.transactions.count(),
    },
    // Always: made = in accounts + burnt as fees.
    lamports: {
      made: ledger.facts.get('lamports_made'),
      in_accounts: ledger.accounts.totalLamports().toString(),
      fees: ledger.transactions.feesLamports().toString(),
    },
    // Always: supply = held.
    supplies: suppliesOf(ledger),
  };
}

function ledgerOf(query: URLSearchParams, { ledger }: Controlled): { effects: object[] } {
  const filter: EffectFilter = {};
  const kind = query.get('kind');
  const key = query.get('key');
  if (kind !== null) filter.kind = kind;
  if (key !== null) filter.key = key;
  if (query.has('after')) filter.afterSeq = Number(query.get('after')) || 0;
  if (query.has('limit')) filter.limit = Number(query.get('limit')) || 0;
  return { effects: ledger.effects.list(filter).map(shown) };
}

function shown(effect: Effect): object {
  const { seq, kind, id, token, key, atMs, request, signature } = effect;
  return {
    seq,
    kind,
    id,
    key,
    signature,
    token,
    at: new Date(atMs).toISOString(),
    request: JSON.parse(request),
  };
}
