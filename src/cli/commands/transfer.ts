import { entryFailure } from '../../once/entry/failures.ts';
import type { Order } from '../../once/entry/naming.ts';
import type { OptionsOfField } from '../../once/entry/rules.ts';
import { parseTransfer } from '../../once/entry/transfer.ts';
import type { App } from '../app.ts';
import type { Run } from '../parse/command.ts';
import { allowedRecipients, namingOf, payloadFields, payloadOf, waitOf } from '../run/inputs.ts';
import { doOnce } from '../run/once.ts';
import type { TransferArgs } from './transfer.spec.ts';

export const run: Run<TransferArgs> = async (app) => {
  const wait = waitOf(app.args);
  return doOnce(await parse(app), app, wait);
};

async function parse(app: App<TransferArgs>): Promise<Order> {
  const overrides = {
    to_address: { options: ['--to'], value: app.args.text('to') },
    asset: { options: ['--asset'], value: app.args.text('asset') },
    amount: { options: ['--amount'], value: app.args.text('amount') },
    memo: { options: ['--memo'], value: app.args.text('memo') },
  };
  const { fields, options } = payloadFields(await payloadOf(app), overrides);
  const addressed = await withRecipient(fields, app, options);
  const { wanted, payloadKey } = parseTransfer(addressed, allowedRecipients(app.args), options);
  return { wanted, naming: namingOf(app, payloadKey) };
}

/** Replaces a recipient's name with its address before anything is checked or stored. */
async function withRecipient(
  fields: Readonly<Record<string, unknown>>,
  app: App<TransferArgs>,
  options: OptionsOfField,
): Promise<Readonly<Record<string, unknown>>> {
  const { to_address: to } = fields;
  if (typeof to !== 'string' || !to.startsWith('@')) return fields;
  const { withAddress } = await import('../../policy/policy.ts');
  const { fields: addressed, complaint } = withAddress(fields, (await app.policies()) ?? []);
  if (complaint !== undefined)
    throw entryFailure('not-valid', { kind: 'transfer', complaints: [complaint], options });
  return addressed;
}
