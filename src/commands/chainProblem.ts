import { signatureIn } from '../chain/ownSignatures.ts';
import type { ChainView } from '../chain/proof.ts';
import { type ChainStanding, isAgainst, isOfOtherTime, standingOf } from '../chain/standing.ts';
import type { Until } from '../chain/watch.ts';
import type { Attempt, Intent, Reads } from '../journal/journal.ts';
import { contradicted, notSeen, ofOtherTime, otherSignature } from '../words/chain.ts';
import { type Problem, problemOf } from '../words/told.ts';

/** How waiting for the chain ended. */
export type ChainEnd = { readonly view: ChainView; readonly until: Until };

export async function chainStandingOf(
  intent: Intent,
  reads: Pick<Reads, 'observationsOf'>,
): Promise<ChainStanding> {
  return standingOf(intent.kind === 'transfer' ? await reads.observationsOf(intent.id) : []);
}

/** What the chain says against an accepted transfer, or does not say of it yet; nothing where all is well. */
export function chainProblem(
  intent: Intent,
  attempt: Attempt | undefined,
  standing: ChainStanding,
  end?: ChainEnd,
): Problem | undefined {
  if (intent.state !== 'accepted') return undefined;
  const { view, acknowledged } = standing;
  const proven = view?.verdict === 'proven' ? view.signature : undefined;
  const replied = attempt === undefined ? undefined : signatureIn(attempt);
  if (proven !== undefined && replied !== undefined && proven !== replied && !acknowledged)
    return problemOf(otherSignature(intent, proven, replied));
  if (view !== undefined && isAgainst(view) && !acknowledged) return problemAgainst(intent, view);
  if (end === undefined || view?.verdict === 'proven' || acknowledged) return undefined;
  const isReached = end.view.verdict === 'likely' && end.until === 'confirmed';
  return isReached ? undefined : problemOf(notSeen(intent, end.view));
}

/** What a person must deal with. */
export function problemAgainst(intent: Intent, view: ChainView): Problem {
  return problemOf(isOfOtherTime(view) ? ofOtherTime(intent, view) : contradicted(intent, view));
}
