/** `1.5 SOL`: the amount as it was given, never rounded. */
export function formatAmountOf(amount: string, asset: string): string {
  return `${amount} ${asset}`;
}
