import { type Bot, envBot } from '../connection.ts';
import type { BaseUrl } from '../intent/baseUrl.ts';
import { identityFor, isNamed, keyFor, nameOf, type Order, type Scope } from '../intent/naming.ts';
import { spellingsOfPayment } from '../intent/spellings.ts';
import { bodyBytes, canonicalOf, fingerprint, type Kind, paymentOf } from '../intent/wanted.ts';
import type { EarlierPayment, Intent, Journal, NamedBy, NewIntent, Reads } from '../journal/journal.ts';
import { type Found, isDone, meaningOf, type PlanKind, rerunRowFor, rerunWindowMs } from './planKinds.ts';
import type { HeldReason } from './verdict.ts';

/** What would happen if the command went on now. Making a plan changes nothing. */
export type Plan = {
  readonly is: PlanKind;
  readonly found: Intent | undefined;
  /** Another intent that is in its way. */
  readonly twin: Intent | undefined;
  /** What it would repeat: the same payment, made before. */
  readonly repeats: readonly EarlierPayment[];
  /** What a person has seen and overruled: `replay`, or the id of a twin. */
  readonly overruled: ReadonlySet<string>;
};

const nothingOverruled: Plan['overruled'] = new Set();
const noRepeats: Plan['repeats'] = [];

/** The plan if there is no journal yet. */
export const planOfNewJournal: Plan = {
  is: 'new',
  found: undefined,
  twin: undefined,
  repeats: noRepeats,
  overruled: nothingOverruled,
};

/** Asks the journal whether this is a re-run and whether a twin is in the way. */
export async function makePlan(
  identity: Identity,
  bot: Bot,
  reads: Reads,
  nowMs: number,
  overruled = nothingOverruled,
): Promise<Plan> {
  // Together: on a server this is one round trip.
  const [found, urls] = await Promise.all([
    lookUp(identity, reads),
    identity.key === undefined ? [] : reads.otherUrls(bot.baseUrl),
  ]);
  const is = found === undefined ? 'new' : await kindOf(found, identity, bot, reads, nowMs, overruled);
  const same = isGuarded(is, found) ? await findAtOtherUrl(identity, urls, reads) : undefined;
  if (same !== undefined) return { ...same, found, repeats: noRepeats, overruled };
  // A message has no payment, so it has no twin.
  if (identity.payment === undefined || !isGuarded(is, found))
    return { is, found, twin: undefined, repeats: noRepeats, overruled };
  const payment = paymentBy(identity, bot);
  const [twin, repeats] = await Promise.all([
    findTwin(payment, reads, nowMs, overruled),
    findRepeats({ ...payment, batch: identity.batch }, bot, reads, nowMs),
  ]);
  if (twin !== undefined) return { ...twin, found, repeats: noRepeats, overruled };
  return { is, found, twin: undefined, repeats, overruled };
}

/** How long ago a payment may have been made that a new one repeats. */
export const repeatWindowMs = 12 * 3_600_000;

/** An export that numbers its rows anew may come long after the first. */
export const ownRepeatDays = 21;

/**
 * Names are decisions, but two names for one payment may be a slip. What its own batch paid is no slip, unless those
 * rows are gone: who asks for them, `isOwn`, knows which they are.
 */
export async function findRepeats(
  { payment, identity, batch }: Pick<Intent, 'payment' | 'identity'> & Pick<Identity, 'batch'>,
  bot: Bot,
  reads: Pick<Reads, 'paidBefore'>,
  nowMs: number,
  isOwn = false,
): Promise<Plan['repeats']> {
  const windowMs = isOwn ? ownRepeatDays * 24 * 3_600_000 : repeatWindowMs;
  // A payment counts by its latest attempt: what was paid late may be the one that is wanted now.
  const since = { sinceMs: nowMs - windowMs, latestSinceMs: nowMs - windowMs };
  const found = await inEachSpelling(payment, bot.spellings, (one) =>
    reads.paidBefore({ baseUrl: bot.baseUrl, payment: one, identity, batch, isOwn, ...since }),
  );
  found.sort(bySurety);
  return isOwn ? found : found.slice(0, 3);
}

/** The surest and newest first. */
export function bySurety(one: EarlierPayment, other: EarlierPayment): number {
  return Number(isDone(other)) - Number(isDone(one)) || other.atMs - one.atMs;
}

/** What is found of a payment in all spellings of its asset. They are asked for together: one round trip on a server. */
async function inEachSpelling<Found>(
  payment: string | undefined,
  spellings: Bot['spellings'],
  ask: (payment: string) => Promise<readonly Found[]>,
): Promise<Found[]> {
  return (await Promise.all(spellingsOfPayment(payment, spellings).map(ask))).flat();
}

/** A name determines its key. A key given by the caller also finds an intent with another name, or with none. */
function lookUp({ key, scope, digest }: Identity, reads: Reads): Promise<Intent | undefined> {
  return key === undefined ? reads.findUnnamed(digest) : reads.findByKey(scope, key);
}

async function kindOf(
  found: Intent,
  identity: Identity,
  bot: Bot,
  reads: Reads,
  nowMs: number,
  overruled: Plan['overruled'],
): Promise<PlanKind> {
  const { plan } = rerunRowFor(await howFound(found, identity, bot, reads, nowMs));
  // A person has seen the replay of an unnamed intent and wants it done once more.
  if (plan === 'replay' && overruled.has('replay')) return 'new-after-done';
  // The caller gave its key, but an unnamed intent that has ended is over.
  return plan === 'again' && found.namedBy === undefined ? 'other-body' : plan;
}

/** Whether the intent that it goes on with may have happened. */
export function isInDoubt({ found }: Pick<Plan, 'found'>): boolean {
  return found?.state === 'unknown' || found?.state === 'sending';
}

export function isBeingSent({ state, ownerLives }: Intent): boolean {
  return state === 'sending' && ownerLives;
}

async function howFound(
  found: Intent,
  { order, fingerprint: wantedFingerprint }: Identity,
  bot: Bot,
  reads: Reads,
  nowMs: number,
): Promise<Found> {
  const sameBody = found.fingerprint === wantedFingerprint;
  return {
    kind: found.kind,
    named: isNamed(order.naming),
    sameBot: found.bot === bot.name,
    sameBody,
    state: found.state,
    tainted: found.tainted,
    ownerAlive: isBeingSent(found),
    resolvedAs: found.resolvedAs,
    proposed: !sameBody && (await reads.decisionsOf(found.id)).some(({ kind }) => kind === 'proposed'),
    declined: isDeclined(found, order, nowMs),
    // A named intent is replayed forever, an unnamed one only for a while.
    reported: isDone(found) && !isNamed(order.naming) ? await whenReported(found, reads, nowMs) : 'never',
    // If the clock went back, the age is unknown: the intent is held, not superseded by a new one.
    pastKeyAge: tooOldToSend(found, nowMs) === 'key-age',
  };
}

/** Whether a person declined it. An unnamed one may be proposed again after the re-run window. */
function isDeclined({ resolvedAs, updatedAtMs }: Intent, { naming }: Order, nowMs: number): boolean {
  return resolvedAs === 'declined' && (isNamed(naming) || nowMs - updatedAtMs <= rerunWindowMs.transfer);
}

/** Guards only what would be sent for the first time. What may have landed is its own re-run. */
export function isGuarded(is: PlanKind, found: Intent | undefined): boolean {
  const { twinGuard } = meaningOf({ is });
  if (twinGuard !== 'if-nothing-left-yet') return twinGuard === 'always';
  return found?.tainted === false && found.state === 'open';
}

type AtOtherUrl = {
  readonly is: 'other-url' | 'unknown-at-other-url' | 'held-at-other-url';
  readonly twin: Intent;
};

/** Finds the same name at the same origin under another path, which may well be the same service. */
async function findAtOtherUrl(
  identity: Identity,
  urls: readonly BaseUrl[],
  reads: Reads,
): Promise<AtOtherUrl | undefined> {
  const { kind } = identity.scope;
  const found = await Promise.all(
    urls.map((baseUrl) => reads.findByKey({ baseUrl, kind }, keyAt(baseUrl, identity))),
  );
  const same = found.filter((intent) => intent !== undefined);
  const [unknown] = same.filter(({ state }) => state === 'unknown' || state === 'sending');
  if (unknown !== undefined) return { is: 'unknown-at-other-url', twin: unknown };
  const [held] = same.filter(({ state }) => state === 'held');
  if (held !== undefined) return { is: 'held-at-other-url', twin: held };
  return same[0] && { is: 'other-url', twin: same[0] };
}

/** The fields by which two transfers are compared. */
type PlannedPayment = Pick<
  Intent,
  'baseUrl' | 'kind' | 'payment' | 'identity' | 'bot' | 'tokenHash' | 'fingerprint' | 'namedBy'
> &
  Pick<Bot, 'spellings'>;

function paymentBy(identity: Identity, bot: Bot): PlannedPayment {
  const { scope, payment, digest, fingerprint, tokenHash, order } = identity;
  const { by } = order.naming;
  const namedBy = by === 'nothing' ? undefined : by;
  const mine = { identity: digest, bot: bot.name, tokenHash, namedBy };
  return { ...mine, baseUrl: bot.baseUrl, kind: scope.kind, payment, spellings: bot.spellings, fingerprint };
}

type TwinFound = {
  readonly is: 'wait-for-twin' | 'unfinished-twin' | 'recently-done';
  readonly twin: Intent;
};

/** Finds another intent that may be the same payment. This one waits for it, or is blocked by it. */
export async function findTwin(
  payment: PlannedPayment,
  reads: Reads,
  nowMs: number,
  overruled = nothingOverruled,
): Promise<TwinFound | undefined> {
  const unfinished = await findUnfinishedTwin(payment, reads);
  if (unfinished !== undefined) {
    return { is: isBeingSent(unfinished) ? 'wait-for-twin' : 'unfinished-twin', twin: unfinished };
  }
  const recent = await findRecentTwin(payment, reads, nowMs, overruled);
  return recent && { is: 'recently-done', twin: recent };
}

const namedForGood: readonly (NamedBy | undefined)[] = ['once', 'key', 'row'];

/** An unknown payment must not be escaped by spelling the command differently. */
async function findUnfinishedTwin(
  { payment, spellings, namedBy, identity, baseUrl, kind }: PlannedPayment,
  reads: Reads,
): Promise<Intent | undefined> {
  const twins = await inEachSpelling(payment, spellings, (one) =>
    reads.unfinishedTwins({ baseUrl, kind }, one, identity),
  );
  return twins.find((other) => !(namedForGood.includes(other.namedBy) && namedForGood.includes(namedBy)));
}

/**
 * Finds a payment that was made but never reported; or one with the same body that `env` made with another token, or
 * that the same token made under another name (a renamed profile). Without names it may be the same payment.
 */
async function findRecentTwin(
  { payment, spellings, namedBy, baseUrl, identity, bot, tokenHash, fingerprint }: PlannedPayment,
  reads: Reads,
  nowMs: number,
  overruled: Plan['overruled'],
): Promise<Intent | undefined> {
  if (namedBy !== undefined) return undefined;
  const mayBeTheSameBot = (other: Intent): boolean =>
    (bot === envBot && other.bot === envBot) || (tokenHash !== undefined && other.tokenHash === tokenHash);
  // Spelled otherwise, no two bodies are the same.
  const isSameBody = (other: Intent): boolean =>
    other.fingerprint === fingerprint || other.payment !== payment;
  const mayBeThisOne = (other: Intent): boolean =>
    other.namedBy === undefined && isSameBody(other) && mayBeTheSameBot(other);
  const made = await inEachSpelling(payment, spellings, (one) =>
    reads.unnamedOfPayment(baseUrl, one, nowMs - rerunWindowMs.transfer),
  );
  return made
    .filter((other) => other.identity !== identity && isDone(other) && !overruled.has(other.id))
    .find((other) => other.reportedAtMs === undefined || mayBeThisOne(other));
}

/** An order with its identity in the journal. Two commands mean the same intent if their digests are equal. */
export type Identity = {
  readonly order: Order;
  readonly scope: Scope;
  readonly canonical: string;
  readonly fingerprint: string;
  readonly digest: string;
  readonly payment: string | undefined;
  /** The batch whose other rows are no repeats of it. */
  readonly batch: string | undefined;
  /** Identifies the bot of an unnamed intent, because bots can be renamed. A name needs none. */
  readonly tokenHash: string | undefined;
  /** The key, if it is determined before anything is sent. */
  readonly key: string | undefined;
};

/** The key of the same name at another base URL. A key that the caller gave is the same everywhere. */
export function keyAt(baseUrl: string, { order, scope, canonical }: Identity): string {
  return keyFor(order.naming, { baseUrl, kind: scope.kind }, canonical, () => '');
}

/** Pass `canonical` if you have it already; a batch keeps it for each row. */
export function identify(
  order: Order,
  bot: Bot,
  journal: Pick<Journal, 'hashOf'>,
  canonical = canonicalOf(order.wanted),
): Identity {
  const tokenHash = isNamed(order.naming) ? undefined : journal.hashOf(bot.token.reveal());
  const speaker = { bot: bot.name, tokenHash: bot.name === envBot ? tokenHash : undefined };
  const scope: Scope = { baseUrl: bot.baseUrl, kind: order.wanted.kind };
  return {
    order,
    scope,
    digest: identityFor(order.naming, scope, speaker, canonical),
    key: isNamed(order.naming) ? keyFor(order.naming, scope, canonical, () => '') : undefined,
    canonical,
    fingerprint: fingerprint(canonical),
    payment: paymentOf(order.wanted),
    batch: order.naming.by === 'row' ? order.naming.name : undefined,
    tokenHash,
  };
}

/** The intent to begin if the journal has none of this identity. */
export function newIntent(identity: Identity, bot: Bot, randomUuid: () => string): NewIntent {
  const { order, scope, canonical, digest, fingerprint, payment } = identity;
  const { naming, wanted } = order;
  const key = identity.key ?? keyFor(naming, scope, canonical, randomUuid);
  return {
    baseUrl: bot.baseUrl,
    kind: wanted.kind,
    id: randomUuid().replaceAll('-', '').slice(0, 12),
    spelledUrl: bot.spelledUrl,
    bot: bot.name,
    namedBy: naming.by === 'nothing' ? undefined : (naming.by satisfies NamedBy),
    name: nameOf(naming),
    rowId: naming.by === 'row' ? naming.id : undefined,
    columns: order.columns,
    key,
    identity: digest,
    fingerprint,
    payment,
    body: bodyBytes({ ...wanted.request }, key),
  };
}

/**
 * When the outcome was first reported, as far as clocks can be trusted: this machine's clock may be wrong now, or may
 * have been then. The service's own date, kept with its reply, may move that time later, or back from the future. It
 * moves it back in no other case, because it may come from a cache.
 */
async function whenReported(
  intent: Intent,
  reads: Pick<Reads, 'decisiveAttempt'>,
  nowMs: number,
): Promise<Found['reported']> {
  const { reportedAtMs, kind } = intent;
  if (reportedAtMs === undefined) return 'never';
  const placeOf = (ms: number): Found['reported'] => {
    if (ms > nowMs + tolerableClockStepMs) return 'ahead';
    return nowMs - ms <= rerunWindowMs[kind] ? 'within-window' : 'long-ago';
  };
  const byThisClock = placeOf(reportedAtMs);
  if (byThisClock === 'within-window') return byThisClock;
  const dateMs = await servicesDateMs(intent, reads);
  return dateMs === undefined ? byThisClock : placeOf(dateMs);
}

async function servicesDateMs(
  { id }: Intent,
  reads: Pick<Reads, 'decisiveAttempt'>,
): Promise<number | undefined> {
  const attempt = await reads.decisiveAttempt(id);
  const dateMs = attempt?.verdict === 'accepted' ? Date.parse(attempt.headers.date ?? '') : Number.NaN;
  return Number.isNaN(dateMs) ? undefined : dateMs;
}

/** How long the service is trusted to remember a key. */
export const keyAgesMs: Readonly<Record<Kind, number>> = { message: 24 * 3_600_000, transfer: 30 * 60_000 };
const tolerableClockStepMs = 5 * 60_000;

/**
 * Whether the service may have forgotten the key of an intent that may have landed. No service promises how long it
 * remembers. If the clock went back, we cannot tell how long ago anything was.
 */
export function tooOldToSend(
  intent: Pick<Intent, 'kind' | 'mayHaveLandedAtMs' | 'createdAtMs' | 'updatedAtMs'>,
  nowMs: number,
): Extract<HeldReason, 'key-age' | 'clock'> | undefined {
  if (intent.mayHaveLandedAtMs === undefined) return undefined;
  const latestMs = Math.max(intent.createdAtMs, intent.updatedAtMs, intent.mayHaveLandedAtMs);
  if (nowMs < latestMs - tolerableClockStepMs) return 'clock';
  return nowMs - intent.mayHaveLandedAtMs > keyAgesMs[intent.kind] ? 'key-age' : undefined;
}

/**
 * Another runner was refused since this run began. What the service has against that one's token, or had against the wallet,
 * says nothing of this one. A clock that was set back would make every refusal look as late as that.
 */
export async function wasRefusedMeanwhile(
  found: Intent | undefined,
  sinceMs: number,
  nowMs: number,
  reads: Reads,
): Promise<boolean> {
  if (found?.state !== 'rejected' || found.updatedAtMs < sinceMs || found.updatedAtMs > nowMs) return false;
  const { status = 0 } = (await reads.decisiveAttempt(found.id)) ?? {};
  return ![401, 402, 403].includes(status);
}
