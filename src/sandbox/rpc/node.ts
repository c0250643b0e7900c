import type { Derived } from '../derived.ts';
import type { Ledger } from '../ledger.ts';
import { parseReadings, type Readings } from '../readings.ts';
import type { Service } from '../service.ts';
import { currentSlot } from '../slots.ts';

/** The node that one request asks: what it holds, as of which slot, and how it reads its own part. */
export type Node = {
  ledger: Ledger;
  derived: Derived;
  readings: Readings;
  nowMs: number;
  /** The newest slot it knows. */
  slot: number;
};

export const stages = ['processed', 'confirmed', 'finalized'] as const;
export type Stage = (typeof stages)[number];

export const isAtLeast = (stage: Stage, wanted: Stage): boolean =>
  stages.indexOf(stage) >= stages.indexOf(wanted);

/** A node's own readings may also stand in the URL: a second node, over the same ledger, that disagrees. */
const ownReadings = [
  'commitment_held_at',
  'node_lag_slots',
  'node_history',
  'genesis_hash',
  'rpc_rate_limit',
  'token_replies',
];

export function nodeFor(url: string, service: Service): Node | { problem: string } {
  const given = [...new URLSearchParams(url.split('?')[1] ?? '')];
  const other = given.find(([name]) => !ownReadings.includes(name));
  if (other !== undefined) return { problem: `The URL may set ${ownReadings.join(', ')}, not ${other[0]}` };
  const change = parseReadings(Object.fromEntries(given.map(([name, text]) => [name, jsonOrText(text)])));
  if (!change.ok) return { problem: change.problem };
  return nodeWith({ ...service.readings(), ...change.change }, service);
}

function nodeWith(readings: Readings, { ledger, derived, nowMs }: Service): Node {
  const now = nowMs();
  const slot = currentSlot({ ledger, readings, nowMs: now });
  return { ledger, derived, readings, nowMs: now, slot: Math.max(0, slot - readings.node_lag_slots) };
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The newest slot of which a node speaks at a commitment. */
export function slotAt(commitment: Stage, { slot, readings }: Node): number {
  return readings.slot_ms === 0 ? slot : Math.max(0, slot - stages.indexOf(commitment));
}

/** How far a transaction has come for this node; undefined where it does not know of it. */
export function stageOf(transactionSlot: number, { slot, readings }: Node): Stage | undefined {
  const age = slot - transactionSlot;
  if (age < 0) return undefined;
  const due = readings.slot_ms === 0 ? 'finalized' : (stages[Math.min(age, 2)] ?? 'finalized');
  const held = readings.commitment_held_at;
  const stage = held !== null && isAtLeast(due, held) ? held : due;
  const isGone = stage === 'finalized' && ['dropped', 'forgotten'].includes(readings.node_history);
  return isGone ? undefined : stage;
}
