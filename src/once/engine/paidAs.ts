import type { Bot } from '../connection.ts';
import { underEachName } from '../entry/assetNames.ts';
import { nameOf } from '../entry/naming.ts';
import type { Entry, Reads } from '../journal/journal.ts';
import { rewrite } from './act.ts';
import { refuseMoved } from './answers.ts';
import { nameTaken } from './claim.ts';
import type { EngineContext } from './context.ts';
import { lastDecision } from './decisions.ts';
import { concluded, mustFind, type Outcome } from './outcome.ts';
import { type Identity, makePlan, newEntry, toSend } from './plan.ts';
import { isDone, isPaidByAnother } from './standing.ts';

/**
 * Resolves a payment as happened without sending it: an equal payment was made, and no second one was meant. It then
 * counts as done for good. If this is `oneOfSeveral` equal rows, it is not resolved: nobody knows which row was paid.
 */
export async function settleAsPaid(
  identity: Identity,
  { id: otherId }: Pick<Entry, 'id'>,
  engine: EngineContext,
  oneOfSeveral: boolean,
): Promise<Outcome> {
  const candidate = newEntry(identity, engine.bot, engine.chance.uuid);
  return engine.commit(async (tx) => {
    const plan = await makePlan(identity, engine, tx);
    if (plan.is === 'wait') return { is: 'still-sending', entry: plan.entry };
    if (plan.is === 'name-taken') return nameTaken(plan.entry, identity, engine);
    if (plan.is !== 'new-entry' && plan.is !== 'send-same-key') return concluded(plan.entry, tx, true);
    const equal = mustFind(await tx.get(otherId));
    const mayHavePaid = plan.entry?.wasInDoubt === true;
    if (oneOfSeveral || mayHavePaid || !(await settlesOne(equal, identity, engine.bot, tx)))
      return { is: 'not-sent', because: 'paid-already', equal, ids: [otherId] };
    await refuseMoved(tx, engine.journal);
    const atMs = engine.clock.now();
    const entry = toSend(plan, { identity, candidate }, engine);
    const { id } = entry;
    if (plan.is === 'new-entry') await tx.propose(entry, 'approval', atMs);
    else await rewrite(plan.entry, entry, tx);
    await tx.decide(id, { kind: 'happened', who: engine.who, atMs, reason: otherId, signature: undefined });
    return concluded(mustFind(await tx.get(id)), tx, false);
  });
}

/** Whether `other` is proven, is not a row of this batch, and has settled no other row: one payment settles one row. */
async function settlesOne(
  other: Entry,
  { order: { naming }, payment }: Identity,
  { assetNames }: Pick<Bot, 'assetNames'>,
  reads: Pick<Reads, 'observationsOf' | 'settledBy'>,
): Promise<boolean> {
  const { id, state, namedBy, name } = other;
  if (!isDone(other) || (namedBy === 'row' && name === nameOf(naming))) return false;
  const isProven = state === 'accepted' || (await reads.observationsOf(id)).at(-1)?.verdict === 'proven';
  const settled = underEachName(payment, assetNames).map((one) => reads.settledBy(one, id));
  return isProven && (await Promise.all(settled)).every((row) => row === undefined);
}

/** The entry whose payment settled this one. */
export async function paidAs(
  entry: Entry,
  reads: Pick<Reads, 'decisionsOf' | 'get'>,
): Promise<Entry | undefined> {
  if (!isPaidByAnother(entry)) return undefined;
  const decision = await lastDecision(entry.id, reads);
  return decision?.kind === 'happened' ? reads.get(decision.reason) : undefined;
}
