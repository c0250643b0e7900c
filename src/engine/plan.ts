import { type Bot, envBot } from '../bot/bot.ts';
import type { BaseUrl } from '../intent/baseUrl.ts';
import { isNamed } from '../intent/naming.ts';
import type { Intent, NamedBy, Reads } from '../journal/journal.ts';
import { type Identity, keyAt } from './identity.ts';
import { tooOldToSend } from './keyAge.ts';
import { meaningOf, type PlanKind } from './planKinds.ts';
import { type Found, isDone, rerunRowFor, rerunWindowMs } from './rerun.ts';
import { whenReported } from './whenReported.ts';

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
      ? await findTwin(paymentOf(identity, bot), reads, nowMs, overruled)
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
type Payment = Pick<
  Intent,
  'baseUrl' | 'kind' | 'payment' | 'identity' | 'bot' | 'tokenHash' | 'fingerprint' | 'namedBy'
>;

function paymentOf(identity: Identity, bot: Bot): Payment {
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
  payment: Payment,
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
  { payment, namedBy, identity, ...scope }: Payment,
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
  { payment, namedBy, baseUrl, identity, bot, tokenHash, fingerprint }: Payment,
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
