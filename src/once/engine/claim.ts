import type { Order } from '../entry/naming.ts';
import { Failure, isOutage, noteClaim } from '../failures.ts';
import type { Entry, Journal, Process, Transaction } from '../journal/journal.ts';
import { actOn, type Claim, type Step } from './act.ts';
import { mustBeIntact } from './answers.ts';
import { type Agreed, agree, type Consent, waitForOwner } from './beforeClaim.ts';
import type { EngineContext } from './context.ts';
import { engineFailure } from './failures.ts';
import type { Outcome } from './outcome.ts';
import { type Identity, identify, makePlan, newEntry, type Ordered, type Plan, toSend } from './plan.ts';
import { isBeingSent, isInDoubt } from './standing.ts';

/** Asks, decides and claims. Waits for a living owner if there is one. */
export async function claim(
  order: Order,
  engine: EngineContext,
  consent?: Consent,
  identity = identify(order, engine.bot, engine.journal),
): Promise<Claim | Outcome> {
  refuseUnnamed(order, engine.journal);
  // Random values are drawn before the commit, because a commit may run again.
  const ordered = { identity, candidate: newEntry(identity, engine.bot, engine.chance.uuid) };
  return untilClaimed(async (waitedFor) => {
    const agreed = consent && (await agree(ordered, engine, consent, waitedFor));
    if (agreed !== undefined && !('plan' in agreed)) return agreed;
    const asked = agreed === undefined ? engine : { ...engine, besides: agreed.besides };
    return engine
      .commit((tx) => actOnPlan(ordered, tx, asked, agreed, waitedFor), { beforeSending: true })
      .catch((thrown: unknown) => {
        throw stillInDoubt(thrown, agreed?.plan.entry);
      });
  }, engine);
}

/** If the journal goes away before anything is sent, say nevertheless that an earlier run may have sent it. */
export function stillInDoubt(thrown: unknown, entry: Entry | undefined): unknown {
  if (entry === undefined || !isInDoubt(entry) || !(thrown instanceof Failure && isOutage(thrown.code)))
    return thrown;
  const { id, kind } = entry;
  return engineFailure('still-in-doubt', { id, kind, why: thrown.message }, thrown);
}

/**
 * A server that is restored or promoted can lose commits that it acknowledged. A named entry survives that as long as
 * the service remembers its key. Without a name, the same transfer would be sent as a new one.
 */
export function refuseUnnamed(
  { naming, wanted }: Order,
  { isShared, place }: Pick<Journal, 'isShared' | 'place'>,
): void {
  if (isShared && naming.by === 'nothing' && wanted.kind === 'transfer')
    throw engineFailure('unnamed-on-shared', { place, kind: wanted.kind });
}

/** Takes steps until one gives an outcome or a claim. All waits for living owners share one limit. */
export async function untilClaimed(
  take: (waitedFor: string | undefined) => Promise<Step>,
  engine: EngineContext,
): Promise<Claim | Outcome> {
  let waitedMs = 0;
  let waitedFor: string | undefined;
  for (;;) {
    const step = await take(waitedFor);
    if (step.is === 'changed') continue;
    if (step.is !== 'wait') {
      if (step.is === 'claim') noteClaim(engine.interrupts, step.entry.id);
      return step;
    }
    const waited = await waitForOwner(step.entry, engine, waitedMs);
    waitedMs = waited.inAllMs;
    waitedFor = step.entry.id;
    if (waited.is === 'ended') continue;
    return { is: 'still-sending', entry: step.entry, by: await senderOf(step.entry, engine) };
  }
}

/** The process that is sending it. Undefined in a batch, which comes back to the row later. */
async function senderOf({ owner }: Entry, { journal, limits }: EngineContext): Promise<Process | undefined> {
  return owner === undefined || limits.ownerWaitMs === 0 ? undefined : journal.reads.processOf(owner);
}

/** Makes the plan again inside the commit and acts on it. */
async function actOnPlan(
  ordered: Ordered,
  tx: Transaction,
  engine: EngineContext,
  agreed: Agreed | undefined,
  waitedFor: string | undefined,
): Promise<Step> {
  const { identity } = ordered;
  const look = (): Promise<Plan> => makePlan(identity, engine, tx, { again: agreed?.again, waitedFor });
  const seen = await look();
  const plan = (await recordDeathOfOwner(seen, tx, engine.clock.now())) ? await look() : seen;
  // If the plan has changed since the person agreed, ask again. A limit or another payment may still change its course.
  if (agreed !== undefined && (plan.is !== agreed.plan.is || plan.entry?.id !== agreed.plan.entry?.id))
    return { is: 'changed' };
  if (plan.is === 'name-taken') return nameTaken(plan.entry, identity, engine);
  return actOn(plan, toSend(plan, ordered, engine), tx, engine, { mayBegin: agreed?.mayBegin });
}

export function nameTaken(
  taken: Entry,
  { order: { wanted } }: Identity,
  { bot }: Pick<EngineContext, 'bot'>,
): Outcome {
  const entry = mustBeIntact(taken);
  return entry.bot === bot.name
    ? { is: 'not-sent', because: 'other-body', entry, wanted }
    : { is: 'not-sent', because: 'other-bot', entry };
}

/** Records the death of a `sending` entry's owner. */
async function recordDeathOfOwner({ entry }: Plan, tx: Transaction, nowMs: number): Promise<boolean> {
  if (entry?.state !== 'sending' || isBeingSent(entry)) return false;
  await tx.recordDeath(entry.id, nowMs);
  return true;
}
