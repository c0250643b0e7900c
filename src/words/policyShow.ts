import { formatAmountOf } from './amount.ts';
import { listed } from './list.ts';
import { iso } from './time.ts';

type Limits = {
  readonly asset: string;
  readonly transfer: string | undefined;
  readonly day: string | undefined;
  readonly recipientDay: string | undefined;
  readonly approveAbove: string | undefined;
};

export const policyLabels = {
  policy: (source: string) => `Policy ${source}`,
  none: 'No policy holds this bot: the wallet’s balance is the only limit.',
  left: 'Left in these 24 hours',
  counted: 'Counted',
  journal: 'Journal',
  recipients: 'Recipients',
  fresh: 'New journals',
  allowed: 'may begin to count',
  only: (isOnly: boolean) =>
    isOnly ? 'only those named here' : 'anybody, but nobody who looks like one of them',
  limits: (
    { asset, transfer, day, recipientDay, approveAbove }: Limits,
    format: (amount: string, asset: string) => string,
  ): string => {
    const said = (amount: string | undefined, what: string): string[] =>
      amount === undefined ? [] : [`${format(amount, asset)} ${what}`];
    const all = [
      ...said(transfer, 'at once'),
      ...said(day, 'in 24 hours'),
      ...said(recipientDay, 'in 24 hours to one address'),
      ...said(approveAbove, 'without a person’s approval'),
    ];
    return all.length === 0 ? 'without a limit' : `at most ${listed(all)}`;
  },
} as const;

type Left = {
  readonly asset: string;
  readonly limit: string;
  readonly spent: string;
  readonly remaining: string;
  readonly freeAtMs: number | undefined;
};

export function leftWords(left: Left): string {
  const of = (amount: string): string => formatAmountOf(amount, left.asset);
  if (left.freeAtMs !== undefined)
    return `nothing until ${iso(left.freeAtMs)}: this journal is too young for a limit of a day`;
  return `${of(left.remaining)} of ${of(left.limit)}; ${of(left.spent)} spent, or in doubt`;
}

/** Of which part of the window this journal knows what was spent. */
export function countedWords(sinceMs: number, isWhole: boolean): string {
  return isWhole
    ? 'all of these 24 hours'
    : `since ${iso(sinceMs)}: this journal may not know all that was before`;
}

export function policyIsGood(path: string): string {
  return `${path} is a policy that can be used.`;
}

export function policySet(place: string, number: number): string {
  return `The journal ${place} has policy ${number} now: whoever sends through it is held to it.`;
}
