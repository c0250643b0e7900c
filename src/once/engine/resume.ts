import type { Decision, Intent, Journal, Reads, Transaction } from '../journal/journal.ts';
import { approvalOn, isProposal, isUnsentProposal, lastDecision } from './approval.ts';
import { claimFound, resumeOrHold, type Step, untilClaimed } from './claim.ts';
import type { EngineContext } from './context.ts';
import { carryOut } from './execute.ts';
import { engineFailure } from './facts.ts';
import { concluded, mustFind, type Outcome } from './outcome.ts';
import { isBeingSent } from './plan.ts';
import { refuseChanged, type Shown } from './shown.ts';

/**
 * Sends a known intent with its own key and bytes, as far as the rules and a person's decision allow. `pays` is an equal
 * payment that a person has seen.
 */
export async function resume(
  shown: Shown,
  engine: EngineContext,
  decision: Decision | undefined,
  pays?: string,
): Promise<Outcome> {
  const take = (tx: Transaction): Promise<Step> => takeUp(shown, tx, engine, decision, pays);
  const step = await untilClaimed(() => engine.commit(take, { beforeSending: true }), engine);
  return step.is === 'claim' ? carryOut(step, engine) : step;
}

async function takeUp(
  shown: Shown,
  tx: Transaction,
  engine: EngineContext,
  decision: Decision | undefined,
  pays: string | undefined,
): Promise<Step> {
  const { id } = shown.intent;
  await tx.recordDeath(id, engine.clock.now());
  const intent = mustFind(await tx.get(id));
  // Whatever else others have made of it is told, or gone on with, as without a decision.
  if (decision !== undefined && intent.state === 'held') await refuseChanged(shown, intent, tx);
  switch (intent.state) {
    case 'sending':
      return { is: 'wait', intent };
    case 'unknown':
    case 'open':
      return resumeOrHold(intent, tx, engine, { pays });
    case 'held':
      // The decision is kept in the commit that sends it.
      return decision?.kind === (isProposal(intent) ? 'approved' : 'send-again')
        ? claimFound(intent, tx, engine, { pays }, decision)
        : concluded(intent, tx, false);
    case 'accepted':
    case 'rejected':
    case 'resolved':
      return concluded(intent, tx, true);
  }
}

/** Refuses to send again what only a person's approval sends. */
export function refuseProposal(intent: Intent): void {
  const { id, tainted } = intent;
  if (isProposal(intent)) throw engineFailure('is-proposal', { id, tainted });
}

/** Whether a person's approval is asked for now, or was given before. Refuses what is no proposal. */
export async function needsApprovalNow(intent: Intent, reads: Pick<Reads, 'decisionsOf'>): Promise<boolean> {
  const { id, state, tainted, fingerprint, resolvedAs } = intent;
  if (isProposal(intent)) return true;
  if (resolvedAs === 'declined')
    throw engineFailure('proposal-declined', { id, declined: await lastDecision(id, reads) });
  if (approvalOn(await reads.decisionsOf(id), fingerprint) === undefined)
    throw engineFailure('not-a-proposal', { id, state, tainted });
  return false;
}

/** Records an operator's decision whether it happened. The last word counts. Refused if the journal has proof. */
export async function resolveIntent(shown: Shown, decision: Decision, journal: Journal): Promise<Intent> {
  return decideOn(shown, decision, journal, async (intent, tx) => {
    const { id, resolvedAs } = intent;
    refuseWhatIsProven(intent);
    if (isUnsentProposal(intent)) throw engineFailure('is-proposal', { id, tainted: false });
    const earlier = await lastDecision(id, tx);
    if (resolvedAs === 'declined') throw engineFailure('proposal-declined', { id, declined: earlier });
    // Somebody else has decided the same meanwhile.
    if (resolvedAs === decision.kind && shown.intent.resolvedAs !== resolvedAs) return undefined;
    // The commit ran again because its result was lost. The decision is already there.
    return earlier !== undefined && isSameDecision(earlier, decision) ? undefined : decision;
  });
}

/** Records that a person does not want what was proposed. An approval may be withdrawn while nothing was paid. */
export async function declineProposal(shown: Shown, decision: Decision, journal: Journal): Promise<Intent> {
  return decideOn(shown, decision, journal, async (intent, tx) => {
    const { id, state, tainted, fingerprint, resolvedAs } = intent;
    if (resolvedAs === 'declined') return undefined;
    const isApproved = approvalOn(await tx.decisionsOf(id), fingerprint) !== undefined;
    const isUnpaid = state === 'open' || state === 'rejected';
    if (isUnsentProposal(intent) || (isUnpaid && isApproved)) return { ...decision, fingerprint };
    throw engineFailure('not-a-proposal', { id, state, tainted });
  });
}

/** What is decided of an intent as it stands in the commit; nothing if that is decided already. */
async function decideOn(
  shown: Shown,
  { atMs }: Decision,
  journal: Journal,
  decide: (intent: Intent, tx: Transaction) => Promise<Decision | undefined>,
): Promise<Intent> {
  const { id } = shown.intent;
  return journal.commit(async (tx) => {
    await tx.recordDeath(id, atMs);
    const intent = mustFind(await tx.get(id));
    const decided = await decide(intent, tx);
    if (decided === undefined) return intent;
    await refuseChanged(shown, intent, tx);
    await tx.decide(id, decided);
    return (await tx.get(id)) ?? intent;
  });
}

function refuseWhatIsProven(intent: Intent): void {
  const { id, state } = intent;
  if (isBeingSent(intent)) throw engineFailure('being-sent', { id });
  if (state === 'accepted' || state === 'rejected') throw engineFailure('proven', { id, state });
}

/** Whether it would reverse an earlier decision. */
export function reverses({ kind }: Decision, { state, resolvedAs }: Intent): boolean {
  return state === 'resolved' && resolvedAs !== 'declined' && resolvedAs !== kind;
}

function isSameDecision(one: Decision, other: Decision): boolean {
  return (
    one.kind === other.kind && one.who === other.who && one.atMs === other.atMs && one.reason === other.reason
  );
}
