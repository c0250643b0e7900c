import type { Given } from '../cli/given.ts';
import type { Run } from '../cli/spec.ts';
import type { Context } from '../context.ts';
import type { OptionsOfField } from '../intent/complaint.ts';
import { intentFailure } from '../intent/facts.ts';
import type { Order } from '../intent/order.ts';
import { parseTransfer } from '../intent/transfer.ts';
import { fieldsOf, payloadOf, refuseSharedStdin } from './inputs.ts';
import { namingOf } from './naming.ts';
import { doOnce } from './once.ts';
import { policiesOfCommand } from './policies.ts';
import { waitOptions } from './waitOptions.ts';

export const run: Run = async (given, context) => {
  const wait = waitOptions(given);
  return doOnce(await parse(given, context), given, context, wait);
};

async function parse(given: Given, context: Context): Promise<Order> {
  refuseSharedStdin(given, ['payload', 'token-file']);
  const overrides = {
    to_address: { options: ['--to'], value: given.text('to') },
    asset: { options: ['--asset'], value: given.text('asset') },
    amount: { options: ['--amount'], value: given.text('amount') },
    memo: { options: ['--memo'], value: given.text('memo') },
  };
  const { fields, options } = fieldsOf(await payloadOf(given, context), overrides);
  const addressed = await withRecipient(fields, given, context, options);
  const { wanted, payloadKey } = parseTransfer(addressed, given.flag('allow-off-curve'), options);
  return { wanted, naming: namingOf(given, context, payloadKey) };
}

/** A recipient's name becomes its address before anything is checked or kept. */
async function withRecipient(
  fields: Readonly<Record<string, unknown>>,
  given: Given,
  context: Context,
  options: OptionsOfField,
): Promise<Readonly<Record<string, unknown>>> {
  const { to_address: to } = fields;
  if (typeof to !== 'string' || !to.startsWith('@')) return fields;
  const { withAddress } = await import('../policy/recipients.ts');
  const { fields: addressed, complaint } = withAddress(fields, await policiesOfCommand(given, context));
  if (complaint !== undefined)
    throw intentFailure('not-valid', { kind: 'transfer', complaints: [complaint], options });
  return addressed;
}
