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
