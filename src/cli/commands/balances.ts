import type { AssetOfWallet } from '../../once/chain/nodes.ts';
import { type Bot, type ChainProfile, envBot, sandboxBot } from '../../once/connection.ts';
import { formatAmount } from '../../once/intent/amount.ts';
import type { Context, ParsedArgs } from '../parse/command.ts';
import {
  askingForBalance,
  balanceText,
  type Payable,
  tooLittle,
  type WalletBalance,
} from '../say/balance.ts';
import { reasonWords } from '../say/chain.ts';
import { inWords } from '../say/inWords.ts';
import { mintOf, type OpenedChain, openChain } from './chain.ts';

/** The balance beside what is about to be paid from it, for people and as JSON. */
export type BalanceShown = {
  readonly text: string;
  readonly warnings: readonly string[];
  readonly json: { readonly balances?: readonly object[] };
};

export async function balanceToPay(
  payable: readonly Payable[],
  bot: Bot,
  given: ParsedArgs,
  context: Context,
): Promise<BalanceShown | undefined> {
  const assets = payable.map(({ asset }) => asset);
  const balance = await balanceOf(bot, assets, given, context);
  if (balance === undefined) return undefined;
  return {
    text: balanceText(balance, payable),
    warnings: tooLittle(balance, payable),
    json: balance.is === 'asked' ? { balances: balancesJson(balance, payable) } : {},
  };
}

/** A balance is shown beside something more important, so nobody waits longer for it. */
export const balanceTimeoutMs = 1000;

/** What the wallet holds of SOL and these assets. Undefined if this bot cannot have a node: only a profile names one. */
export async function balanceOf(
  bot: Pick<Bot, 'name' | 'chain' | 'settings'>,
  assets: readonly string[],
  given: ParsedArgs,
  context: Context,
  timeoutMs = balanceTimeoutMs,
): Promise<WalletBalance | undefined> {
  const { name, chain } = bot;
  if (chain === undefined)
    return name === envBot || name === sandboxBot ? undefined : { is: 'not-set', lacks: 'rpc-url' };
  if (chain.wallet === undefined) return { is: 'not-set', lacks: 'wallet' };
  const asking = askBalance(
    { ...bot, chain },
    chain.wallet,
    assetsOf(chain, assets),
    given,
    context,
    timeoutMs,
  );
  return context.display.waiting(askingForBalance, asking);
}

async function askBalance(
  bot: Parameters<typeof openChain>[0],
  wallet: string,
  assets: readonly AssetOfWallet[],
  given: ParsedArgs,
  context: Context,
  timeoutMs: number,
): Promise<WalletBalance> {
  let opened: OpenedChain;
  try {
    opened = await openChain(bot, given, context, { timeoutMs });
  } catch (thrown) {
    return { is: 'no-node', why: (await inWords(thrown)).message };
  }
  try {
    const { nodes } = opened;
    return { is: 'asked', hosts: nodes.hosts, holdings: await nodes.holdings(wallet, assets) };
  } finally {
    await opened.close();
  }
}

function assetsOf(chain: ChainProfile, assets: readonly string[]): readonly AssetOfWallet[] {
  return [...new Set(['SOL', ...assets])].map((asset) => ({ asset, mint: mintOf(asset, chain) }));
}

/** Each asset with its amount, or why that is unknown. */
export function balancesJson(balance: WalletBalance | undefined, payable: readonly Payable[] = []): object[] {
  if (balance?.is !== 'asked') return [];
  return balance.holdings.map(({ asset, mint, held }) => ({
    asset,
    ...(mint === undefined ? {} : { mint }),
    ...('because' in held ? { unknown: reasonWords[held.because] } : { amount: formatAmount(held) }),
    ...(tooLittle(
      balance,
      payable.filter((one) => one.asset === asset),
    ).length === 0
      ? {}
      : { too_little: true }),
  }));
}
