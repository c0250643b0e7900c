import type { Bot } from '../connection.ts';
import { noteClaim } from '../failures.ts';
import { originOf } from '../intent/baseUrl.ts';
import type { Order } from '../intent/naming.ts';
import { spellingsOfPayment } from '../intent/spellings.ts';
import { bodyBytes, isWhole } from '../intent/wanted.ts';
import type {
  Decision,
  Guards,
  Intent,
  Journal,
  NewIntent,
  Process,
  Reads,
  Transaction,
} from '../journal/journal.ts';
import { receiptValue } from '../journal/rows.ts';
import { readReply } from '../wire/flight.ts';
import { type ApprovalReason, isApprovalReason, needsAnother, ownProposal } from './approval.ts';
import { agree, type Consent, waitForOwner } from './beforeClaim.ts';
import type { EngineContext } from './context.ts';
import { engineFailure } from './facts.ts';
import { concluded, mustFind, type Outcome } from './outcome.ts';
import {
  type Identity,
  identify,
  isBeingSent,
  keyAt,
  makePlan,
  newIntent,
  type Plan,
  tooOldToSend,
  wasRefusedMeanwhile,
} from './plan.ts';
import { type PolicyWord, spendOf, spendOfIntent, spendWithin } from './spend.ts';
import type { HeldReason } from './verdict.ts';

/** An intent that this process owns, with its first attempt on record. */
export type Claim = {
  readonly is: 'claim';
  readonly intent: Intent;
  readonly number: number;
  /** This process has just created it. */
  readonly createdNow: boolean;
  /** The earlier intent, done or superseded, that this one follows. */
  readonly after?: Intent;
  /** The same payment, made before. */
  readonly repeats?: Plan['repeats'];
};

/** Whether a payment that was made before is made again, or left for who decides. */
type OnRepeat = 'go-on' | 'leave';

/** The result of one look at the journal and one commit. */
export type Step =
  | Claim
  | Outcome
  | { readonly is: 'wait'; readonly intent: Intent; readonly twin: boolean }
  | { readonly is: 'changed' };

/** Asks, decides and claims. Waits for a living owner if there is one. */
export async function claim(
  order: Order,
  engine: EngineContext,
  consent?: Consent,
  identity = identify(order, engine.bot, engine.journal),
  onRepeat: OnRepeat = 'go-on',
  runBeganAtMs = Number.POSITIVE_INFINITY,
): Promise<Claim | Outcome> {
  refuseUnnamed(order, engine.journal);
  // Random values are drawn before the commit, so that a repeated commit recognises the intent that it already made.
  const fresh = newIntent(identity, engine.bot, engine.chance.uuid);
  return untilClaimed(async () => {
    const agreed = consent && (await agree(identity, engine, consent));
    if (agreed !== undefined && !('found' in agreed)) return agreed;
    const work = (tx: Transaction): Promise<Step> =>
      actOnPlan(identity, fresh, tx, engine, { agreed, onRepeat, runBeganAtMs });
    return engine.commit(work, guardsOf(fresh, engine, nameAtOrigin(identity)));
  }, engine);
}

/**
 * A server that is restored or promoted can lose commits that it acknowledged. A named intent survives that as long as
 * the service remembers its key. Without a name, the same transfer would be sent as a new one.
 */
export function refuseUnnamed(
  { naming, wanted }: Order,
  { isShared, place }: Pick<Journal, 'isShared' | 'place'>,
): void {
  if (isShared && naming.by === 'nothing' && wanted.kind === 'transfer')
    throw engineFailure('unnamed-on-shared', { place, kind: wanted.kind });
}

type Guarded = Pick<NewIntent, 'namedBy' | 'key' | 'identity' | 'baseUrl' | 'payment'>;

/** Keeps rows of one commit from beginning the same intent at once, or the same payment under another name. */
export function guardsOf(
  { namedBy, key, identity, baseUrl, payment }: Guarded,
  { bot }: { readonly bot?: Pick<Bot, 'spellings'> },
  names: readonly string[] = [],
): Guards {
  const paid = spellingsOfPayment(payment, bot?.spellings);
  const payments = paid.map((one) => `payment ${originOf(baseUrl)} ${one}`);
  const same = namedBy === undefined ? identity : key;
  // Two intents with permanent names are never twins of each other.
  return namedBy === undefined || namedBy === 'run'
    ? { alone: [same, ...names, ...payments], beforeSending: true }
    : { alone: [same, ...names], alongside: payments, beforeSending: true };
}

/** A row that begins the same name under another path of the origin waits for this one. */
function nameAtOrigin(identity: Identity): string[] {
  const origin = originOf(identity.scope.baseUrl);
  return identity.key === undefined || origin === identity.scope.baseUrl ? [] : [keyAt(origin, identity)];
}

/**
 * Takes steps until one of them ends or claims. The limit on waiting for living owners applies to all steps together.
 */
export async function untilClaimed(
  take: () => Promise<Step>,
  engine: EngineContext,
): Promise<Claim | Outcome> {
  const { reads } = engine.journal;
  let waitedMs = 0;
  for (;;) {
    const step = await take();
    if (step.is === 'changed') continue;
    if (step.is !== 'wait') {
      if (step.is === 'claim') noteClaim(engine.interrupts, step.intent.id);
      return step;
    }
    const { is: waited, inAllMs } = await waitForOwner(step, engine, waitedMs);
    waitedMs = inAllMs;
    if (waited === 'owner-died' || waited === 'given-back' || (step.twin && waited === 'ended')) continue;
    if (step.twin) {
      const because = engine.interrupts.first.aborted ? 'interrupted' : 'twin-still-sending';
      return { is: 'not-sent', because, intent: step.intent, by: await senderOf(step.intent, engine) };
    }
    const intent = mustFind(await reads.get(step.intent.id));
    if (waited === 'time-is-up') return { is: 'still-sending', intent, by: await senderOf(intent, engine) };
    return concluded(intent, reads, 'by-another-process');
  }
}

/** The process that is sending it. A batch comes back to the row later, so it does not ask. */
async function senderOf({ owner }: Intent, { journal, limits }: EngineContext): Promise<Process | undefined> {
  return owner === undefined || limits.ownerWaitMs === 0 ? undefined : journal.reads.processOf(owner);
}

type Agreed = {
  readonly agreed: Plan | undefined;
  readonly onRepeat: OnRepeat;
  /** What was refused since then was refused for another runner of the same batch. */
  readonly runBeganAtMs: number;
};

/** Makes the plan again inside the commit and acts on it. */
async function actOnPlan(
  identity: Identity,
  fresh: NewIntent,
  tx: Transaction,
  engine: EngineContext,
  { agreed, onRepeat, runBeganAtMs }: Agreed,
): Promise<Step> {
  const { bot, clock } = engine;
  const nowMs = clock.now();
  const look = (): Promise<Plan> => makePlan(identity, bot, tx, nowMs, agreed?.overruled);
  const seen = await look();
  if (isOwn(seen.found, fresh, engine))
    return { is: 'claim', intent: seen.found, number: seen.found.attempts, createdNow: true };
  const plan = (await ownerHasDied(seen, tx, nowMs)) ? await look() : seen;
  if (agreed !== undefined && !isSamePlan(plan, agreed)) return { is: 'changed' };
  const { found } = plan;
  if (plan.is === 'again' && (await wasRefusedMeanwhile(found, runBeganAtMs, nowMs, tx)))
    return concluded(mustFind(found), tx, 'by-another-process');
  const { repeats } = plan;
  if (repeats.length > 0 && onRepeat === 'leave') return { is: 'not-sent', because: 'paid-already', repeats };
  const step = await stepOf(plan, identity, fresh, tx, engine);
  const isOnRecord = step.is === 'claim' || step.is === 'concluded';
  return isOnRecord && repeats.length > 0 ? { ...step, repeats } : step;
}

/** Does what the plan says. */
async function stepOf(
  plan: Plan,
  identity: Identity,
  fresh: NewIntent,
  tx: Transaction,
  engine: EngineContext,
): Promise<Step> {
  const { bot } = engine;
  const { found, twin } = plan;
  const { wanted } = identity.order;
  switch (plan.is) {
    case 'other-bot':
    case 'reported-ahead':
      return { is: 'not-sent', because: plan.is, intent: mustFind(found) };
    case 'other-body':
      return { is: 'not-sent', because: plan.is, intent: mustHaveIntactBody(mustFind(found)), wanted };
    case 'recently-done':
    case 'unfinished-twin':
      return { is: 'not-sent', because: plan.is, intent: mustFind(twin) };
    case 'other-url':
    case 'unknown-at-other-url':
    case 'held-at-other-url':
      return { is: 'not-sent', because: plan.is, intent: mustFind(twin), url: bot.spelledUrl };
    case 'wait-for-twin':
      return { is: 'wait', intent: mustFind(twin), twin: true };
    case 'wait':
      return { is: 'wait', intent: mustFind(found), twin: false };
    case 'needs-decision':
    case 'declined':
      return concluded(mustFind(found), tx, false);
    case 'replay':
      return concluded(await mustBeIntact(mustFind(found), tx), tx, 'from-journal');
    case 'leave-behind':
      return supersede(mustFind(found), fresh, tx, engine);
    case 'resume':
      if (engine.proposes === true) return proposeFound(mustFind(found), tx, engine);
      return resumeOrHold(mustFind(found), tx, engine);
    case 'again':
      return sendAgain(mustFind(found), identity, tx, engine);
    case 'new-after-done': {
      const step = await beginAllowed(identity, fresh, tx, engine);
      return step.is === 'claim' ? { ...step, after: mustFind(found) } : step;
    }
    case 'new':
      return beginAllowed(identity, fresh, tx, engine);
  }
}

/** Our own intent, from a commit that succeeded although its confirmation was lost. */
function isOwn(found: Intent | undefined, { id }: NewIntent, { journal }: EngineContext): found is Intent {
  return found?.id === id && found.state === 'sending' && found.owner === journal.self();
}

function isSamePlan(now: Plan, agreed: Plan): boolean {
  if (now.is !== agreed.is || now.found?.id !== agreed.found?.id || now.twin?.id !== agreed.twin?.id)
    return false;
  // What was paid since then is asked about, too.
  return now.repeats.length === 0 || agreed.repeats.length > 0;
}

/** Records the death of a `sending` intent's owner. */
async function ownerHasDied({ found }: Plan, tx: Transaction, nowMs: number): Promise<boolean> {
  if (found?.state !== 'sending' || isBeingSent(found)) return false;
  await tx.recordDeath(found.id, nowMs);
  return true;
}

/** Starts the next attempt of an intent that this process has claimed. */
async function startAttempt(
  id: string,
  tx: Transaction,
  { journal, bot, clock }: EngineContext,
): Promise<Claim> {
  const intent = mustHaveIntactRequest(
    await tx.startAttempt(id, journal.hashOf(bot.token.reveal()), clock.now()),
  );
  return { is: 'claim', intent, number: intent.attempts, createdNow: false };
}

/** Begins a new intent if no policy objects. If it needs approval first, records it as a proposal. */
async function beginAllowed(
  { order }: Identity,
  fresh: NewIntent,
  tx: Transaction,
  engine: EngineContext,
): Promise<Claim | Outcome> {
  const { policies, clock, bot } = engine;
  const nowMs = clock.now();
  if (order.wanted.kind === 'message') return beginNew(fresh, tx, engine, nowMs);
  if (policies === undefined) return beginOrPropose(fresh, tx, engine, nowMs);
  const spend = spendOf(order.wanted.request, bot);
  const word = await spendWithin(policies, { spend, id: undefined }, tx, nowMs);
  switch (word.is) {
    case 'allowed':
      return beginOrPropose(fresh, tx, engine, nowMs);
    case 'needs-approval':
      return propose(fresh, tx, engine, nowMs);
    case 'refused':
      return { is: 'not-sent', because: 'policy', refusal: word.refusal };
  }
}

function beginOrPropose(
  fresh: NewIntent,
  tx: Transaction,
  engine: EngineContext,
  nowMs: number,
): Promise<Claim | Outcome> {
  return engine.proposes === true ? propose(fresh, tx, engine, nowMs) : beginNew(fresh, tx, engine, nowMs);
}

async function propose(
  fresh: NewIntent,
  tx: Transaction,
  engine: EngineContext,
  nowMs: number,
): Promise<Outcome> {
  const why = engine.proposes === true ? 'proposed' : 'above-limit';
  const intent = await tx.propose(fresh, why, nowMs);
  await keepProposer(intent, why, tx, engine, nowMs);
  return concluded(intent, tx, false);
}

function keepProposer(
  { id, fingerprint }: Intent,
  reason: ApprovalReason,
  tx: Transaction,
  { who }: EngineContext,
  atMs: number,
): Promise<void> {
  return tx.decide(id, { kind: 'proposed', who, atMs, reason, signature: undefined, fingerprint });
}

/** An intent that was never sent becomes a proposal. One that may have landed stays unknown. */
async function proposeFound(intent: Intent, tx: Transaction, engine: EngineContext): Promise<Outcome> {
  return intent.tainted ? concluded(intent, tx, false) : holdFor('proposed', intent, tx, engine);
}

/** Uses one clock reading for the checks and the record. */
async function beginNew(
  fresh: NewIntent,
  tx: Transaction,
  { journal, bot, clock }: EngineContext,
  nowMs = clock.now(),
): Promise<Claim> {
  const intent = await tx.begin(fresh, journal.hashOf(bot.token.reveal()), nowMs);
  return { is: 'claim', intent, number: intent.attempts, createdNow: true };
}

async function supersede(
  { id }: Intent,
  fresh: NewIntent,
  tx: Transaction,
  engine: EngineContext,
): Promise<Claim> {
  await tx.hold(id, 'key-age', engine.clock.now());
  await tx.supersede(id);
  return { ...(await beginNew(fresh, tx, engine)), after: mustFind(await tx.get(id)) };
}

/** Why an intent that may have landed must not be sent again without an operator's decision. */
export function whyHold(
  intent: Intent,
  { journal, bot, clock }: Pick<EngineContext, 'bot'> & Dated,
): HeldReason | undefined {
  const tooOld = tooOldToSend(intent, clock.now());
  if (tooOld !== undefined) return tooOld;
  if (intent.kind === 'message' || intent.mayHaveLandedAtMs === undefined) return undefined;
  return intent.tokenHash === journal.hashOf(bot.token.reveal()) ? undefined : 'other-token';
}

type Dated = {
  readonly journal: Pick<Journal, 'hashOf'>;
  readonly clock: { now(): number };
};

/** Resumes an intent that may have landed or was never sent, or holds it if it must not go out by itself. */
export async function resumeOrHold(intent: Intent, tx: Transaction, engine: EngineContext): Promise<Step> {
  const why = whyHold(intent, engine);
  if (why === undefined) return claimAllowed(intent, tx, engine);
  await tx.hold(intent.id, why, engine.clock.now());
  return concluded(mustFind(await tx.get(intent.id)), tx, false);
}

/** Claims an intent that is on record, if no policy objects. Keeps `decision`, a person's word to send it. */
export async function claimAllowed(
  intent: Intent,
  tx: Transaction,
  engine: EngineContext,
  decision?: Decision,
): Promise<Claim | Outcome> {
  const { id, tainted, fingerprint } = intent;
  const nowMs = engine.clock.now();
  const word = await wordOn(intent, tx, engine, nowMs, decision?.kind === 'approved');
  // An intent that may have landed is held, never reported as refused.
  if (word.is === 'refused' && !tainted) return { is: 'not-sent', because: 'policy', refusal: word.refusal };
  if (word.is !== 'allowed')
    return holdFor(word.is === 'refused' ? 'policy' : 'above-limit', intent, tx, engine, nowMs);
  if (decision?.kind === 'approved') await refuseOwnProposal(intent, decision, tx, engine);
  if (decision !== undefined) await tx.decide(id, { ...decision, fingerprint });
  await tx.claim(id, nowMs);
  return startAttempt(id, tx, engine);
}

async function wordOn(
  intent: Intent,
  tx: Transaction,
  engine: EngineContext,
  nowMs: number,
  isApprovedNow: boolean,
): Promise<PolicyWord> {
  if (intent.kind === 'message') return { is: 'allowed' };
  const { policies, bot } = engine;
  if (policies === undefined) return { is: 'allowed' };
  const { id } = mustHaveIntactRequest(intent);
  const isApproved = isApprovedNow ? true : undefined;
  return spendWithin(policies, { spend: spendOfIntent(intent, bot), id, isApproved }, tx, nowMs);
}

async function refuseOwnProposal(
  { id, fingerprint }: Intent,
  { who }: Decision,
  tx: Transaction,
  { policies, journal: { role } }: EngineContext,
): Promise<void> {
  if (!needsAnother(policies)) return;
  const own = ownProposal(await tx.decisionsOf(id), fingerprint, { who, role });
  if (own !== undefined) throw engineFailure('own-proposal', { id, ...own });
}

async function holdFor(
  why: HeldReason,
  intent: Intent,
  tx: Transaction,
  engine: EngineContext,
  nowMs = engine.clock.now(),
): Promise<Outcome> {
  const { id, state } = intent;
  await (state === 'unknown' ? tx.hold(id, why, nowMs) : tx.holdBack(id, why, nowMs));
  if (isApprovalReason(why)) await keepProposer(intent, why, tx, engine, nowMs);
  return concluded(mustFind(await tx.get(id)), tx, false);
}

async function sendAgain(
  intent: Intent,
  identity: Identity,
  tx: Transaction,
  engine: EngineContext,
): Promise<Claim | Outcome> {
  const claimOrPropose = (known: Intent): Promise<Claim | Outcome> =>
    engine.proposes === true ? holdFor('proposed', known, tx, engine) : claimAllowed(known, tx, engine);
  if (intent.fingerprint === identity.fingerprint) return claimOrPropose(intent);
  const body = bodyBytes({ ...identity.order.wanted.request }, intent.key);
  await tx.rewrite(intent.id, body, identity.fingerprint, identity.payment);
  return claimOrPropose(mustFind(await tx.get(intent.id)));
}

type Kept = Pick<Reads, 'decisiveAttempt' | 'receiptsOf'>;

/** A replayed outcome must be intact. Otherwise a flipped bit on the disk would be reported as what happened. */
async function mustBeIntact(intent: Intent, reads: Kept): Promise<Intent> {
  if (isIntact(intent) && (await givesWhatItGave(intent, reads))) return intent;
  throw engineFailure('intent-changed', { id: intent.id, wasDone: true });
}

/** A flipped bit in a stored body must not be reported as a different body. */
function mustHaveIntactBody(intent: Intent): Intent {
  if (isIntact(intent)) return intent;
  throw engineFailure('intent-changed', { id: intent.id, wasDone: false });
}

function mustHaveIntactRequest(intent: Intent): Intent {
  if (isIntact(intent)) return intent;
  const { id, mayHaveLandedAtMs } = intent;
  throw engineFailure('request-changed', { id, mayHaveLanded: mayHaveLandedAtMs !== undefined });
}

function isIntact({ body, key, fingerprint }: Intent): boolean {
  return isWhole(body, key, fingerprint);
}

/** The transfer id and the signature are stored twice: in the reply and as receipts of the service. */
async function givesWhatItGave({ id, kind, baseUrl }: Intent, reads: Kept): Promise<boolean> {
  const attempt = await reads.decisiveAttempt(id);
  if (kind !== 'transfer' || attempt?.verdict !== 'accepted' || attempt.reply === undefined) return true;
  const kept = (await reads.receiptsOf(id)).filter(({ origin }) => origin === baseUrl);
  const { json } = readReply({ body: attempt.reply, headers: attempt.headers });
  const given = [json?.transfer_id, json?.signature].map((one) => receiptValue(String(one)));
  return kept.every(({ value }) => given.includes(receiptValue(value)));
}
