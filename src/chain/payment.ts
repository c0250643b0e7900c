import { minorUnits } from '../once/entry/amount.ts';
import { type ChainTransaction, type Change, tokenPrograms } from './transaction.ts';

/** The requested payment in terms of the chain. */
export type Payment = {
  readonly to: string;
  /** Undefined for SOL. */
  readonly mint: string | undefined;
  /** A decimal number, as in the request. */
  readonly amount: string;
  /** The wallet that must pay, if it is known. */
  readonly wallet: string | undefined;
};

export type Match = {
  readonly units: bigint;
  readonly decimals: number;
  /** Less than the amount if the mint kept a fee. */
  readonly received: bigint;
};

/** `doubt`: it may have been paid, but the balances do not show it. `more` may include it. */
type InBalances = ({ readonly is: 'match' } & Match) | { readonly is: 'miss' | 'more' | 'doubt' };

const doubt: InBalances = { is: 'doubt' };

/** Whether the balances show that a transaction made exactly the payment. */
export function findPayment(
  { to, mint, amount, wallet }: Payment,
  { changes, showsTokens }: Pick<ChainTransaction, 'changes' | 'showsTokens'>,
): InBalances {
  if (to === wallet || (mint !== undefined && !showsTokens)) return doubt;
  const ofAsset = changes.filter((one) => one.mint === mint);
  const [first] = ofAsset;
  if (first === undefined) return { is: 'miss' };
  const { decimals } = first;
  if (ofAsset.some((one) => one.decimals !== decimals || (mint !== undefined && one.owner === undefined)))
    return doubt;
  const recipients = changesOf(to, ofAsset);
  const payers = wallet === undefined ? [] : changesOf(wallet, ofAsset);
  const units = smallestUnits(amount, decimals);
  if (units === undefined || [...recipients, ...payers].some(({ isExact }) => !isExact)) return doubt;
  const gained = sum(recipients);
  const lost = wallet === undefined ? undefined : -sum(payers);
  const match = { is: 'match', units, decimals, received: gained } as const;
  if (gained === units) return lost === undefined || lost >= units ? match : doubt;
  if (gained > units) return { is: 'more' };
  if (!recipients.some(({ program }) => program === tokenPrograms.token2022)) return { is: 'miss' };
  // Under Token-2022 a mint may keep a fee, and a balance that did not change may hide what was paid.
  if (gained === 0n || (gained > 0n && lost === undefined)) return doubt;
  return gained > 0n && lost === units ? match : { is: 'miss' };
}

function changesOf(who: string, changes: readonly Change[]): Change[] {
  return changes.filter(({ account, owner }) => account === who || owner === who);
}

function sum(changes: readonly Change[]): bigint {
  return changes.reduce((total, { units }) => total + units, 0n);
}

/** An amount in the asset's smallest units; undefined if it has more decimal places than the asset. */
function smallestUnits(amount: string, decimals: number): bigint | undefined {
  const { units, decimals: own } = minorUnits(amount);
  return own > decimals ? undefined : units * 10n ** BigInt(decimals - own);
}
