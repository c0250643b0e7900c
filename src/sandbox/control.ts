import type { IncomingMessage } from 'node:http';
import { type Fault, isObject, parseFault } from './faults.ts';
import type { Effect } from './ledger.ts';
import { balancesOf, fillFresh, giveTo, suppliesOf, TooMuchError } from './money.ts';
import { currentSlot, keepSlot, parseReadings, readingsOf } from './readings.ts';
import { jsonReply, type Outlet, Rejection, send } from './reply.ts';
import { assertJson, assertLocal, decodeJson, type LoggedReply, readBody, type Service } from './request.ts';

type ControlReply = { status: number; body: unknown };

type ControlCall = { query: URLSearchParams; body: unknown };

type Handler = (call: ControlCall, service: Service) => ControlReply;

const ok = (body: unknown): ControlReply => ({ status: 200, body });
const bad = (message: string, status = 400): ControlReply => ({
  status,
  body: { error: { code: 'invalid_control', message } },
});

const handlers: Record<string, Handler> = {
  'GET /control': (_, service) => ok(stateOf(service)),
  'GET /control/ledger': ledgerOf,
  'GET /control/readings': (_, { ledger }) => ok(readingsOf(ledger)),
  'POST /control/readings': setReadings,
  'GET /control/faults': (_, service) => ok(faultsOf(service)),
  'POST /control/faults': addFaults,
  'DELETE /control/faults': (_, service) => {
    service.ledger.clearFaults();
    return ok(faultsOf(service));
  },
  'POST /control/conversations': addConversation,
  'POST /control/money': giveMoney,
  'POST /control/forget-keys': forgetKeys,
  'POST /control/reset': (_, service) => {
    service.ledger.forgetAll();
    fillFresh(service.ledger, service.derived);
    return ok(stateOf(service));
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
  const { status, body: said } = control(request.method ?? '', path, { query, body }, service);
  return { status: send(jsonReply(JSON.stringify(said), status), outlet) };
}

async function jsonBody(request: IncomingMessage): Promise<unknown> {
  const bytes = await readBody(request);
  if (bytes.length === 0) return undefined;
  // A web page can send this type only after asking permission (CORS), so other pages cannot call the control
  // interface.
  assertJson(request);
  const decoded = decodeJson(bytes);
  if (decoded === undefined) throw new Rejection(400, 'invalid_json', 'The body must be JSON in UTF-8.');
  return decoded.value;
}

function control(method: string, path: string, call: ControlCall, service: Service): ControlReply {
  const wanted = path.replace(/\/$/, '');
  const handler = handlers[`${method} ${wanted}`];
  if (handler === undefined) {
    const known = Object.keys(handlers).filter((name) => name.endsWith(` ${wanted}`));
    return known.length === 0
      ? bad(`${wanted} does not exist.`, 404)
      : bad(`Try ${known.join(' or ')}.`, 405);
  }
  try {
    return service.ledger.atomically(() => handler(call, service));
  } catch (error) {
    if (error instanceof TooMuchError) return bad(error.message);
    throw error;
  }
}

function setReadings({ body }: ControlCall, { ledger, nowMs }: Service): ControlReply {
  const parsed = parseReadings(body);
  if (!parsed.ok) return bad(parsed.problem);
  const before = readingsOf(ledger);
  const readings = { ...before, ...parsed.change };
  // Time until now counts by the old clock.
  const clock = { ledger, readings: before, nowMs: nowMs() };
  if (readings.slot_ms !== before.slot_ms) keepSlot(currentSlot(clock), clock);
  ledger.putFact('readings', JSON.stringify(readings));
  return ok(readings);
}

/** `{"faults": [...]}` adds to the queue. */
function addFaults({ body }: ControlCall, service: Service): ControlReply {
  const { faults } = asFields(body);
  if (!Array.isArray(faults)) return bad('faults must be an array');
  const wanted: { fault: Fault; times: number }[] = [];
  for (const [index, entry] of faults.entries()) {
    const parsed = parseFault(entry);
    if (!parsed.ok) return bad(`faults[${index}]: ${parsed.problem}`);
    wanted.push(parsed);
  }
  for (const { fault, times } of wanted) service.ledger.addFault(fault, times);
  return ok(faultsOf(service));
}

function addConversation({ body }: ControlCall, { ledger }: Service): ControlReply {
  const { id } = asFields(body);
  if (typeof id !== 'string' || id === '') return bad('id must be a string');
  ledger.addConversation(id);
  return ok({ conversations: ledger.conversations() });
}

/** Creates money for the bot's wallet, or for the given address. */
function giveMoney({ body }: ControlCall, { ledger, derived }: Service): ControlReply {
  const { address = derived.wallet.address, asset = 'SOL', amount } = asFields(body);
  const gift = giveTo(ledger, derived, { address, asset, amount });
  return gift.ok ? ok(gift.value) : bad(gift.problem);
}

function forgetKeys({ body }: ControlCall, { ledger }: Service): ControlReply {
  const { key } = asFields(body);
  if (key !== undefined && typeof key !== 'string') return bad('key must be a string');
  ledger.forgetKeys(key ?? null);
  return ok({ forgotten: key ?? 'all' });
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

function ledgerOf({ query }: ControlCall, { ledger }: Service): ControlReply {
  const filter = {
    kind: query.get('kind'),
    key: query.get('key'),
    afterSeq: Number(query.get('after')) || 0,
  };
  return ok({ effects: ledger.effects(filter).map(effectJson) });
}

function effectJson({ atMs, request, ...effect }: Effect): object {
  return { ...effect, at: new Date(atMs).toISOString(), request: JSON.parse(request) };
}
