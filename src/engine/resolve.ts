import { isDeepStrictEqual } from 'node:util';
import type { Decision, Intent, Journal, Reads } from '../journal/journal.ts';
import { guardsOf } from './claim.ts';
import { engineFailure } from './facts.ts';
import { mustFind } from './outcome.ts';
import { isBeingSent } from './plan.ts';

/** An operator's word on whether it happened; refused where the journal has the proof, or another such word. */
export async function resolveIntent(
  id: string,
  decision: Decision,
  journal: Journal,
  overrule: boolean = false,
): Promise<Intent> {
  const { beforeSending: _nothingIsSent, ...guards } = guardsOf(mustFind(await journal.reads.get(id)), {
    journal,
  });
  return journal.commit(async (tx) => {
    await tx.recordDeath(id, decision.atMs);
    const intent = mustFind(await tx.get(id));
    refuseWhatIsProven(intent);
    if (!overrule && reverses(decision, intent)) {
      throw engineFailure('decided-otherwise', { id, decision, earlier: await lastDecision(id, tx) });
    }
    // Made once more, because nobody heard how it ended: it is there.
    if (isDeepStrictEqual(await lastDecision(id, tx), decision)) return intent;
    await tx.decide(id, decision);
    return (await tx.get(id)) ?? intent;
  }, guards);
}

function refuseWhatIsProven(intent: Intent): void {
  const { id, state } = intent;
  if (isBeingSent(intent)) throw engineFailure('being-sent', { id });
  if (state === 'accepted' || state === 'rejected') throw engineFailure('proven', { id, state });
}

/** Whether it would turn an earlier decision round. */
export function reverses({ kind }: Decision, { state, resolvedAs }: Intent): boolean {
  return state === 'resolved' && resolvedAs !== kind;
}

/** The decision that stands. */
export async function lastDecision(id: string, reads: Reads): Promise<Decision | undefined> {
  const decisions = await reads.decisionsOf(id);
  return decisions.findLast(({ kind }) => kind !== 'send-again');
}
