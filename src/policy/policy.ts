import { countedAsset, type Spent } from '../once/entry/amount.ts';
import { type Complaint, complain } from '../once/entry/rules.ts';
import { type OverRefusal, type Refusal, whyApproval } from './failures.ts';

/** The limits of one asset. An absent limit does not apply. */
export type AssetLimits = {
  readonly transfer?: bigint;
  /** In the last 24 hours, by all bots of the journal. */
  readonly day?: bigint;
  readonly approveAbove?: bigint;
};

/** What one policy file allows. */
export type Policy = {
  readonly source: string;
  /** By asset, as the policy spells it. An asset that is not listed is refused. */
  readonly limits: ReadonlyMap<string, AssetLimits>;
  readonly recipients: ReadonlyMap<string, string>;
  readonly onlyRecipients: boolean;
  /** If `other`, a database role other than the one that proposed a transfer must approve it. */
  readonly approvals?: 'other' | undefined;
};

/** All policies that apply. Each of them can refuse a payment. */
export type Policies = readonly Policy[];

/** The name that a policy gives this address, if any does. */
export function nameOfAddress(policies: Policies, address: string): string | undefined {
  for (const { recipients } of policies)
    for (const [name, known] of recipients) if (known === address) return name;
  return undefined;
}

type Limited = Readonly<Record<keyof AssetLimits, bigint | undefined>> & {
  readonly source: string;
  /** The asset as the policy spells it. */
  readonly line: string;
};

/** An asset under all its names. */
export type NamedAsset = Pick<Spend, 'assetNames'>;

/** The limits for this asset in each policy that names it, in any spelling. */
export function limitsOf(policies: Policies, { assetNames }: NamedAsset): readonly Limited[] {
  return policies.flatMap(({ limits, source }) => {
    const limited: Limited[] = [];
    // A batch calls this for each row, and a spread would take ten times as long.
    for (const [line, { transfer, day, approveAbove }] of limits)
      if (assetNames.includes(countedAsset(line)))
        limited.push({ source, line, transfer, day, approveAbove });
    return limited;
  });
}

/** The assets that policies name, each once. */
export function assetsIn(policies: Policies): Iterable<string> {
  const names = policies.flatMap(({ limits }) => [...limits.keys()]);
  return new Map(names.map((name) => [countedAsset(name), name])).values();
}

/** Whether a daily limit applies. Only then does earlier spending matter. */
export function limitsADay(policies: Policies, asset: NamedAsset): boolean {
  return limitsOf(policies, asset).some(({ day }) => day !== undefined);
}

/** Replaces `@ada` with the address that a policy gives that name. Other text is unchanged. */
function addressOf(recipient: string, policies: Policies): string | Complaint {
  if (!recipient.startsWith('@')) return recipient;
  const name = recipient.slice(1);
  const addresses = new Set(policies.flatMap(({ recipients }) => recipients.get(name) ?? []));
  const [address] = addresses;
  if (address === undefined)
    return complain(
      'to_address',
      'recipient',
      policies.length === 0 ? 'no-policy' : { noneOf: namesIn(policies) },
    );
  // If policies give the name different addresses, it is unclear who is meant.
  return addresses.size === 1 ? address : complain('to_address', 'recipient', 'several-addresses');
}

function namesIn(policies: Policies): string[] {
  return [...new Set(policies.flatMap(({ recipients }) => [...recipients.keys()]))].map((name) => `@${name}`);
}

/** Replaces the recipient's name in a request's fields, before they are checked. */
export function withAddress(
  fields: Readonly<Record<string, unknown>>,
  policies: Policies,
): { readonly fields: Readonly<Record<string, unknown>>; readonly complaint?: Complaint } {
  const { to_address: to } = fields;
  if (typeof to !== 'string') return { fields };
  const address = addressOf(to, policies);
  return typeof address === 'string'
    ? { fields: address === to ? fields : { ...fields, to_address: address } }
    : { fields, complaint: address };
}

export type Spend = {
  readonly to: string;
  readonly asset: string;
  /** All names that profiles give the asset, in lower case. They share one sum, but a policy must list each. */
  readonly assetNames: readonly string[];
  readonly units: bigint;
};

/** Checks the rules that need no journal: the asset, the recipient, and the amount of one transfer. */
export function refusedByItself(policies: Policies, spend: Spend): Refusal | undefined {
  const { to, asset, units } = spend;
  const itself = { assetNames: [countedAsset(asset)] };
  const unlimited = policies.find((policy) => limitsOf([policy], itself).length === 0);
  if (unlimited !== undefined) return { rule: 'asset', source: unlimited.source, asset };
  for (const { source, recipients, onlyRecipients } of policies)
    if (onlyRecipients && ![...recipients.values()].includes(to)) return { rule: 'recipient', source, to };
  return tightest(
    limitsOf(policies, spend).flatMap(({ source, line, transfer: limit }) =>
      limit === undefined || units <= limit
        ? []
        : [{ rule: 'transfer', source, line, asset, units, limit, remaining: limit }],
    ),
  );
}

/** Refuses an amount above what earlier spending has left. */
export function refusedByDay(policies: Policies, spend: Spend, spent: bigint): Refusal | undefined {
  const { asset, units } = spend;
  return tightest(
    limitsOf(policies, spend).flatMap(({ source, line, day: limit }): OverRefusal[] => {
      if (limit === undefined || spent + units <= limit) return [];
      const remaining = spent < limit ? limit - spent : 0n;
      return [{ rule: 'day', source, line, asset, units, limit, spent, remaining, freeAtMs: undefined }];
    }),
  );
}

/** The refusal that leaves the least; among equals, the first. */
function tightest(refusals: readonly OverRefusal[]): Refusal | undefined {
  return refusals.reduce<OverRefusal | undefined>(
    (least, one) => (least === undefined || one.remaining < least.remaining ? one : least),
    undefined,
  );
}

/** Why a person must approve the amount; undefined if nobody must. */
export function needsApproval(policies: Policies, spend: Spend): string | undefined {
  const { units, asset } = spend;
  const passed = limitsOf(policies, spend).find(({ approveAbove = units }) => units > approveAbove);
  if (passed?.approveAbove === undefined) return undefined;
  return whyApproval.above({ ...passed, units, asset, limit: passed.approveAbove });
}

/** A journal in a file cannot tell who approves, so a policy that requires another person's approval refuses. */
export function refusedOnFile(policies: Policies): Refusal | undefined {
  const strict = policies.find(({ approvals }) => approvals === 'other');
  return strict && { rule: 'approvals', source: strict.source };
}

export const dayMs = 24 * 3_600_000;

/** When enough earlier spending stops counting to allow this amount; undefined if it alone exceeds the limit. */
export function freeAtMs(
  earlier: readonly Spent[],
  { units, limit, spent }: Pick<Refusal & { readonly rule: 'day' }, 'units' | 'limit' | 'spent'>,
  nowMs: number,
): number | undefined {
  if (units > limit) return undefined;
  let left = spent;
  for (const one of [...earlier].sort((first, second) => first.atMs - second.atMs)) {
    left -= one.units;
    if (left + units <= limit) return one.atMs + dayMs;
  }
  // Payments of this commit or batch are not stored yet.
  return nowMs + dayMs;
}
