import type { Given } from '../cli/given.ts';
import type { Run } from '../cli/spec.ts';
import type { Context } from '../context.ts';
import type { Order } from '../intent/order.ts';
import { parseTransfer } from '../intent/transfer.ts';
import { fieldsOf, payloadOf, refuseSharedStdin } from './inputs.ts';
import { namingOf } from './naming.ts';
import { doOnce } from './once.ts';

export const run: Run = async (given, context) => doOnce(await parse(given, context), given, context);

async function parse(given: Given, context: Context): Promise<Order> {
  refuseSharedStdin(given, ['payload', 'token-file']);
  const overrides = {
    to_address: { options: ['--to'], value: given.text('to') },
    asset: { options: ['--asset'], value: given.text('asset') },
    amount: { options: ['--amount'], value: given.text('amount') },
    memo: { options: ['--memo'], value: given.text('memo') },
  };
  const { fields, options } = fieldsOf(await payloadOf(given, context), overrides);
  const { wanted, payloadKey } = parseTransfer(fields, given.flag('allow-off-curve'), options);
  return { wanted, naming: namingOf(given, context, payloadKey) };
}
