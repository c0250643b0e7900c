import { type Controlled, faultsOf, ledgerOf, readingsOf, stateOf } from './controlState.ts';
import { setRandom } from './fate.ts';
import { type Fault, parseFault } from './faults.ts';
import type { Ledger } from './ledger.ts';
import { fillFresh, giveTo, maxU64, TooMuchError } from './money.ts';
import { check } from './payload.ts';
import { parseReadings, type Readings } from './readings.ts';
import { currentSlot, keepSlot } from './slots.ts';
import { readTransfer } from './transferPayload.ts';

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
    setRandom(ledger, null);
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

/** The sandbox's own interface, apart from the Bot API: each call is one transaction. */
export function control(call: ControlCall, controlled: Controlled): ControlReply {
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
  // What has passed has passed by the old clock.
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

/** `{"faults": [...]}` is added to the queue, `{"random": {"seed", "rate"} | null}` sets the dice. */
function addFaults({ body }: ControlCall, { ledger }: Controlled): ControlReply {
  const { faults = [], random } = asFields(body);
  if (!Array.isArray(faults)) return bad('faults must be an array');
  const wanted: { fault: Fault; times: number }[] = [];
  for (const [index, entry] of faults.entries()) {
    const parsed = parseFault(entry);
    if (!parsed.ok) return bad(`faults[${index}]: ${parsed.problem}`);
    wanted.push(parsed);
  }
  if (random !== undefined) {
    const problem = setDice(random, ledger);
    if (problem !== undefined) return bad(problem);
  }
  for (const { fault, times } of wanted) ledger.faults.add(fault, times);
  return ok(faultsOf(ledger));
}

function setDice(random: unknown, ledger: Ledger): string | undefined {
  if (random === null) {
    setRandom(ledger, null);
    return undefined;
  }
  const { seed = 'botctl', rate } = asFields(random);
  if (typeof seed !== 'string' && typeof seed !== 'number') return 'random.seed must be a string or a number';
  if (typeof rate !== 'number' || !(rate >= 0 && rate <= 1))
    return 'random.rate must be a number from 0 to 1';
  setRandom(ledger, { seed: String(seed), rate });
  return undefined;
}

function addConversation({ body }: ControlCall, { ledger }: Controlled): ControlReply {
  const { id } = asFields(body);
  if (typeof id !== 'string' || id === '') return bad('id must be a string');
  ledger.conversations.add(id);
  return ok({ conversations: ledger.conversations.list() });
}

/** Money from nowhere, for the bot's wallet unless an address is given. */
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
