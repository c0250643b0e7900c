import type { Order } from '../entry/naming.ts';
import { bodyBytes, isWhole } from '../entry/wanted.ts';
import { Failure, isOutage, noteClaim } from '../failures.ts';
import { whyClosed } from '../journal/failures.ts';
import type { Decision, Entry, Journal, NewEntry, Process, Reads, Transaction } from '../journal/journal.ts';
import type { ApprovalReason } from './approval.ts';
import { type Agreed, agree, type Consent, waitForOwner } from './beforeClaim.ts';
import type { EngineContext } from './context.ts';
import { equalPayments } from './equal.ts';
import { engineFailure } from './failures.ts';
import { concluded, mustFind, type Outcome, type PaidAlready, type Stopped } from './outcome.ts';
import { type Identity, identify, makePlan, newEntry, type Plan, whyHold } from './plan.ts';
import { isBeingSent, isInDoubt } from './standing.ts';
import type { HeldReason } from './verdict.ts';

/** An entry that this process owns, with its first attempt on record. */
export type Claim = {
  readonly is: 'claim';
  readonly entry: Entry;
  readonly number: number;
};

/** The result of one look at the journal and one commit. */
export type Step =
  | Claim
  | Outcome
  | { readonly is: 'wait'; readonly entry: Entry }
  | { readonly is: 'changed' };

/** Asks, decides and claims. Waits for a living owner if there is one. */
export async function claim(
  order: Order,
  engine: EngineContext,
  consent?: Consent,
  identity = identify(order, engine.bot, engine.journal),
): Promise<Claim | Outcome> {
  refuseUnnamed(order, engine.journal);
  // Random values are drawn before the commit, which may be made again.
  const candidate = newEntry(identity, engine.bot, engine.chance.uuid);
  return untilClaimed(async (waitedFor) => {
    const agreed = consent && (await agree(identity, engine, consent, waitedFor));
    if (agreed !== undefined && !('found' in agreed)) return agreed;
    return engine
      .commit((tx) => actOnPlan(identity, candidate, tx, engine, agreed, waitedFor), { beforeSending: true })
      .catch((thrown: unknown) => {
        throw stillInDoubt(thrown, agreed?.found);
      });
  }, engine);
}

/** A journal that goes away before anything is sent says nothing about what an earlier run may have sent. */
export function stillInDoubt(thrown: unknown, found: Entry | undefined): unknown {
  if (found === undefined || !isInDoubt(found) || !(thrown instanceof Failure && isOutage(thrown.code)))
    return thrown;
  const { id, kind } = found;
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

/**
 * Takes steps until one of them ends or claims. The limit on waiting for living owners applies to all steps together.
 */
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

/** The process that is sending it. A batch comes back to the row later, so it does not ask. */
async function senderOf({ owner }: Entry, { journal, limits }: EngineContext): Promise<Process | undefined> {
  return owner === undefined || limits.ownerWaitMs === 0 ? undefined : journal.reads.processOf(owner);
}

/** Makes the plan again inside the commit and acts on it. */
async function actOnPlan(
  identity: Identity,
  candidate: NewEntry,
  tx: Transaction,
  engine: EngineContext,
  agreed: Agreed | undefined,
  waitedFor: string | undefined,
): Promise<Step> {
  const look = (): Promise<Plan> => makePlan(identity, engine, tx, { again: agreed?.again, waitedFor });
  const seen = await look();
  const plan = (await ownerHasDied(seen, tx, engine.clock.now())) ? await look() : seen;
  if (agreed !== undefined && (plan.is !== agreed.is || plan.found?.id !== agreed.found?.id))
    return { is: 'changed' };
  return stepOf(plan, identity, candidate, tx, engine, agreed);
}

/** Does what the plan says. */
async function stepOf(
  { is, found }: Plan,
  identity: Identity,
  candidate: NewEntry,
  tx: Transaction,
  engine: EngineContext,
  agreed: Agreed | undefined,
): Promise<Step> {
  switch (is) {
    case 'new-entry':
      return begin(candidate, tx, engine, agreed);
    case 'name-taken':
      return nameTaken(mustFind(found), identity, engine);
    case 'wait':
      return { is: 'wait', entry: mustFind(found) };
    case 'hold':
    case 'retry':
      return resumeOrHold(mustFind(found), tx, engine);
    case 'needs-decision':
      return concluded(mustFind(found), tx, false);
    case 'already-done':
      return concluded(mustBeIntact(mustFind(found), 'done'), tx, true);
    case 'send-same-key': {
      const entry = await asWantedNow(mustFind(found), identity, candidate, tx, engine);
      return claimFound(entry, tx, engine, agreed);
    }
  }
}

export function nameTaken(
  found: Entry,
  { order: { wanted } }: Identity,
  { bot }: Pick<EngineContext, 'bot'>,
): Outcome {
  const entry = mustBeIntact(found);
  return entry.bot === bot.name
    ? { is: 'not-sent', because: 'other-body', entry, wanted }
    : { is: 'not-sent', because: 'other-bot', entry };
}

/** What was found, with the bot and the body that are given now. Its key stays. */
export async function asWantedNow(
  found: Entry,
  { order: { wanted }, fingerprint }: Identity,
  candidate: NewEntry,
  tx: Transaction,
  { bot }: Pick<EngineContext, 'bot'>,
): Promise<Entry> {
  const { id, key } = found;
  if (found.fingerprint !== fingerprint || found.bot !== bot.name)
    await tx.rewrite(id, { ...candidate, body: bodyBytes({ ...wanted.request }, key) });
  return mustFind(await tx.get(id));
}

/** Records the death of a `sending` entry's owner. */
async function ownerHasDied({ found }: Plan, tx: Transaction, nowMs: number): Promise<boolean> {
  if (found?.state !== 'sending' || isBeingSent(found)) return false;
  await tx.recordDeath(found.id, nowMs);
  return true;
}

/** Begins a new entry, unless something stands in its way. If it needs approval, records it as a proposal. */
async function begin(
  candidate: NewEntry,
  tx: Transaction,
  engine: EngineContext,
  agreed: Agreed | undefined,
): Promise<Claim | Outcome> {
  const { journal, bot, clock } = engine;
  const nowMs = clock.now();
  const [word, closed] = await Promise.all([
    engine.mayClaim(candidate, undefined, tx, engine),
    closedFor(tx, journal),
  ]);
  if (word.is === 'refused') return { is: 'not-sent', because: 'refused', failure: word.failure };
  if (word.is === 'needs-approval') {
    refuseUnnamedProposal(candidate);
    const entry = await tx.propose(candidate, 'approval', nowMs);
    await keepProposer(entry, tx, engine, word.needs);
    return concluded(entry, tx, false);
  }
  // Nobody was asked while it was closed, so it begins nothing where it was opened since.
  const shut = closed?.failure ?? agreed?.closed;
  if (shut !== undefined) return { is: 'not-sent', because: 'refused', failure: shut };
  const paid = await paidAlready(candidate, tx, engine, agreed);
  if (paid !== undefined) return paid;
  const entry = await tx.begin(candidate, journal.hashOf(bot.token.reveal()), nowMs);
  word.reserve?.();
  return { is: 'claim', entry, number: entry.attempts };
}

/** Only a name keeps an approval with its payment. */
export function refuseUnnamedProposal({ namedBy }: Pick<Entry, 'namedBy'>): void {
  if (namedBy === undefined) throw engineFailure('unnamed-proposal', {});
}

/** Resumes an entry that may have landed or was never sent, or holds it if it must not go out by itself. */
export async function resumeOrHold(
  entry: Entry,
  tx: Transaction,
  engine: EngineContext,
  agreed?: Pick<Agreed, 'pays' | 'closed'>,
): Promise<Step> {
  const why = whyHold(entry, engine);
  return why === undefined ? claimFound(entry, tx, engine, agreed) : holdFor(why, entry, tx, engine);
}

/** Claims an entry that is on record, unless something stands in its way. Keeps `decision`, a person's word to send it. */
export async function claimFound(
  entry: Entry,
  tx: Transaction,
  engine: EngineContext,
  agreed?: Pick<Agreed, 'pays' | 'closed'>,
  decision?: Decision,
): Promise<Claim | Outcome> {
  const { id, fingerprint, mayHaveLandedAtMs } = entry;
  const { journal, bot, clock } = engine;
  const nowMs = clock.now();
  const mayHavePaid = mayHaveLandedAtMs !== undefined;
  const [word, closed] = await Promise.all([
    engine.mayClaim(mustHaveIntactRequest(entry), entry, tx, engine),
    closedFor(tx, journal),
  ]);
  // An entry that may have landed is held, never refused and never proposed.
  if (word.is !== 'allowed' && mayHavePaid) return holdFor('not-allowed', entry, tx, engine);
  if (word.is === 'refused') return { is: 'not-sent', because: 'refused', failure: word.failure };
  if (word.is === 'needs-approval') return holdFor('approval', entry, tx, engine, word.needs);
  if (closed !== undefined && mayHavePaid) return { ...(await concluded(entry, tx, false)), stopped: closed };
  // Nobody was asked while it was closed, so it begins nothing where it was opened since.
  const shut = closed?.failure ?? agreed?.closed;
  if (shut !== undefined) return { is: 'not-sent', because: 'refused', failure: shut };
  const paid = mayHavePaid ? undefined : await paidAlready(entry, tx, engine, agreed);
  if (paid !== undefined) return paid;
  if (decision !== undefined) await tx.decide(id, { ...decision, fingerprint });
  await tx.claim(id, nowMs);
  const begun = mustHaveIntactRequest(await tx.startAttempt(id, journal.hashOf(bot.token.reveal()), nowMs));
  word.reserve?.();
  return { is: 'claim', entry: begun, number: begun.attempts };
}

/** Why the journal begins no attempt. Asked in the commit that would begin it, and nowhere else. */
export async function closedFor(
  reads: Pick<Reads, 'closings'>,
  { place }: Pick<Journal, 'place'>,
): Promise<Extract<Stopped, { because: 'closed' }> | undefined> {
  const failure = whyClosed(place, await reads.closings());
  return failure && { because: 'closed', failure };
}

/** In a journal that was moved nobody decides: what goes on is at the other place. */
export async function refuseMoved(
  reads: Pick<Reads, 'closings'>,
  journal: Pick<Journal, 'place'>,
): Promise<void> {
  const closed = await closedFor(reads, journal);
  if (closed?.failure.code === 'journal-moved') throw closed.failure;
}

/** The equal payments, unless somebody has said that this one is meant besides them. */
async function paidAlready(
  payment: Pick<Entry, 'id' | 'baseUrl' | 'payment'>,
  tx: Transaction,
  { bot, clock, repeats }: EngineContext,
  agreed: Pick<Agreed, 'pays' | 'closed'> | undefined,
): Promise<PaidAlready | undefined> {
  if (repeats === 'pay') return undefined;
  const besides = agreed === undefined ? repeats : { ids: agreed.pays };
  const others = await equalPayments(payment, bot, tx, clock.now(), besides);
  const [equal] = others;
  if (equal === undefined) return undefined;
  return { is: 'not-sent', because: 'paid-already', equal, ids: others.map(({ id }) => id) };
}

async function keepProposer(
  { id, fingerprint }: Entry,
  tx: Transaction,
  { who, proposes, clock, journal }: EngineContext,
  needs: Decision['needs'],
): Promise<void> {
  await refuseMoved(tx, journal);
  const reason: ApprovalReason = proposes === true ? 'proposed' : 'above-limit';
  const proposal = { kind: 'proposed', reason, signature: undefined, fingerprint, needs } as const;
  await tx.decide(id, { ...proposal, who, atMs: clock.now() });
}

async function holdFor(
  why: HeldReason,
  entry: Entry,
  tx: Transaction,
  engine: EngineContext,
  needs?: Decision['needs'],
): Promise<Outcome> {
  const { id } = entry;
  if (why === 'approval') {
    refuseUnnamedProposal(entry);
    // Only the first command that wanted an approval is its proposer. A re-run may want it of another role.
    const proposals = (await tx.decisionsOf(id)).filter(({ kind }) => kind === 'proposed');
    const isProposed = proposals.some((one) => needs === undefined || one.needs === needs);
    if (!isProposed) await keepProposer(entry, tx, engine, needs);
  }
  await tx.hold(id, why, engine.clock.now());
  return concluded(mustFind(await tx.get(id)), tx, false);
}

/** A flipped bit on the disk must not be sent, taken for another body, or reported as what happened. */
function mustBeIntact(entry: Entry, before?: 'done' | 'in-doubt'): Entry {
  const { id, body, key, fingerprint } = entry;
  if (isWhole(body, key, fingerprint)) return entry;
  throw engineFailure('entry-changed', { id, before });
}

function mustHaveIntactRequest(entry: Entry): Entry {
  return mustBeIntact(entry, entry.mayHaveLandedAtMs === undefined ? undefined : 'in-doubt');
}
