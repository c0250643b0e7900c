import type { AssetOfWallet } from '../../chain/node.ts';
import { envBot, sandboxBot } from '../../once/connection.ts';
import { formatAmount } from '../../once/entry/amount.ts';
import { asFailure, Failure } from '../../once/failures.ts';
import { listed } from '../../once/phrases.ts';
import type { App } from '../app.ts';
import { type ChainBot, type ChainProfile, type KnownBot, noBot } from '../bot/chooseBot.ts';
import { balanceText, type Payable, tooLittle, type WalletBalance } from '../wording/balance.ts';
import { chainLacks, reasonWords } from '../wording/chain.ts';
import { mintOf, openChain } from './chain.ts';

/** The balance, with what is about to be paid from it, for people and as JSON. */
export type BalanceShown = {
  readonly text: string;
  readonly warnings: readonly string[];
  readonly json: { readonly balances?: readonly object[] };
};

export async function balanceToPay(
  payable: readonly Payable[],
  bot: ChainBot,
  app: App,
): Promise<BalanceShown | undefined> {
  const assets = payable.map(({ asset }) => asset);
  const balance = await balanceOf(bot, assets, app);
  if (balance === undefined) return undefined;
  return {
    text: balanceText(balance, payable),
    warnings: tooLittle(balance, payable),
    json: balance.is === 'asked' ? { balances: balancesJson(balance, payable) } : {},
  };
}

/** A balance is shown beside something more important, so nobody waits longer for it. */
export const balanceTimeoutMs = 1000;

/** The wallet's balance of SOL and these assets. Undefined if the environment or the sandbox names no node. */
export async function balanceOf(
  bot: Pick<ChainBot, 'name' | 'chain' | 'settings'>,
  assets: readonly string[],
  app: App,
  timeoutMs = balanceTimeoutMs,
): Promise<WalletBalance | undefined> {
  const { name, chain } = bot;
  if (chain === undefined)
    return name === envBot || name === sandboxBot ? undefined : { is: 'not-set', lacks: 'rpc-url' };
  if (chain.wallet === undefined) return { is: 'not-set', lacks: 'wallet' };
  const { wallet } = chain;
  const asking = async (): Promise<WalletBalance> => {
    const opening = openChain(bot, app, { timeoutMs });
    const opened = await opening.catch((thrown: unknown) => asFailure(thrown));
    if (opened instanceof Failure) return { is: 'no-node', why: opened.message };
    const { node } = opened;
    const holdings = await node.holdings(wallet, assetsOf(chain, assets));
    return { is: 'asked', host: node.host, cluster: node.clusterName, holdings };
  };
  return app.display.waiting('Asking for the wallet’s balance', asking());
}

function assetsOf(chain: ChainProfile, assets: readonly string[]): readonly AssetOfWallet[] {
  return [...new Set(['SOL', ...assets])].map((asset) => ({ asset, mint: mintOf(asset, chain) }));
}

/** Each asset with its amount, or why that is unknown. */
export function balancesJson(balance: WalletBalance, payable: readonly Payable[] = []): object[] {
  if (balance.is !== 'asked') return [];
  return balance.holdings.map(({ asset, mint, held }) => {
    const ofAsset = payable.filter((one) => one.asset === asset);
    return {
      ...{ asset, mint },
      ...('because' in held ? { unknown: reasonWords[held.because] } : { amount: formatAmount(held) }),
      too_little: tooLittle(balance, ofAsset).length > 0 ? true : undefined,
    };
  });
}

export type WithWallet = KnownBot & { readonly chain: ChainProfile & { readonly wallet: string } };

/** The command's bot, which must have a node and a wallet. `otherwise` says what is impossible without them. */
export async function botWithWallet(app: App, otherwise: string): Promise<WithWallet> {
  const bot = app.args.flag('sandbox') ? (await app.connectedBot()).bot : await app.knownBot();
  if (bot === undefined) throw noBot();
  const { name, chain, own } = bot;
  if (chain?.wallet !== undefined) return { ...bot, chain: { ...chain, wallet: chain.wallet } };
  const lacks = [
    ...(chain === undefined ? (['rpc-url'] as const) : []),
    ...(own?.wallet === undefined ? (['wallet'] as const) : []),
  ];
  throw chainLacks(name, lacks, `The bot ${name} has no ${listed(lacks, 'or')}, so ${otherwise}`);
}
