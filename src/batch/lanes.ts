import type { Kind } from '../intent/wanted.ts';
import type { Runway } from './runway.ts';

/** How many rows are in hand at a time: in flight, waiting for it, or being put on record. */
export type Lanes = {
  readonly count: number;
  /** Rows are claimed before there is room for their requests. */
  readonly isAhead: boolean;
};

// With 4, twice as many commits, and a twentieth more of CPU for each row.
const lanesAPlace = 16;
const mostAhead = 256;

/**
 * Claims ahead keep the service busy while the journal is, and make commits few and large. But what a kill leaves of
 * them is in doubt: a message is then sent again under its key for a day, a transfer for half an hour only. Nor is
 * anything claimed long before a slow pace lets it go.
 */
export function lanesFor(kind: Kind, concurrency: number, ratePerS: number | undefined): Lanes {
  const isAhead = kind === 'message' && ratePerS === undefined;
  const count = Math.min(lanesAPlace * concurrency, mostAhead);
  return { isAhead, count: isAhead ? Math.max(count, concurrency) : concurrency };
}

const whileOthersAreSentMs = 10;
const untilOthersLandMs = 2;

/**
 * How long a commit waits for more to share it. One in a file holds this process up, so it is made when the runway is
 * empty; a server makes it while others are sent. Where none are to be sent, it waits for those that can still land,
 * until no more than half of what is in flight are left, in a file a quarter: of transfers, a commit that is shared by
 * a third more rows takes a tenth less of a server, and of a file 4 % less of a row's CPU.
 */
export function worthWaitingMs({ waiting, inFlight, places }: Runway, isShared: boolean): number {
  if (waiting > 0) return isShared ? 0 : whileOthersAreSentMs;
  return inFlight > places / (isShared ? 2 : 4) ? untilOthersLandMs : 0;
}
