/** Why a verdict is what it is; also what is odd about a payment that is proven. */
export const reasons = [
  'no-signature',
  'no-mint',
  'not-seen',
  'only-processed',
  'only-confirmed',
  'unreachable',
  'rate-limited',
  'node-error',
  'not-permitted',
  'lagging',
  'other-cluster',
  'nodes-disagree',
  'unreadable',
  'unknown-version',
  'not-first-signature',
  'failed',
  'other-recipient',
  'other-asset',
  'other-amount',
  'wrapped-sol',
  'no-transfer',
  'claimed',
  'other-source',
  'owner-unclear',
  'balance-differs',
  'scaled-mint',
  'confidential',
  'in-parts',
  'no-gain',
  'other-time',
  'clock',
  'no-time',
  'source-unchecked',
  'memo-missing',
  'fee-withheld',
] as const;

export type Reason = (typeof reasons)[number];

/** What a node said cannot be read as what it should be: nothing follows from it. `what` is for who looks for a bug. */
export class Unreadable extends Error {
  readonly reason: Reason;

  constructor(what: string, reason: Reason = 'unreadable') {
    super(what);
    this.reason = reason;
  }
}
