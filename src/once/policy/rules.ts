import type { FailureCode } from '../failures.ts';
import { hourMs, hourOf } from '../intent/amount.ts';
import { limitsOf, nameOfAddress, type Policies } from './policy.ts';

/** What is to be spent, and to whom. */
export type Spend = { readonly to: string; readonly asset: string; readonly units: bigint };

/** What a policy refuses, by which rule, and what is left. */
export type Refusal =
  | { readonly rule: 'asset'; readonly source: string; readonly asset: string }
  | { readonly rule: 'recipient'; readonly source: string; readonly to: string }
  | {
      readonly rule: 'lookalike';
      readonly to: string;
      readonly like: string;
      readonly name: string | undefined;
    }
  | ({ readonly rule: 'transfer' } & OverLimit)
  | ({
      readonly rule: 'day' | 'recipient-day';
      readonly to: string;
      readonly freeAtMs: number | undefined;
      /** Asked only once it is refused. */
      readonly spentBy?: readonly { readonly bot: string; readonly url: string }[];
    } & OverLimit)
  | {
      readonly rule: 'fresh-journal';
      readonly source: string;
      readonly asset: string;
      readonly sinceMs: number;
      readonly freeAtMs: number;
    };

/** What it is for those who asked for it. */
export const refusalCodes = {
  asset: 'policy-asset',
  recipient: 'policy-recipient',
  lookalike: 'lookalike',
  transfer: 'policy-limit',
  day: 'policy-limit',
  'recipient-day': 'policy-limit',
  'fresh-journal': 'policy-limit',
} as const satisfies Record<Refusal['rule'], FailureCode>;

type OverLimit = {
  readonly source: string;
  readonly asset: string;
  readonly units: bigint;
  readonly limit: bigint;
  readonly remaining: bigint;
};

type OverRefusal = Extract<Refusal, OverLimit>;

/** What needs no journal: the asset, the recipient, and how much at once. */
export function refusedByItself(policies: Policies, spend: Spend): Refusal | undefined {
  const { to, asset, units } = spend;
  for (const { source, limits } of policies) if (!limits.has(asset)) return { rule: 'asset', source, asset };
  for (const { source, recipients, onlyRecipients } of policies)
    if (onlyRecipients && ![...recipients.values()].includes(to)) return { rule: 'recipient', source, to };
  return tightest(
    limitsOf(policies, asset).flatMap(({ source, transfer: limit }) =>
      limit === undefined || units <= limit
        ? []
        : [{ rule: 'transfer', source, asset, units, limit, remaining: limit }],
    ),
  );
}

/** An address that was paid, and when it was first. */
type PaidBefore = { readonly address: string; readonly sinceMs: number };

/** Whether the journal has to be asked for addresses like this one. */
export function mayBeLookalike(policies: Policies, { to }: Pick<Spend, 'to'>): boolean {
  return nameOfAddress(policies, to) === undefined;
}

/** An address that nobody knows and that looks like one that is known. What was paid lately may be poison itself. */
export function refusedAsLookalike(
  policies: Policies,
  { to }: Spend,
  paid: readonly PaidBefore[],
  nowMs: number,
): Refusal | undefined {
  if (!mayBeLookalike(policies, { to })) return undefined;
  const known = paid.filter(({ sinceMs }) => sinceMs <= nowMs - windowMs).map(({ address }) => address);
  if (known.includes(to)) return undefined;
  const named = policies.flatMap(({ recipients }) => [...recipients.values()]);
  const like = [...named, ...known].find((one) => looksLike(to, one));
  return like === undefined
    ? undefined
    : { rule: 'lookalike', to, like, name: nameOfAddress(policies, like) };
}

/** What the journal has counted. */
type Counted = {
  /** Since when it is complete. */
  readonly sinceMs: number;
  readonly total: SpentByHour;
  readonly toRecipient: SpentByHour;
};

type Fresh = Extract<Refusal, { rule: 'fresh-journal' }>;

/** A journal that is younger than a day cannot say what was spent in one. */
export function refusedAsFresh(
  policies: Policies,
  asset: string,
  sinceMs: number,
  nowMs: number,
): Fresh | undefined {
  // A clock that went back makes it young again.
  if (sinceMs <= nowMs - windowMs) return undefined;
  const strict = limitsOf(policies, asset).find(
    ({ source, day, recipientDay }) =>
      (day !== undefined || recipientDay !== undefined) &&
      policies.some((policy) => policy.source === source && policy.freshJournal === 'refuse'),
  );
  if (strict === undefined) return undefined;
  return { rule: 'fresh-journal', source: strict.source, asset, sinceMs, freeAtMs: sinceMs + windowMs };
}

/** What was spent before leaves less than this. */
export function refusedByDay(
  policies: Policies,
  { to, asset, units }: Spend,
  { sinceMs, total, toRecipient }: Counted,
  nowMs: number,
): Refusal | undefined {
  const fresh = refusedAsFresh(policies, asset, sinceMs, nowMs);
  if (fresh !== undefined) return fresh;
  const limits = limitsOf(policies, asset);
  const over = (
    rule: 'day' | 'recipient-day',
    source: string,
    limit: bigint | undefined,
    spent: SpentByHour,
  ): OverRefusal[] => {
    if (limit === undefined) return [];
    const sum = spentWithin(spent, nowMs);
    if (sum + units <= limit) return [];
    const remaining = sum < limit ? limit - sum : 0n;
    const freeAt = freeAtMs(spent, limit, units, nowMs);
    return [{ rule, source, asset, to, units, limit, remaining, freeAtMs: freeAt }];
  };
  return tightest(
    limits.flatMap(({ source, day, recipientDay }) => [
      ...over('day', source, day, total),
      ...over('recipient-day', source, recipientDay, toRecipient),
    ]),
  );
}

/** The one that leaves the least, and the first of several such. */
function tightest(refusals: readonly OverRefusal[]): Refusal | undefined {
  return refusals.reduce<OverRefusal | undefined>(
    (least, one) => (least === undefined || one.remaining < least.remaining ? one : least),
    undefined,
  );
}

/** A larger one waits for a person. */
export function needsApproval(policies: Policies, { asset, units }: Spend): boolean {
  return policies.some(({ approveAbove }) => {
    const above = approveAbove.get(asset);
    return above !== undefined && units > above;
  });
}

/**
 * Whoever poisons a history makes addresses whose ends look like a known one's, because that is what people
 * compare. So few of all addresses agree with a known one in so many characters by chance.
 */
const agreeing = 6;
const agreeingIgnoringCase = 8;

export function looksLike(address: string, known: string): boolean {
  if (address === known) return false;
  return (
    agreement(address, known) >= agreeing ||
    agreement(address.toLowerCase(), known.toLowerCase()) >= agreeingIgnoringCase
  );
}

/** In how many characters two addresses agree from their beginning, and from their end. */
function agreement(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  let head = 0;
  while (head < length && one[head] === other[head]) head += 1;
  let tail = 0;
  while (tail < length - head && one.at(-1 - tail) === other.at(-1 - tail)) tail += 1;
  return head + tail;
}

export const windowMs = 24 * hourMs;

/** What was spent, by the hour in which it was claimed. */
type SpentByHour = ReadonlyMap<number, bigint>;

/** The first hour that counts, and it counts whole. What was claimed in the future counts too. */
export function oldestHour(nowMs: number): number {
  return hourOf(nowMs - windowMs);
}

export function spentWithin(spent: SpentByHour, nowMs: number): bigint {
  const oldest = oldestHour(nowMs);
  let sum = 0n;
  for (const [hour, units] of spent) if (hour >= oldest) sum += units;
  return sum;
}

/** When enough of it is too old to count for this to be allowed; never, where it is more than the limit itself. */
export function freeAtMs(
  spent: SpentByHour,
  limit: bigint,
  units: bigint,
  nowMs: number,
): number | undefined {
  const oldest = oldestHour(nowMs);
  const counted = [...spent].filter(([hour]) => hour >= oldest).sort(([one], [other]) => one - other);
  let left = spentWithin(spent, nowMs);
  for (const [hour, spentThen] of counted) {
    left -= spentThen;
    if (left + units <= limit) return (hour + 1) * hourMs + windowMs;
  }
  return undefined;
}
