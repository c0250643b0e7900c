import * as z from 'zod/mini';
import { type AllowedRecipients, addressComplaint } from './address.ts';
import { canonicalAmount, countedAsset } from './amount.ts';
import { entryFailure } from './failures.ts';
import { hidden } from './naming.ts';
import type { Complaint, Complaints, OptionsOfField } from './rules.ts';
import { check, optionalText, rule } from './schema.ts';
import type { TransferRequest, Wanted } from './wanted.ts';

/** Limited, because an index of a shared journal contains it twice. */
const longestAsset = 200;

const asset = z.string().check(
  rule('asset', (value: string) => {
    if (value.trim() === '') return 'empty';
    if (value !== value.trim() || hidden.test(value)) return 'blanks';
    return value.length > longestAsset ? { longerThan: longestAsset } : undefined;
  }),
);

const transferSchema = z.strictObject({
  to_address: z.string(),
  asset,
  amount: z.string(),
  memo: optionalText(),
  idempotency_key: optionalText(),
});

type CheckedTransfer = { wanted: Wanted & { kind: 'transfer' }; payloadKey: string | undefined };

/**
 * Checks what the schema cannot. Fields that are not text are skipped, because the schema has reported them already.
 */
function complaintsAbout(fields: unknown, allowed: AllowedRecipients): Complaint[] {
  if (typeof fields !== 'object' || fields === null) return [];
  const { to_address, amount, asset } = fields as Partial<Record<string, unknown>>;
  const address = typeof to_address === 'string' ? addressComplaint(to_address, allowed) : undefined;
  const spelled = typeof amount === 'string' ? canonicalAmount(amount, String(asset)) : '';
  return [...(address === undefined ? [] : [address]), ...(typeof spelled === 'string' ? [] : [spelled])];
}

/** Makes a transfer from fields of any origin. Throws one error that lists everything wrong with them. */
export function parseTransfer(
  fields: unknown,
  allowed: AllowedRecipients,
  options: OptionsOfField = {},
): CheckedTransfer {
  const checked = checkTransfer(fields, allowed);
  if ('complaints' in checked)
    throw entryFailure('not-valid', { kind: 'transfer', complaints: checked.complaints, options });
  return checked;
}

/** The same, but returns what is wrong instead of throwing it: a batch lists it and goes on. */
export function checkTransfer(fields: unknown, allowed: AllowedRecipients): CheckedTransfer | Complaints {
  const checked = check(transferSchema, fields);
  const complaints = [...checked.complaints, ...complaintsAbout(fields, allowed)];
  if (!checked.success || complaints.length > 0) return { complaints };
  const { idempotency_key: payloadKey, ...rest } = checked.data;
  const asset = countedAsset(rest.asset) === 'sol' ? 'SOL' : rest.asset;
  const request = { ...rest, asset, amount: String(canonicalAmount(rest.amount, asset)) } as TransferRequest;
  return { wanted: { kind: 'transfer', request }, payloadKey };
}
