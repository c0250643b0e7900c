import type { Kind } from '../intent/wanted.ts';
import type { Intent } from '../journal/journal.ts';
import type { HeldReason } from './verdict.ts';

const defaultTransferKeyAgeMs = 30 * 60_000;
const messageKeyAgeMs = 24 * 3_600_000;
export const tolerableClockStepMs = 5 * 60_000;

export function keyAgeMs(kind: Kind, transferKeyAgeMs: number | undefined): number {
  return kind === 'message' ? messageKeyAgeMs : (transferKeyAgeMs ?? defaultTransferKeyAgeMs);
}

/**
 * Whether the service may have forgotten the key of something that may have landed. Nobody promises how
 * long it remembers; and a clock that went back cannot tell how long ago anything was.
 */
export function tooOldToSend(
  intent: Pick<Intent, 'kind' | 'mayHaveLandedAtMs' | 'createdAtMs' | 'updatedAtMs'>,
  transferKeyAgeMs: number | undefined,
  nowMs: number,
): Extract<HeldReason, 'key-age' | 'clock'> | undefined {
  if (intent.mayHaveLandedAtMs === undefined) return undefined;
  const latestMs = Math.max(intent.createdAtMs, intent.updatedAtMs, intent.mayHaveLandedAtMs);
  if (nowMs < latestMs - tolerableClockStepMs) return 'clock';
  return nowMs - intent.mayHaveLandedAtMs > keyAgeMs(intent.kind, transferKeyAgeMs) ? 'key-age' : undefined;
}
