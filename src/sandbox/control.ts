import type { IncomingMessage } from 'node:http';
import { isObject, parseFault } from './faults.ts';
import type { Effect } from './ledger.ts';
import { balancesOf, fillFresh, giveTo, suppliesOf } from './money.ts';
import { currentSlot, keepSlot, parseReadings, readingsOf } from './readings.ts';
import { badCall, Rejection } from './rejection.ts';
import { jsonReply, type Outlet, sendReply } from './reply.ts';
import { assertJson, assertLocal, decodeJson, type LoggedReply, readBody, type Service } from './request.ts';

type ControlCall = { query: URLSearchParams; body: unknown };

type Handler = (call: ControlCall, service: Service) => object;

const handlers: Record<string, Handler> = {
  'GET /control': (_, service) => stateOf(service),
  'GET /control/ledger': ledgerOf,
  'GET /control/readings': (_, { ledger }) => readingsOf(ledger),
  'POST /control/readings': setReadings,
  'GET /control/faults': (_, service) => faultsOf(service),
  'POST /control/faults': addFaults,
  'DELETE /control/faults': (_, service) => {
    service.ledger.clearFaults();
    return faultsOf(service);
  },
  'POST /control/conversations': addConversation,
  'POST /control/money': giveMoney,
  'POST /control/forget-keys': forgetKeys,
  'POST /control/reset': (_, service) => {
    service.ledger.forgetAll();
    fillFresh(service.ledger, service.derived);
    return stateOf(service);
  },
};

export const controlPaths: readonly string[] = [
  ...new Set(Object.keys(handlers).map((name) => name.split(' ')[1] ?? '')),
];

/** Serves the sandbox's own interface beside the Bot API. Each call is one transaction. */
export async function serveControl(
  path: string,
  request: IncomingMessage,
  outlet: Outlet,
  service: Service,
): Promise<LoggedReply> {
  assertLocal(request);
  const body = await jsonBody(request);
  const query = new URLSearchParams((request.url ?? '').split('?')[1] ?? '');
  const said = control(request.method ?? '', path, { query, body }, service);
  return { status: sendReply(jsonReply(JSON.stringify(said)), outlet) };
}

async function jsonBody(request: IncomingMessage): Promise<unknown> {
  const bytes = await readBody(request);
  if (bytes.length === 0) return undefined;
  // A web page can send this content type only with permission (CORS), so no page can call the control interface.
  assertJson(request);
  const decoded = decodeJson(bytes);
  if (decoded === undefined) throw new Rejection(400, 'invalid_json', 'The body must be JSON in UTF-8.');
  return decoded.value;
}

function control(method: string, path: string, call: ControlCall, service: Service): object {
  const wanted = path.replace(/\/$/, '');
  const handler = handlers[`${method} ${wanted}`];
  if (handler !== undefined) return service.ledger.atomically(() => handler(call, service));
  const known = Object.keys(handlers).filter((name) => name.endsWith(` ${wanted}`));
  if (known.length === 0) throw new Rejection(404, 'invalid_control', `${wanted} does not exist.`);
  throw new Rejection(405, 'invalid_control', `Try ${known.join(' or ')}.`);
}

function setReadings({ body }: ControlCall, { ledger, nowMs }: Service): object {
  const change = parseReadings(body);
  const before = readingsOf(ledger);
  const readings = { ...before, ...change };
  // The time until now counts by the old clock.
  const clock = { ledger, readings: before, nowMs: nowMs() };
  if (readings.slot_ms !== before.slot_ms) keepSlot(currentSlot(clock), clock);
  ledger.putFact('readings', JSON.stringify(readings));
  return readings;
}

/** `{"faults": [...]}` adds to the queue. */
function addFaults({ body }: ControlCall, service: Service): object {
  const { faults } = asFields(body);
  if (!Array.isArray(faults)) throw badCall('faults must be an array');
  for (const { fault, times } of faults.map(parseFault)) service.ledger.addFault(fault, times);
  return faultsOf(service);
}

function addConversation({ body }: ControlCall, { ledger }: Service): object {
  const { id } = asFields(body);
  if (typeof id !== 'string' || id === '') throw badCall('id must be a string');
  ledger.addConversation(id);
  return { conversations: ledger.conversations() };
}

function giveMoney({ body }: ControlCall, { ledger, derived }: Service): object {
  const { address = derived.wallet.address, asset = 'SOL', amount } = asFields(body);
  return giveTo(ledger, derived, { address, asset, amount });
}

function forgetKeys({ body }: ControlCall, { ledger }: Service): object {
  const { key } = asFields(body);
  if (key !== undefined && typeof key !== 'string') throw badCall('key must be a string');
  ledger.forgetKeys(key ?? null);
  return { forgotten: key ?? 'all' };
}

const asFields = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {});

const faultsOf = ({ ledger }: Service): object => ({ scripted: ledger.faults() });

function stateOf(service: Service): object {
  const { ledger, derived } = service;
  const { address } = derived.wallet;
  const { fees, ...counts } = ledger.counts();
  return {
    tokens: derived.tokens,
    conversations: ledger.conversations(),
    wallet: { address, balances: balancesOf(ledger, derived, address) },
    assets: [derived.usdc],
    genesis_hash: derived.genesisHash,
    readings: readingsOf(ledger),
    faults: faultsOf(service),
    counts,
    // Always: made = in accounts + burnt as fees.
    lamports: {
      made: ledger.fact('lamports_made'),
      in_accounts: ledger.totalLamports().toString(),
      fees: String(fees),
    },
    // Always: supply = held.
    supplies: suppliesOf(ledger, derived),
  };
}

function ledgerOf({ query }: ControlCall, { ledger }: Service): object {
  const filter = {
    kind: query.get('kind'),
    key: query.get('key'),
    afterSeq: Number(query.get('after')) || 0,
  };
  return { effects: ledger.effects(filter).map(effectJson) };
}

function effectJson({ atMs, request, ...effect }: Effect): object {
  return { ...effect, at: new Date(atMs).toISOString(), request: JSON.parse(request) };
}
