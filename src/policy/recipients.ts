import { type Complaint, complain } from '../intent/complaint.ts';
import type { Policies } from './policy.ts';

/** `@ada` as the address that a policy gives to that name; what is no name stays as it is. */
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
  // Two that say otherwise: nobody knows who is meant.
  return addresses.size === 1 ? address : complain('to_address', 'recipient', 'several-addresses');
}

function namesIn(policies: Policies): string[] {
  return [...new Set(policies.flatMap(({ recipients }) => [...recipients.keys()]))].map((name) => `@${name}`);
}

/** The same of the fields of a request, before they are checked. */
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
