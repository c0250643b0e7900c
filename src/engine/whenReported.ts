import type { Intent, Reads } from '../journal/journal.ts';
import { tolerableClockStepMs } from './keyAge.ts';
import { type Found, rerunWindowMs } from './rerun.ts';

/**
 * When the outcome was first told, as far as clocks can be believed. This machine's clock may have been wrong then, or be wrong now. The service's own date, kept with its reply,
 * may move a deed later, or out of the future; never otherwise earlier, for it may come from a cache.
 */
export async function whenReported(
  intent: Intent,
  reads: Pick<Reads, 'decisiveAttempt'>,
  nowMs: number,
): Promise<Found['reported']> {
  const { reportedAtMs, kind } = intent;
  if (reportedAtMs === undefined) return 'never';
  const placeOf = (ms: number): Found['reported'] => {
    if (ms > nowMs + tolerableClockStepMs) return 'ahead';
    return nowMs - ms <= rerunWindowMs[kind] ? 'within-window' : 'long-ago';
  };
  const byThisClock = placeOf(reportedAtMs);
  if (byThisClock === 'within-window') return byThisClock;
  const dateMs = await servicesDateMs(intent, reads);
  return dateMs === undefined ? byThisClock : placeOf(dateMs);
}

async function servicesDateMs(
  { id }: Intent,
  reads: Pick<Reads, 'decisiveAttempt'>,
): Promise<number | undefined> {
  const attempt = await reads.decisiveAttempt(id);
  const dateMs = attempt?.verdict === 'accepted' ? Date.parse(attempt.headers.date ?? '') : Number.NaN;
  return Number.isNaN(dateMs) ? undefined : dateMs;
}
