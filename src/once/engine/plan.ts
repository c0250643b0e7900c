import { type Bot, envBot } from '../connection.ts';
import { identityFor, isNamed, keyFor, nameOf, type Order, type Scope } from '../entry/naming.ts';
import { bodyBytes, canonicalOf, fingerprint, type Kind, paymentOf } from '../entry/wanted.ts';
import type { Entry, Journal, NamedBy, NewEntry, Reads } from '../journal/journal.ts';
import { equalWithinMs } from './equal.ts';
import { type PlanKind, planFor } from './planKinds.ts';
import type { HeldReason } from './replyMeaning.ts';
import { isBeingSent } from './standing.ts';

/** What would happen if the command went on now. Making a plan changes nothing. */
export type Plan =
  | { readonly is: 'new-entry'; readonly entry: Entry | undefined }
  | { readonly is: 'hold'; readonly entry: Entry; readonly why: WhyHold }
  | { readonly is: 'name-taken'; readonly entry: Entry }
  | { readonly is: Exclude<PlanKind, 'new-entry' | 'hold' | 'name-taken'>; readonly entry: Entry };

/** The plan if there is no journal yet. */
export const planOfNewJournal: Plan & { is: 'new-entry' } = { is: 'new-entry', entry: undefined };

/** What a plan is made from. */
type PlanSources = {
  readonly journal: Pick<Journal, 'hashOf'>;
  readonly bot: Bot;
  readonly clock: { now(): number };
};

type Knowing = {
  /** A person saw what was done and wants it once more. */
  readonly again?: boolean | undefined;
  /** This command waited for this entry, so it reports the outcome even if another command reported it before. */
  readonly waitedFor?: string | undefined;
};

/** Asks the journal whether this is a re-run. */
export async function makePlan(
  identity: Identity,
  sources: PlanSources,
  reads: Reads,
  { again, waitedFor }: Knowing = {},
): Promise<Plan> {
  const entry = await lookUp(identity, reads, sources.clock.now());
  if (entry === undefined) return planOfNewJournal;
  const is = planFor(await rerunFacts(entry, identity, sources, reads, waitedFor));
  if (is === 'hold') return { is, entry, why: whyHold(entry, sources) ?? 'too-old' };
  return { is: is === 'already-done' && again ? 'new-entry' : is, entry };
}

/** An unnamed message is matched for 12 hours. After that, the same text is another message. */
const searchedMessagesMs = 12 * 3_600_000;

/** A name determines its key. A key that the caller gives also finds an unnamed entry, or one with another name. */
function lookUp({ key, scope, digest }: Identity, reads: Reads, nowMs: number): Promise<Entry | undefined> {
  if (key !== undefined) return reads.findByKey(scope, key);
  return reads.findUnnamed(digest, scope.kind === 'message' ? nowMs - searchedMessagesMs : 0);
}

async function rerunFacts(
  entry: Entry,
  { order, fingerprint: wantedFingerprint }: Identity,
  sources: PlanSources,
  reads: Reads,
  waitedFor: string | undefined,
): Promise<Parameters<typeof planFor>[0]> {
  const sameBot = entry.bot === sources.bot.name;
  const sameBody = entry.fingerprint === wantedFingerprint;
  const isSame = sameBot && sameBody;
  const { kind, state, wasInDoubt: inDoubt, resolvedAs } = entry;
  return {
    ...{ kind, state, wasInDoubt: inDoubt, resolvedAs },
    named: isNamed(order.naming),
    sameBot,
    sameBody,
    ownerAlive: isBeingSent(entry),
    decided: !isSame && (await reads.decisionsOf(entry.id)).length > 0,
    reported: entry.reportedAtMs !== undefined && entry.id !== waitedFor,
    recent: entry.countsAtMs !== undefined && entry.countsAtMs >= sources.clock.now() - equalWithinMs,
    holds: whyHold(entry, sources) !== undefined,
  };
}

/** An order with its identity in the journal. Two commands mean the same entry if their digests are equal. */
export type Identity = ReturnType<typeof identify>;

/** Pass `canonical` if you have it already; a batch keeps it for each row. */
export function identify(
  order: Order,
  bot: Bot,
  journal: Pick<Journal, 'hashOf'>,
  canonical = canonicalOf(order.wanted),
) {
  // A named order needs no token.
  const tokenHash = isNamed(order.naming) ? undefined : journal.hashOf(bot.token.reveal());
  const speaker = { bot: bot.name, tokenHash: bot.name === envBot ? tokenHash : undefined };
  const scope: Scope = { baseUrl: bot.baseUrl, kind: order.wanted.kind };
  return {
    order,
    scope,
    digest: identityFor(order.naming, scope, speaker, canonical),
    /** The key, if the name determines it before anything is sent. */
    key: isNamed(order.naming) ? keyFor(order.naming, scope, canonical, () => '') : undefined,
    canonical,
    fingerprint: fingerprint(canonical),
    payment: paymentOf(order.wanted),
    tokenHash,
  };
}

/** The entry to begin if the journal has no entry with this identity. */
export function newEntry(identity: Identity, bot: Bot, randomUuid: () => string): NewEntry {
  const { order, scope, canonical, digest, fingerprint, payment } = identity;
  const { naming, wanted } = order;
  const key = identity.key ?? keyFor(naming, scope, canonical, randomUuid);
  return {
    baseUrl: bot.baseUrl,
    kind: wanted.kind,
    id: randomUuid().replaceAll('-', '').slice(0, 12),
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

/** What a command wants: its identity, and the entry to begin if the journal has no such entry. */
export type Ordered = { readonly identity: Identity; readonly candidate: NewEntry };

/** The entry as the plan sends it: a new one, or the one that was found, with the bot and the body given now. */
export function toSend(
  plan: Plan,
  { identity: { order, fingerprint }, candidate }: Ordered,
  { bot }: { readonly bot: Pick<Bot, 'name'> },
): NewEntry {
  if (plan.is === 'retry') return plan.entry;
  if (plan.is !== 'send-same-key') return candidate;
  const { entry } = plan;
  if (entry.fingerprint === fingerprint && entry.bot === bot.name) return entry;
  const { id, key, namedBy } = entry;
  return { ...candidate, id, key, namedBy, body: bodyBytes({ ...order.wanted.request }, key) };
}

const sentAgainWithinMs: Readonly<Record<Kind, number>> = { transfer: 30 * 60_000, message: 24 * 3_600_000 };
const tolerableClockStepMs = 5 * 60_000;

/**
 * Whether the service may have forgotten the key of an entry that may have taken effect. No service promises how long
 * it remembers. If the clock went back, we cannot tell how long ago anything was.
 */
export function isTooOld(
  { kind, inDoubtSinceMs, createdAtMs, updatedAtMs }: Pick<Entry, Dates>,
  nowMs: number,
): boolean {
  if (inDoubtSinceMs === undefined) return false;
  const latestMs = Math.max(createdAtMs, updatedAtMs, inDoubtSinceMs);
  return nowMs < latestMs - tolerableClockStepMs || nowMs - inDoubtSinceMs > sentAgainWithinMs[kind];
}

type Dates = 'kind' | 'inDoubtSinceMs' | 'createdAtMs' | 'updatedAtMs';

type WhyHold = Extract<HeldReason, 'too-old' | 'another-token'>;

/** Why an entry that may have taken effect must not be sent again without an operator's decision. */
export function whyHold(
  entry: Pick<Entry, Dates | 'tokenHash'>,
  { journal, bot, clock }: PlanSources,
): WhyHold | undefined {
  if (isTooOld(entry, clock.now())) return 'too-old';
  if (entry.kind === 'message' || entry.inDoubtSinceMs === undefined) return undefined;
  return entry.tokenHash === journal.hashOf(bot.token.reveal()) ? undefined : 'another-token';
}
