import type { Given } from '../cli/given.ts';
import type { Run } from '../cli/spec.ts';
import type { Context } from '../context.ts';
import type { Asked } from '../engine/doing.ts';
import { parseTransfer } from '../intent/transfer.ts';
import { payloadOf, refuseSharedStdin } from './inputs.ts';
import { namingOf } from './naming.ts';
import { doOnce } from './once.ts';

export const run: Run = async (given, context) => doOnce(await parse(given, context), given, context);

async function parse(given: Given, context: Context): Promise<Asked> {
  refuseSharedStdin(given, ['payload', 'token-file']);
  const fields = await payloadOf(given, context);
  const overrides = {
    to_address: given.text('to'),
    asset: given.text('asset'),
    amount: given.text('amount'),
    memo: given.text('memo'),
  };
  for (const [name, value] of Object.entries(overrides)) if (value !== undefined) fields[name] = value;
  const { wanted, payloadKey } = parseTransfer(fields, given.flag('allow-off-curve'));
  return { wanted, naming: namingOf(given, context, payloadKey) };
}
