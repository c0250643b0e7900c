import { type Bot, envBot } from '../connection.ts';
import type { BaseUrl } from '../intent/baseUrl.ts';
import { identityFor, isNamed, keyFor, nameOf, type Order, type Scope } from '../intent/naming.ts';
import { bodyBytes, canonicalOf, fingerprint, type Kind, paymentOf } from '../intent/wanted.ts';
import type { Intent, Journal, NamedBy, NewIntent, Reads } from '../journal/journal.ts';
import { type Found, isDone, meaningOf, type PlanKind, rerunRowFor, rerunWindowMs } from './planKinds.ts';
import type { HeldReason } from './verdict.ts';

/** What would happen if the command went on now. Making it changes nothing. */
export type Plan = {
  readonly is: PlanKind;
  readonly found: Intent | undefined;
  /** Another one that stands in its way. */
  readonly twin: Intent | undefined;
  /** What a person was shown and wants done all the same: a replay, or a twin by its id. */
  readonly overruled: ReadonlySet<string>;
};

const nothingOverruled: Plan['overruled'] = new Set();

/** The plan where there is no journal that could know anything. */
export const planOfNewJournal: Plan = {
  is: 'new',
  found: undefined,
  twin: undefined,
  overruled: nothingOverruled,
};

/** Asks the journal whether this is a re-run, and whether a twin stands in the way. */
export async function makePlan(
  identity: Identity,
  bot: Bot,
  reads: Reads,
  nowMs: number,
  overruled = nothingOverruled,
): Promise<Plan> {
  // In one breath: on a server that is one round trip.
  const [found, urls] = await Promise.all([
    lookUp(identity, reads),
    identity.key === undefined ? [] : reads.otherUrls(bot.baseUrl),
  ]);
  const is = found === undefined ? 'new' : await kindOf(found, identity, bot, reads, nowMs, overruled);
  const same = isGuarded(is, found) ? await findAtOtherUrl(identity, urls, reads) : undefined;
  if (same !== undefined) return { ...same, found, overruled };
  // A message is no payment.
  const twin =
    identity.payment !== undefined && isGuarded(is, found)
      ? await findTwin(paymentBy(identity, bot), reads, nowMs, overruled)
      : undefined;
  return { is: twin?.is ?? is, found, twin: twin?.twin, overruled };
}

/** A name determines its key; so does whoever gives as KEY what the journal knows under another name. */
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
  // A person who was shown the replay of an unnamed intent wants it done once more.
  if (plan === 'replay' && overruled.has('replay')) return 'new-after-done';
  // Its key was given as a name; but an unnamed intent that ended is over.
  return plan === 'again' && found.namedBy === undefined ? 'other-body' : plan;
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
  return {
    kind: found.kind,
    named: isNamed(order.naming),
    sameBot: found.bot === bot.name,
    sameBody: found.fingerprint === wantedFingerprint,
    state: found.state,
    tainted: found.tainted,
    ownerAlive: isBeingSent(found),
    resolvedAs: found.resolvedAs,
    // Only an unnamed one is not replayed for ever.
    reported: isDone(found) && !isNamed(order.naming) ? await whenReported(found, reads, nowMs) : 'never',
    // A clock that went back proves no age: that one is held, not left behind and sent anew.
    pastKeyAge: tooOldToSend(found, bot.settings.keyAgeMs, nowMs) === 'key-age',
  };
}

/** Only what would go out for the first time is guarded: what may have landed is its own re-run. */
function isGuarded(is: PlanKind, found: Intent | undefined): boolean {
  const { twinGuard } = meaningOf({ is });
  if (twinGuard !== 'if-nothing-left-yet') return twinGuard === 'always';
  return found?.tainted === false && found.state === 'open';
}

type AtOtherUrl = {
  readonly is: 'other-url' | 'unknown-at-other-url' | 'held-at-other-url';
  readonly twin: Intent;
};

/** The same name at the same origin, under another path: nobody can say that it is another service. */
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

/** What two transfers are compared by. */
type PlannedPayment = Pick<
  Intent,
  'baseUrl' | 'kind' | 'payment' | 'identity' | 'bot' | 'tokenHash' | 'fingerprint' | 'namedBy'
>;

function paymentBy(identity: Identity, bot: Bot): PlannedPayment {
  const { scope, payment, digest, fingerprint, tokenHash, order } = identity;
  const { by } = order.naming;
  const namedBy = by === 'nothing' ? undefined : by;
  const { baseUrl, name } = bot;
  return { baseUrl, kind: scope.kind, payment, identity: digest, bot: name, tokenHash, fingerprint, namedBy };
}

type TwinFound = {
  readonly is: 'wait-for-twin' | 'unfinished-twin' | 'recently-done';
  readonly twin: Intent;
};

/** Another payment that this one may be: it is waited for, or stands in the way. */
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
  { payment, namedBy, identity, ...scope }: PlannedPayment,
  reads: Reads,
): Promise<Intent | undefined> {
  if (payment === undefined) return undefined;
  const twins = await reads.unfinishedTwins(scope, payment, identity);
  return twins.find((other) => !(namedForGood.includes(other.namedBy) && namedForGood.includes(namedBy)));
}

/**
 * A payment that was made and that nobody was told of; or one with the same body, made by another token's `env`,
 * or with the same token under another name, as before a profile was renamed. Where nothing is named, nobody can
 * say that this one is not the same.
 */
async function findRecentTwin(
  { payment, namedBy, baseUrl, identity, bot, tokenHash, fingerprint }: PlannedPayment,
  reads: Reads,
  nowMs: number,
  overruled: Plan['overruled'],
): Promise<Intent | undefined> {
  if (payment === undefined || namedBy !== undefined) return undefined;
  const mayBeTheSameBot = (other: Intent): boolean =>
    (bot === envBot && other.bot === envBot) || (tokenHash !== undefined && other.tokenHash === tokenHash);
  const mayBeThisOne = (other: Intent): boolean =>
    other.namedBy === undefined && other.fingerprint === fingerprint && mayBeTheSameBot(other);
  const made = await reads.unnamedOfPayment(baseUrl, payment, nowMs - rerunWindowMs.transfer);
  return made
    .filter((other) => other.identity !== identity && isDone(other) && !overruled.has(other.id))
    .find((other) => other.reportedAtMs === undefined || mayBeThisOne(other));
}

/** An order with the names that it has in the journal: two commands mean the same intent if their digests are equal. */
export type Identity = {
  readonly order: Order;
  readonly scope: Scope;
  readonly canonical: string;
  readonly fingerprint: string;
  readonly digest: string;
  readonly payment: string | undefined;
  /** Whose it is where nothing names it: a bot may be given another name. */
  readonly tokenHash: string | undefined;
  /** The key, where it is determined before anything is sent. */
  readonly key: string | undefined;
};

/** The key under which another base URL would know the same name; the same where the key itself was given. */
export function keyAt(baseUrl: string, { order, scope, canonical }: Identity): string {
  return keyFor(order.naming, { baseUrl, kind: scope.kind }, canonical, () => '');
}

/** `canonical` is given by whoever has it already: a batch keeps it of each row. */
export function identify(
  order: Order,
  bot: Bot,
  journal: Pick<Journal, 'hashOf'>,
  canonical = canonicalOf(order.wanted),
): Identity {
  const isTokenAsked = bot.name === envBot || !isNamed(order.naming);
  const tokenHash = isTokenAsked ? journal.hashOf(bot.token.reveal()) : undefined;
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
    tokenHash,
  };
}

/** The intent that begins where the journal has none of this identity. */
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
    key,
    identity: digest,
    fingerprint,
    payment,
    body: bodyBytes({ ...wanted.request }, key),
  };
}

/**
 * When the outcome was first told, as far as clocks can be believed. This machine's clock may have been wrong then, or be wrong now. The service's own date, kept with its reply,
 * may move a deed later, or out of the future; never otherwise earlier, for it may come from a cache.
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

const defaultTransferKeyAgeMs = 30 * 60_000;
const messageKeyAgeMs = 24 * 3_600_000;
const tolerableClockStepMs = 5 * 60_000;

export function keyAgeMs(kind: Kind, transferKeyAgeMs: number | undefined): number {
  return kind === 'message' ? messageKeyAgeMs : (transferKeyAgeMs ?? defaultTransferKeyAgeMs);
}

/**
 * Whether the service may have forgotten the key of something that may have landed. Nobody promises how
 * long it remembers; and a clock that went back cannot tell how long ago anything was.
 */
export function tooOldToSend(
  intent: Pick<Intent, 'kind' | 'mayHaveLandedAtMs' | 'createdAtMs' | 'updatedAtMs'>,
  transferKeyAgeMs: number | undefined,
  nowMs: number,
): Extract<HeldReason, 'key-age' | 'clock'> | undefined {
  if (intent.mayHaveLandedAtMs === undefined) return undefined;
  const latestMs = Math.max(intent.createdAtMs, intent.updatedAtMs, intent.mayHaveLandedAtMs);
  if (nowMs < latestMs - tolerableClockStepMs) return 'clock';
  return nowMs - intent.mayHaveLandedAtMs > keyAgeMs(intent.kind, transferKeyAgeMs) ? 'key-age' : undefined;
}
