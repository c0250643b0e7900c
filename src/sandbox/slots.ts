import type { Ledger } from './ledger.ts';
import type { Readings } from './readings.ts';

/** What the clock of slots is told by: the ledger's last slot, how long a slot is, and the time. */
type SlotClock = { ledger: Ledger; readings: Pick<Readings, 'slot_ms'>; nowMs: number };

/** Slots only ever go up: by the time since the last one that was kept, and by one with each transaction. */
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
