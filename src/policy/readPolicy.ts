import * as z from 'zod/mini';
import { addressComplaint } from '../once/entry/address.ts';
import { canonicalAmount, countedAsset, unitsOf } from '../once/entry/amount.ts';
import { placeIn, readJson } from '../once/entry/jsonText.ts';
import { hidden } from '../once/entry/naming.ts';
import { type PolicyFault, policyFailure, policySchema } from './failures.ts';
import type { AssetLimits, Policy } from './policy.ts';

const amount = z.string();
const limits = z.strictObject({
  transfer: z.optional(amount),
  day: z.optional(amount),
});

export const policyFile = z.strictObject({
  schema: z.literal(policySchema),
  limits: z.record(z.string(), limits),
  recipients: z.optional(z.record(z.string(), z.string())),
  only_recipients: z.optional(z.boolean()),
  approve_above: z.optional(z.record(z.string(), amount)),
  approvals: z.optional(z.literal('other')),
  $schema: z.optional(z.string()),
});

type Written = z.infer<typeof policyFile>;
type Path = readonly string[];

type Wrong = { readonly path: Path; readonly fault: PolicyFault };

/** Reads a policy from its text, or throws a failure that names the line. `source` tells people where the policy is. */
export function readPolicy(json: string, source: string): Policy {
  const read = readJson(json);
  if ('fault' in read) throw policyFailure('bad-text', { source, fault: read.fault });
  const wrong = wrongIn(read.value);
  if (wrong === undefined) return policyOf(read.value as Written, source);
  const { path, fault } = wrong;
  const field = path.length === 0 ? undefined : path.join('.');
  throw policyFailure('damaged', { source, ...placeIn(json, path), field, fault });
}

function wrongIn(value: unknown): Wrong | undefined {
  const checked = policyFile.safeParse(value, { reportInput: true });
  if (!checked.success) return wrongOf(worstOf(checked.error.issues));
  return wrongMeaning(checked.data);
}

/** An unknown key comes first: it may misspell one that is reported as missing. */
function worstOf(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue | undefined {
  return issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0];
}

function wrongOf(issue: z.core.$ZodIssue | undefined): Wrong {
  const path = (issue?.path ?? []).map(String);
  if (issue?.code === 'unrecognized_keys')
    return { path: [...path, issue.keys[0] ?? ''], fault: { is: 'unknown-key', known: knownAt(path) } };
  if (issue?.code === 'invalid_type' && issue.input === undefined) return { path, fault: { is: 'missing' } };
  if (issue?.code === 'invalid_value')
    return { path, fault: { is: 'not-the-value', value: JSON.stringify(issue.values[0]) } };
  const shape = issue?.code === 'invalid_type' ? issue.expected : 'valid';
  return { path, fault: { is: 'not-of-shape', shape } };
}

function knownAt(path: Path): string[] {
  return Object.keys((path.length === 0 ? policyFile : limits)._zod.def.shape);
}

/** Checks the rules that the schema cannot express. */
function wrongMeaning({ limits: lines, recipients, approve_above: above }: Written): Wrong | undefined {
  for (const [field, assets] of [
    ['limits', Object.keys(lines)],
    ['approve_above', Object.keys(above ?? {})],
  ] as const) {
    const wrong = wrongAsset(field, assets);
    if (wrong !== undefined) return wrong;
  }
  for (const [asset, line] of Object.entries(lines))
    for (const [limit, text] of Object.entries(line)) {
      const wrong = wrongAmount(['limits', asset, limit], text, asset);
      if (wrong !== undefined) return wrong;
    }
  for (const [asset, text] of Object.entries(above ?? {})) {
    const path = ['approve_above', asset];
    const wrong = wrongAmount(path, text, asset);
    if (wrong !== undefined) return wrong;
    if (!Object.keys(lines).some((name) => countedAsset(name) === countedAsset(asset)))
      return { path, fault: { is: 'no-limits' } };
  }
  return wrongRecipient(recipients ?? {});
}

/** Two spellings of one asset would have two limits but one count. */
function wrongAsset(field: string, assets: readonly string[]): Wrong | undefined {
  const seen = new Map<string, string>();
  for (const asset of assets) {
    const path = [field, asset];
    const other = seen.get(asset.toLowerCase());
    if (other !== undefined) return { path, fault: { is: 'same-asset', other } };
    if (asset === '' || asset !== asset.trim() || hidden.test(asset))
      return { path, fault: { is: 'not-an-asset' } };
    seen.set(asset.toLowerCase(), asset);
  }
  return undefined;
}

function wrongAmount(path: Path, text: string | undefined, asset: string): Wrong | undefined {
  if (text === undefined) return undefined;
  const spelled = canonicalAmount(text, asset);
  return typeof spelled === 'string'
    ? undefined
    : { path, fault: { is: 'not-an-amount', complaint: spelled } };
}

const recipientName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/u;

function wrongRecipient(recipients: Readonly<Record<string, string>>): Wrong | undefined {
  for (const [name, address] of Object.entries(recipients)) {
    const path = ['recipients', name];
    if (!recipientName.test(name)) return { path, fault: { is: 'not-a-name' } };
    // A policy may name a vault, whose address no key controls.
    const complaint = addressComplaint(address, 'any');
    if (complaint !== undefined) return { path, fault: { is: 'not-an-address', complaint } };
  }
  return undefined;
}

function policyOf(written: Written, source: string): Policy {
  const { limits: lines, recipients = {}, approve_above: above = {} } = written;
  const aboveOf = new Map(Object.entries(above).map(([asset, text]) => [countedAsset(asset), text]));
  return {
    source,
    limits: new Map(
      Object.entries(lines).map(([asset, line]) => [
        asset,
        limitsFrom({ ...line, approve_above: aboveOf.get(countedAsset(asset)) }),
      ]),
    ),
    recipients: new Map(Object.entries(recipients)),
    onlyRecipients: written.only_recipients ?? false,
    approvals: written.approvals,
  };
}

type WrittenLine = Written['limits'][string] & { readonly approve_above: string | undefined };

function limitsFrom({ transfer, day, approve_above }: WrittenLine): AssetLimits {
  return {
    ...(transfer === undefined ? {} : { transfer: unitsOf(transfer) }),
    ...(day === undefined ? {} : { day: unitsOf(day) }),
    ...(approve_above === undefined ? {} : { approveAbove: unitsOf(approve_above) }),
  };
}
