import type { Entry } from '../journal/journal.ts';
import { asWantedNow, nameTaken } from './claim.ts';
import type { EngineContext } from './context.ts';
import { concluded, mustFind, type Outcome } from './outcome.ts';
import { type Identity, makePlan, newEntry } from './plan.ts';
import { isDone } from './planKinds.ts';

/**
 * Resolves a payment as happened without an attempt of its own: an equal one was made, and is all that was meant. It
 * counts as done for good. Nothing is resolved while the other one is not settled, or where this one is
 * `oneOfSeveral`: one payment was made, and nobody knows for which of them.
 */
export async function settleAsPaid(
  identity: Identity,
  { id: otherId }: Pick<Entry, 'id'>,
  engine: EngineContext,
  oneOfSeveral: boolean,
): Promise<Outcome> {
  const candidate = newEntry(identity, engine.bot, engine.chance.uuid);
  return engine.commit(async (tx) => {
    const { is, found } = await makePlan(identity, engine, tx);
    if (is === 'wait') return { is: 'still-sending', entry: mustFind(found) };
    if (is === 'name-taken') return nameTaken(mustFind(found), identity, engine);
    if (is !== 'new-entry' && is !== 'send-same-key') return concluded(mustFind(found), tx, true);
    const equal = mustFind(await tx.get(otherId));
    if (oneOfSeveral || !isDone(equal)) return { is: 'not-sent', because: 'paid-already', equal };
    const atMs = engine.clock.now();
    const { id } =
      found === undefined
        ? await tx.propose(candidate, 'approval', atMs)
        : await asWantedNow(found, identity, candidate, tx, engine);
    await tx.decide(id, { kind: 'happened', who: engine.who, atMs, reason: otherId, signature: undefined });
    return concluded(mustFind(await tx.get(id)), tx, false);
  });
}
