import { addressBytes } from './solana.ts';
import type { Ledger, RateLimit } from './store/ledger.ts';

/** One choice for each thing that the document leaves open. The names are those of the control interface. */
export type Readings = {
  success_status: number;
  transfer_status: string;
  repeated_transfer_key: 'replay' | 'conflict' | 'ignore';
  repeated_message_key: 'replay' | 'conflict' | 'ignore';
  other_body: 'as-repeat' | 'invalid' | 'conflict' | 'unprocessable';
  key_scope: 'bot' | 'token';
  key_memory_ms: number | null;
  error_body: 'nested' | 'flat' | 'text' | 'html' | 'empty';
  extra_fields: Record<string, unknown>;
  omit_fields: string[];
  /** Fields of the request that a success echoes. */
  echo_fields: string[];
  content_type: string | null;
  retry_after: 'seconds' | 'date' | 'none';
  rate_limit: RateLimit | null;
} & ChainReadings;

/** What the chain does with a transfer, and how the node at /rpc reports it. */
type ChainReadings = {
  /** Milliseconds per slot; 0 means that no time passes and each transaction is finalized at once. */
  slot_ms: number;
  commitment_held_at: 'processed' | 'confirmed' | null;
  node_lag_slots: number;
  node_history: 'whole' | 'dropped' | 'forgotten' | 'unavailable';
  /** The genesis hash of another cluster, shown instead of this folder's own. */
  genesis_hash: string | null;
  rpc_rate_limit: RateLimit | null;
  transaction_version: 'legacy' | 'v0' | 'v0-lookups' | 'v1';
  fee_payer: 'wallet' | 'service';
  /** An additional payment in the same transaction. */
  also_pays: { to_address: string; asset: string; amount: string } | null;
  reply_signature: 'own' | 'previous' | 'cosigner';
  token_replies: 'as-made' | 'token-2022-fee' | 'batch';
};

export const defaultReadings: Readings = {
  success_status: 200,
  transfer_status: 'confirmed',
  repeated_transfer_key: 'replay',
  repeated_message_key: 'conflict',
  other_body: 'as-repeat',
  key_scope: 'bot',
  key_memory_ms: null,
  error_body: 'nested',
  extra_fields: {},
  omit_fields: [],
  echo_fields: [],
  content_type: null,
  retry_after: 'seconds',
  rate_limit: null,
  slot_ms: 100,
  commitment_held_at: null,
  node_lag_slots: 0,
  node_history: 'whole',
  genesis_hash: null,
  rpc_rate_limit: null,
  transaction_version: 'legacy',
  fee_payer: 'wallet',
  also_pays: null,
  reply_signature: 'own',
  token_replies: 'as-made',
};

type Check = { accepts: (value: unknown) => boolean; rule: string; choices?: readonly unknown[] };

const oneOf = (...values: string[]): Check => ({
  accepts: (value) => typeof value === 'string' && values.includes(value),
  rule: `one of ${values.join(', ')}`,
  choices: values,
});

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isAmount = (value: unknown): boolean =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0;

const isHeaderText = (value: unknown): boolean => typeof value === 'string' && /^[\x20-\x7e]+$/.test(value);

const names: Check = {
  accepts: (value) => Array.isArray(value) && value.every((name) => typeof name === 'string'),
  rule: 'an array of field names',
};

const bucket: Check = {
  accepts: (value) =>
    value === null || (isObject(value) && isAmount(value.capacity) && isAmount(value.per_second)),
  rule: '{"capacity": requests, "per_second": requests}, or null for none',
};

const checks: Record<keyof Readings, Check> = {
  success_status: {
    accepts: (value) => Number.isInteger(value) && Number(value) >= 200 && Number(value) <= 299,
    rule: 'a status from 200 to 299',
  },
  transfer_status: { accepts: (value) => typeof value === 'string', rule: 'a string' },
  repeated_transfer_key: oneOf('replay', 'conflict', 'ignore'),
  repeated_message_key: oneOf('replay', 'conflict', 'ignore'),
  other_body: oneOf('as-repeat', 'invalid', 'conflict', 'unprocessable'),
  key_scope: oneOf('bot', 'token'),
  key_memory_ms: {
    accepts: (value) => value === null || isAmount(value),
    rule: 'milliseconds, or null for ever',
  },
  error_body: oneOf('nested', 'flat', 'text', 'html', 'empty'),
  extra_fields: { accepts: isObject, rule: 'an object' },
  omit_fields: names,
  echo_fields: names,
  content_type: {
    accepts: (value) => value === null || isHeaderText(value),
    rule: 'a content type, or null',
  },
  retry_after: oneOf('seconds', 'date', 'none'),
  rate_limit: bucket,
  slot_ms: { accepts: isAmount, rule: 'milliseconds, or 0 for no clock' },
  commitment_held_at: {
    accepts: (value) => value === null || value === 'processed' || value === 'confirmed',
    rule: 'processed, confirmed, or null',
    choices: [null, 'processed', 'confirmed'],
  },
  node_lag_slots: {
    accepts: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
    rule: 'a whole number of slots',
  },
  node_history: oneOf('whole', 'dropped', 'forgotten', 'unavailable'),
  genesis_hash: {
    accepts: (value) => value === null || (typeof value === 'string' && addressBytes(value) !== undefined),
    rule: '32 bytes in base58, or null for its own',
  },
  rpc_rate_limit: bucket,
  transaction_version: oneOf('legacy', 'v0', 'v0-lookups', 'v1'),
  fee_payer: oneOf('wallet', 'service'),
  also_pays: {
    accepts: (value) =>
      value === null ||
      (isObject(value) &&
        Object.keys(value).length === 3 &&
        ['to_address', 'asset', 'amount'].every((name) => typeof value[name] === 'string')),
    rule: '{"to_address", "asset", "amount"}, or null for nothing',
  },
  reply_signature: oneOf('own', 'previous', 'cosigner'),
  token_replies: oneOf('as-made', 'token-2022-fee', 'batch'),
};

/** The possible values of a reading, if they are few. */
export function choicesOf(name: keyof Readings): readonly unknown[] | undefined {
  return checks[name].choices;
}

type ReadingsChange = { ok: true; change: Partial<Readings> } | { ok: false; problem: string };

export function parseReadings(value: unknown): ReadingsChange {
  if (!isObject(value)) return { ok: false, problem: 'readings must be an object' };
  for (const [name, setting] of Object.entries(value)) {
    const check = Object.hasOwn(checks, name) ? checks[name as keyof Readings] : undefined;
    if (check === undefined)
      return { ok: false, problem: `there is no reading named ${JSON.stringify(name)}` };
    if (!check.accepts(setting)) return { ok: false, problem: `${name} must be ${check.rule}` };
  }
  return { ok: true, change: value as Partial<Readings> };
}

/** What the current slot depends on: the last slot in the ledger, the length of a slot, and the time. */
type SlotClock = { ledger: Ledger; readings: Pick<Readings, 'slot_ms'>; nowMs: number };

/** Slots only grow: with the time since the last stored one, and by one with each transaction. */
export function currentSlot({ ledger, readings, nowMs }: SlotClock): number {
  const kept = Number(ledger.facts.get('slot') ?? '0');
  const keptAtMs = Number(ledger.facts.get('slot_at_ms'));
  if (readings.slot_ms === 0) return kept;
  return kept + Math.max(0, Math.floor((nowMs - keptAtMs) / readings.slot_ms));
}

export function keepSlot(slot: number, { ledger, nowMs }: SlotClock): void {
  ledger.facts.put('slot', String(slot));
  ledger.facts.put('slot_at_ms', String(nowMs));
}
