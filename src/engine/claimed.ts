import type { Interrupts } from '../machine/interrupts.ts';

/** What a process has claimed: how much, and what last. */
type Claimed = { readonly intents: number; readonly lastId: string };

// A process is known by its interrupts.
const claimed = new WeakMap<Interrupts, Claimed>();

export function noteClaim(interrupts: Interrupts, id: string): void {
  claimed.set(interrupts, { intents: (claimed.get(interrupts)?.intents ?? 0) + 1, lastId: id });
}

export function claimedBy(interrupts: Interrupts): Claimed | undefined {
  return claimed.get(interrupts);
}
