import { counted, formatDuration, listed } from './phrases.ts';
import { Told } from './told.ts';

export function whichToVerify(all: boolean): Told {
  return new Told('usage', all ? '--all and IDs are both given' : 'Nothing is named to be verified', {
    hint: 'Name intents, or use --all for every transfer without a final verdict.',
  });
}

export function withAllOnly(option: string): Told {
  return new Told('usage', `--${option} goes with --all only`, {
    hint: 'Add --all, or leave it out.',
  });
}

export function acknowledgeWithReason(): Told {
  return new Told('usage', '--acknowledge and --reason go together, with IDs or --all', {
    hint: 'Say what was done about it: --acknowledge --reason "refunded by the service, ticket 42".',
  });
}

export function nothingToAcknowledge(id: string): Told {
  return new Told('not-allowed-now', `The chain shows nothing against intent ${id}`, {
    hint: 'Only a contradiction, a payment of another time or a transfer whose profile is gone is acknowledged. To look at the chain again:',
    next: [['verify', id]],
  });
}

export function verifiedSummary(counts: Readonly<Record<string, number>>): string {
  const { proven = 0, likely = 0, contradicted = 0, undecided: open = 0, not_looked_up: left = 0 } = counts;
  const parts = [
    `${proven} proven`,
    ...(likely === 0 ? [] : [`${likely} likely`]),
    `${contradicted} contradicted`,
    `${open} undecided`,
    ...(left === 0 ? [] : [`${left} not looked up`]),
  ];
  return `${parts.join(', ')}.`;
}

export const nothingIsGone = 'Every transfer’s profile is there: nothing to acknowledge.';

export const nothingToVerify = 'Every transfer has its final verdict.';

export const verifyingText = (done: number): string => `${done} verified`;

export const chainRowsText = (left: number, all: number): string => `On chain: ${all - left} of ${all}`;

export function waitingForRows(
  rows: number,
  until: string,
  hosts: readonly string[],
  waitMs: number,
): string {
  return `Waiting up to ${formatDuration(waitMs)} for ${counted(rows, 'transfer')} to be ${until}, as seen by ${listed(hosts)}.`;
}

/** For the end of a batch: what the chain says about its accepted rows. */
export function rowsOnChain({
  proven,
  contradicted,
  otherTime,
  undecided: open,
}: Record<'proven' | 'contradicted' | 'otherTime' | 'undecided', number>): string {
  const another = otherTime === 0 ? '' : `${otherTime} of another time, `;
  return `On the chain: ${proven} proven, ${contradicted} contradicted, ${another}${open} undecided.`;
}
