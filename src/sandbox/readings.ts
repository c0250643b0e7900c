import { isObject } from './faults.ts';
import type { Ledger, RateLimit } from './ledger.ts';
import { badCall, obey, oneOf, type Rule } from './rejection.ts';
import { addressBytes } from './solana.ts';

/** One choice for each point that the document leaves open. The names are those of the control interface. */
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

/** How the chain handles a transfer, and how the node at /rpc reports it. */
type ChainReadings = {
  /** Milliseconds per slot; 0 means that no time passes and each transaction is finalized at once. */
  slot_ms: number;
  commitment_held_at: 'processed' | 'confirmed' | null;
  node_lag_slots: number;
  node_history: 'whole' | 'forgotten' | 'unavailable';
  /** The genesis hash of another cluster, shown instead of this folder's own. */
  genesis_hash: string | null;
  reply_signature: 'own' | 'previous';
  token_replies: 'as-made' | 'token-2022-fee';
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
  reply_signature: 'own',
  token_replies: 'as-made',
};

const isAmount = (value: unknown): boolean =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0;

const isHeaderText = (value: unknown): boolean => typeof value === 'string' && /^[\x20-\x7e]+$/.test(value);

const names: Rule = {
  accepts: (value) => Array.isArray(value) && value.every((name) => typeof name === 'string'),
  rule: 'an array of field names',
};

const orNull = ({ accepts, rule }: Rule): Rule => ({
  accepts: (value) => value === null || accepts(value),
  rule: `${rule}, or null`,
});

const rules: Record<keyof Readings, Rule> = {
  success_status: {
    accepts: (value) => Number.isInteger(value) && Number(value) >= 200 && Number(value) <= 299,
    rule: 'a status from 200 to 299',
  },
  transfer_status: { accepts: (value) => typeof value === 'string', rule: 'a string' },
  repeated_transfer_key: oneOf('replay', 'conflict', 'ignore'),
  repeated_message_key: oneOf('replay', 'conflict', 'ignore'),
  other_body: oneOf('as-repeat', 'invalid', 'conflict', 'unprocessable'),
  key_scope: oneOf('bot', 'token'),
  key_memory_ms: orNull({ accepts: isAmount, rule: 'milliseconds' }),
  error_body: oneOf('nested', 'flat', 'text', 'html', 'empty'),
  extra_fields: { accepts: isObject, rule: 'an object' },
  omit_fields: names,
  echo_fields: names,
  content_type: orNull({ accepts: isHeaderText, rule: 'a content type' }),
  retry_after: oneOf('seconds', 'date', 'none'),
  rate_limit: orNull({
    accepts: (value) => isObject(value) && isAmount(value.capacity) && isAmount(value.per_second),
    rule: '{"capacity": requests, "per_second": requests}',
  }),
  slot_ms: { accepts: isAmount, rule: 'milliseconds, or 0 for no clock' },
  commitment_held_at: orNull(oneOf('processed', 'confirmed')),
  node_lag_slots: {
    accepts: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
    rule: 'a whole number of slots',
  },
  node_history: oneOf('whole', 'forgotten', 'unavailable'),
  genesis_hash: orNull({
    accepts: (value) => typeof value === 'string' && addressBytes(value) !== undefined,
    rule: '32 bytes in base58',
  }),
  reply_signature: oneOf('own', 'previous'),
  token_replies: oneOf('as-made', 'token-2022-fee'),
};

export function parseReadings(value: unknown): Partial<Readings> {
  if (!isObject(value)) throw badCall('readings must be an object');
  for (const [name, setting] of Object.entries(value)) obey(rules, name, setting);
  return value as Partial<Readings>;
}

export function readingsOf(ledger: Ledger): Readings {
  return { ...defaultReadings, ...(JSON.parse(ledger.fact('readings') ?? '{}') as Partial<Readings>) };
}

/** The current slot depends on the last slot in the ledger, the length of a slot, and the time. */
type SlotClock = { ledger: Ledger; readings: Pick<Readings, 'slot_ms'>; nowMs: number };

/** Slots only grow: with the time since the last stored slot, and by one with each transaction. */
export function currentSlot({ ledger, readings, nowMs }: SlotClock): number {
  const kept = Number(ledger.fact('slot'));
  if (readings.slot_ms === 0) return kept;
  return kept + Math.max(0, Math.floor((nowMs - Number(ledger.fact('slot_at_ms'))) / readings.slot_ms));
}

export function keepSlot(slot: number, { ledger, nowMs }: SlotClock): void {
  ledger.putFact('slot', String(slot));
  ledger.putFact('slot_at_ms', String(nowMs));
}
