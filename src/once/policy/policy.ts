import { type Complaint, complain } from '../intent/facts.ts';

/** What may be spent of one asset. A limit that is absent does not apply. */
export type AssetLimits = {
  readonly transfer?: bigint;
  /** In the last 24 hours, by all bots of the journal. */
  readonly day?: bigint;
  /** The same, to one address. */
  readonly recipientDay?: bigint;
};

/** What one policy file, or a shared journal's own policy, allows. */
export type Policy = {
  /** Where the policy is, for people. */
  readonly source: string;
  /** The only journal that may be used: a path, or a shared journal's id. */
  readonly journal: string | undefined;
  /** Assets that are not listed are refused. */
  readonly limits: ReadonlyMap<string, AssetLimits>;
  /** Addresses by name. */
  readonly recipients: ReadonlyMap<string, string>;
  readonly onlyRecipients: boolean;
  readonly approveAbove: ReadonlyMap<string, bigint>;
  /** If `refuse`, `--allow-unusual` is of no use. */
  readonly unusual?: 'refuse' | undefined;
  /** If `other`, somebody else than the one who proposed a transfer must approve it. */
  readonly approvals?: 'other' | undefined;
  /** Whether a journal younger than the window may be used. */
  readonly freshJournal: 'refuse' | 'allow';
  /** No transfer without a person's answer or --yes. */
  readonly confirm?: 'always' | undefined;
};

/** All policies that apply. What one of them refuses is refused. */
export type Policies = readonly Policy[];

/** The name that a policy gives this address, if there is one. */
export function nameOfAddress(policies: Policies, address: string): string | undefined {
  for (const { recipients } of policies)
    for (const [name, known] of recipients) if (known === address) return name;
  return undefined;
}

type Limited = AssetLimits & { readonly source: string };

const limitsByAsset = new WeakMap<Policies, Map<string, readonly Limited[]>>();

/** The limits for this asset in each policy that names it. */
export function limitsOf(policies: Policies, asset: string): readonly Limited[] {
  const byAsset = limitsByAsset.get(policies) ?? new Map<string, readonly Limited[]>();
  limitsByAsset.set(policies, byAsset);
  const known = byAsset.get(asset);
  if (known !== undefined) return known;
  const found = policies.flatMap(({ limits, source }) => {
    const line = limits.get(asset);
    return line === undefined ? [] : [{ ...line, source }];
  });
  // An asset without limits is refused, so it need not be remembered.
  if (found.length > 0) byAsset.set(asset, found);
  return found;
}

/** Whether a daily limit applies, so that earlier spending matters. */
export function limitsADay(policies: Policies, asset: string): boolean {
  return limitsOf(policies, asset).some(
    ({ day, recipientDay }) => day !== undefined || recipientDay !== undefined,
  );
}

/** Whether a daily limit to one address applies. */
export function limitsRecipients(policies: Policies, asset: string): boolean {
  return limitsOf(policies, asset).some(({ recipientDay }) => recipientDay !== undefined);
}

/** Replaces `@ada` by the address that a policy gives that name. Other text is unchanged. */
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

/** The same for the fields of a request, before they are checked. */
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
