import type { ShownPolicy } from '../../display/policyView.ts';
import { amountOf } from '../../intent/units.ts';
import type { Policy } from '../../policy/policy.ts';

export function shownPolicy(policy: Policy): ShownPolicy {
  const { source, journal, limits, recipients, onlyRecipients, approveAbove, freshJournal } = policy;
  const text = (units: bigint | undefined): string | undefined =>
    units === undefined ? undefined : amountOf(units);
  return {
    source,
    journal,
    limits: [...limits].map(([asset, { transfer, day, recipientDay }]) => ({
      asset,
      transfer: text(transfer),
      day: text(day),
      recipientDay: text(recipientDay),
      approveAbove: text(approveAbove.get(asset)),
    })),
    recipients: [...recipients].map(([name, address]) => ({ name, address })),
    onlyRecipients,
    freshJournal,
  };
}
