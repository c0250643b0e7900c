import { bodyBytes, fingerprint } from '../intent/canonical.ts';
import { identityFor, isNamed, keyFor, nameOf } from '../intent/naming.ts';
import { canonicalOf, paymentOf } from '../intent/wanted.ts';
import type { Intent, Journal, NamedBy, NewIntent, Place } from '../journal/journal.ts';
import type { Asked, Speaking } from './doing.ts';
import { tooOldToSend } from './keyAge.ts';
import { type Meeting, type RerunDecision, rerunRowFor, rerunWindowMs } from './rerun.ts';

/** What would happen if the command went on now. Reading it changes nothing. */
export type Plan = {
  readonly decision: RerunDecision | 'wait-for-twin' | 'unfinished-twin';
  readonly found: Intent | undefined;
  readonly twin: Intent | undefined;
};

/** What a command asks for, with the names it has in the journal. */
export type Sought = {
  readonly asked: Asked;
  readonly place: Place;
  readonly canonical: string;
  readonly fingerprint: string;
  readonly identity: string;
  readonly payment: string | undefined;
  /** The key, where it is determined before anything is sent. */
  readonly key: string | undefined;
};

export function seek(asked: Asked, speaking: Speaking, journal: Pick<Journal, 'hashOf'>): Sought {
  const place: Place = { baseUrl: speaking.baseUrl, kind: asked.wanted.kind };
  const canonical = canonicalOf(asked.wanted);
  const tokenHash = speaking.bot === 'env' ? journal.hashOf(speaking.token.reveal()) : undefined;
  return {
    asked,
    place,
    canonical,
    fingerprint: fingerprint(canonical),
    identity: identityFor(asked.naming, place, { bot: speaking.bot, tokenHash }, canonical),
    payment: paymentOf(asked.wanted),
    key: isNamed(asked.naming) ? keyFor(asked.naming, place, canonical, () => '') : undefined,
  };
}

export function newIntent(sought: Sought, speaking: Speaking, randomUuid: () => string): NewIntent {
  const { asked, place, canonical } = sought;
  const key = sought.key ?? keyFor(asked.naming, place, canonical, randomUuid);
  return {
    ...place,
    id: randomUuid().replaceAll('-', '').slice(0, 12),
    bot: speaking.bot,
    namedBy: asked.naming.by === 'nothing' ? undefined : (asked.naming.by satisfies NamedBy),
    name: nameOf(asked.naming),
    key,
    identity: sought.identity,
    fingerprint: sought.fingerprint,
    payment: sought.payment,
    body: bodyBytes({ ...asked.wanted.request }, key),
  };
}

/** A name determines its key; so does whoever gives as KEY what the journal knows under another name. */
function lookUp({ key, place, identity }: Sought, journal: Journal): Intent | undefined {
  return key === undefined ? journal.findUnnamed(identity) : journal.findByKey(place, key);
}

/** Asks the journal whether this is a re-run, and whether an unfinished twin stands in the way. */
export function makePlan(
  sought: Sought,
  speaking: Speaking,
  journal: Journal,
  nowMs: number,
  anew = false,
): Plan {
  const found = lookUp(sought, journal);
  const usual =
    found === undefined ? 'new' : rerunRowFor(meetingOf(found, sought, speaking, journal, nowMs)).decision;
  const decision = found === undefined ? usual : decisionAbout(found, usual, anew);
  const { place, payment, identity, asked } = sought;
  const twin = guardsAgainstTwin(decision, found)
    ? findUnfinishedTwin({ ...place, payment, identity, namedBy: asked.naming.by }, journal)
    : undefined;
  if (twin === undefined) return { decision, found, twin };
  const alive = isBeingSent(twin, journal);
  return { decision: alive ? 'wait-for-twin' : 'unfinished-twin', found, twin };
}

function decisionAbout({ namedBy }: Intent, usual: RerunDecision, anew: boolean): RerunDecision {
  // A person who was shown the replay of an unnamed intent wants it done once more.
  if (anew && usual === 'replay') return 'new-after-done';
  // Its key was given as a name; but an unnamed intent that ended is over.
  return usual === 'again' && namedBy === undefined ? 'other-body' : usual;
}

export function isBeingSent(intent: Intent, journal: Pick<Journal, 'isAlive'>): boolean {
  return intent.state === 'sending' && intent.owner !== undefined && journal.isAlive(intent.owner);
}

function meetingOf(
  found: Intent,
  { asked, fingerprint: wantedFingerprint }: Sought,
  speaking: Speaking,
  journal: Journal,
  nowMs: number,
): Meeting {
  const sinceReportMs = found.reportedAtMs === undefined ? undefined : nowMs - found.reportedAtMs;
  return {
    kind: found.kind,
    named: isNamed(asked.naming),
    sameBot: found.bot === speaking.bot,
    sameBody: found.fingerprint === wantedFingerprint,
    state: found.state,
    tainted: found.tainted,
    ownerAlive: isBeingSent(found, journal),
    resolvedAs: found.resolvedAs,
    reported: sinceReportMs !== undefined,
    // A clock that went back puts the report in the future: still a re-run.
    withinWindow: sinceReportMs !== undefined && sinceReportMs <= rerunWindowMs[found.kind],
    // A clock that went back proves no age: that one is held, not left behind and sent anew.
    pastKeyAge: tooOldToSend(found, speaking.keyAgeMs, nowMs) === 'key-age',
  };
}

/** Only what would go out for the first time is guarded: what may have landed is its own re-run. */
function guardsAgainstTwin(decision: RerunDecision, found: Intent | undefined): boolean {
  if (decision === 'new' || decision === 'new-after-done' || decision === 'again') return true;
  return decision === 'resume' && found?.tainted === false && found.state === 'open';
}

const namedForGood: readonly (NamedBy | 'nothing' | undefined)[] = ['once', 'key', 'row'];

type Guarded = Pick<Intent, 'baseUrl' | 'kind' | 'payment' | 'identity'> & {
  namedBy: NamedBy | 'nothing' | undefined;
};

/** An unknown payment must not be escaped by spelling the command differently. */
export function findUnfinishedTwin(guarded: Guarded, journal: Journal): Intent | undefined {
  if (guarded.payment === undefined) return undefined;
  return journal
    .unfinishedTwins(guarded, guarded.payment, guarded.identity)
    .find(({ namedBy }) => !(namedForGood.includes(namedBy) && namedForGood.includes(guarded.namedBy)));
}
