import type { Holding } from '../../chain/node.ts';
import type { Reason } from '../../chain/transaction.ts';
import { formatAmount, isLess, minorUnits } from '../../once/entry/amount.ts';
import { type Failure, failureWith } from '../../once/failures.ts';
import { formatAmountOf, listed } from '../../once/phrases.ts';
import { reasonWords } from './chain.ts';

/** The balance of a bot's wallet, or why it is unknown. */
export type WalletBalance =
  | { readonly is: 'not-set'; readonly lacks: 'rpc-url' | 'wallet' }
  /** The URL of a node could not be read. `why` is a sentence. */
  | { readonly is: 'no-node'; readonly why: string }
  | {
      readonly is: 'asked';
      readonly host: string;
      readonly cluster: string | undefined;
      readonly holdings: readonly Holding[];
    };

/** An amount of one asset that is about to be paid. */
export type Payable = { readonly asset: string; readonly amount: string };

/** The balance in one line, with the assets that the wallet has too little of. */
export function balanceText(balance: WalletBalance, payable: readonly Payable[] = []): string {
  switch (balance.is) {
    case 'not-set':
      return `not asked: no ${balance.lacks} is set (botctl balance says how to set it)`;
    case 'no-node':
      return `unknown: ${balance.why}`;
    case 'asked': {
      const { host, holdings } = balance;
      const [why, ...others] = new Set(holdings.map(({ held }) => ('because' in held ? held.because : '')));
      if (why && others.length === 0) return `unknown: ${unknownWords(why, host)}`;
      const text = holdings.map(holdingText).join(', ');
      const lacking = lackingIn(holdings, payable).map(({ asset, amount }) => formatAmountOf(amount, asset));
      return lacking.length === 0 ? text : `${text}: too little to pay ${listed(lacking)}`;
    }
  }
}

function holdingText({ asset, held }: Holding): string {
  return 'because' in held
    ? `${asset} unknown (${reasonWords[held.because]})`
    : formatAmountOf(formatAmount(held), asset);
}

/** A sentence for each asset that the wallet has too little of. */
export function tooLittle(balance: WalletBalance | undefined, payable: readonly Payable[]): string[] {
  if (balance?.is !== 'asked') return [];
  return lackingIn(balance.holdings, payable).map(
    ({ asset, amount, holds }) =>
      `The wallet holds ${formatAmountOf(holds, asset)}, too little to pay ${formatAmountOf(amount, asset)}.`,
  );
}

/** Stops a batch before its first request. */
export function tooLittleToPay(warnings: readonly string[]): Failure {
  return failureWith('insufficient-balance')`${warnings.join(' ')}
    Check the amounts. If they are right, add enough to the bot’s wallet for them and the fees, then run the same command again.`;
}

function lackingIn(
  holdings: readonly Holding[],
  payable: readonly Payable[],
): (Payable & { readonly holds: string })[] {
  return payable.flatMap(({ asset, amount }) => {
    const held = holdings.find((holding) => holding.asset === asset)?.held;
    if (held === undefined || 'because' in held || !isLess(held, minorUnits(amount))) return [];
    return [{ asset, amount, holds: formatAmount(held) }];
  });
}

function unknownWords(because: Reason, host: string): string {
  return `${reasonWords[because]} (${host})`;
}
