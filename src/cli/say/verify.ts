import { counted, formatDuration, listed } from './phrases.ts';
import { Told } from './told.ts';

export function whichToVerify(all: boolean): Told {
  return new Told('usage', all ? 'Both --all and IDs are given' : 'Nothing to verify is named', {
    hint: 'Give IDs, or use --all for every transfer without a final answer.',
  });
}

export function withAllOnly(option: string): Told {
  return new Told('usage', `--${option} works only with --all`, {
    hint: 'Add --all, or leave it out.',
  });
}

export function acknowledgeWithReason(): Told {
  return new Told('usage', '--acknowledge and --reason must be given together, with IDs or --all', {
    hint: 'Say what was done about it: --acknowledge --reason "refunded by the service, ticket 42".',
  });
}

export function nothingToAcknowledge(id: string): Told {
  return new Told('not-allowed-now', `The chain does not contradict transfer ${id}`, {
    hint: 'You can acknowledge only a contradiction, a payment from another time, or a transfer whose profile is gone. To look at the chain again:',
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

export const nothingIsGone = 'Every transfer’s profile exists, so there is nothing to acknowledge.';

export const nothingToVerify = 'Every transfer has its final answer.';

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
  const another = otherTime === 0 ? '' : `${otherTime} from another time, `;
  return `On the chain: ${proven} proven, ${contradicted} contradicted, ${another}${open} undecided.`;
}
