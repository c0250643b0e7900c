import type { Intent, NewIntent } from './journal.ts';

/** As it stands once it has begun. Written out: for each row of a batch, copying with a rest is slow. */
export function intentAsBegun(intent: NewIntent, owner: string, tokenHash: string, at: number): Intent {
  return {
    id: intent.id,
    kind: intent.kind,
    baseUrl: intent.baseUrl,
    spelledUrl: intent.spelledUrl,
    bot: intent.bot,
    namedBy: intent.namedBy,
    name: intent.name,
    rowId: intent.rowId,
    key: intent.key,
    identity: intent.identity,
    fingerprint: intent.fingerprint,
    payment: intent.payment,
    body: intent.body,
    state: 'sending',
    tainted: false,
    mayHaveLandedAtMs: undefined,
    tokenHash,
    owner,
    ownerLives: true,
    why: undefined,
    resolvedAs: undefined,
    attempts: 1,
    createdAtMs: at,
    updatedAtMs: at,
    reportedAtMs: undefined,
  };
}
