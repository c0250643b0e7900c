import { entryFailure } from '../../once/entry/failures.ts';
import type { Order } from '../../once/entry/naming.ts';
import type { OptionsOfField } from '../../once/entry/rules.ts';
import { parseTransfer } from '../../once/entry/transfer.ts';
import type { Context, Run } from '../parse/command.ts';
import type { TransferArgs } from '../parse/sendingSpecs.ts';
import { allowedRecipients, fieldsOf, namingOf, payloadOf, waitOf } from './inputs.ts';
import { doOnce } from './once.ts';
import { policiesAndAssetNames } from './policies.ts';

export const run: Run<TransferArgs> = async (given, context) => {
  const wait = waitOf(given);
  return doOnce(await parse(given, context), given, context, wait);
};

async function parse(given: TransferArgs, context: Context): Promise<Order> {
  const overrides = {
    to_address: { options: ['--to'], value: given.text('to') },
    asset: { options: ['--asset'], value: given.text('asset') },
    amount: { options: ['--amount'], value: given.text('amount') },
    memo: { options: ['--memo'], value: given.text('memo') },
  };
  const { fields, options } = fieldsOf(await payloadOf(given, context), overrides);
  const addressed = await withRecipient(fields, given, context, options);
  const { wanted, payloadKey } = parseTransfer(addressed, allowedRecipients(given), options);
  return { wanted, naming: namingOf(given, context, payloadKey) };
}

/** Replaces a recipient's name by its address before anything is checked or stored. */
async function withRecipient(
  fields: Readonly<Record<string, unknown>>,
  given: TransferArgs,
  context: Context,
  options: OptionsOfField,
): Promise<Readonly<Record<string, unknown>>> {
  const { to_address: to } = fields;
  if (typeof to !== 'string' || !to.startsWith('@')) return fields;
  const { withAddress } = await import('../../policy/policy.ts');
  const { policies } = await policiesAndAssetNames(given, context);
  const { fields: addressed, complaint } = withAddress(fields, policies);
  if (complaint !== undefined)
    throw entryFailure('not-valid', { kind: 'transfer', complaints: [complaint], options });
  return addressed;
}
