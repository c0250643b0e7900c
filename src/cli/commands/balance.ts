import type { AssetOfWallet } from '../../chain/node.ts';
import { envBot, sandboxBot } from '../../once/connection.ts';
import { formatAmount } from '../../once/entry/amount.ts';
import { asFailure, exitOf } from '../../once/failures.ts';
import { listed } from '../../once/phrases.ts';
import type { App } from '../app.ts';
import { type ChainBot, type ChainProfile, knownBot, noBot } from '../bot/chooseBot.ts';
import type { Run } from '../parse/command.ts';
import { mintOf, type OpenedChain, openChain } from '../run/chain.ts';
import { botInputs, botOptions, openBot } from '../run/openBot.ts';
import { settingsOf } from '../run/openJournal.ts';
import { balanceText, type Payable, tooLittle, type WalletBalance } from '../say/balance.ts';
import { chainLacks, nodeTrouble, reasonWords } from '../say/chain.ts';
import { problemOf } from '../say/told.ts';
import { card, type Fact } from '../show/card.ts';

/** The balance beside what is about to be paid from it, for people and as JSON. */
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

/** What the wallet holds of SOL and these assets. Undefined if the environment or the sandbox names no node. */
async function balanceOf(
  bot: Pick<ChainBot, 'name' | 'chain' | 'settings'>,
  assets: readonly string[],
  app: App,
  timeoutMs = balanceTimeoutMs,
): Promise<WalletBalance | undefined> {
  const { name, chain } = bot;
  if (chain === undefined)
    return name === envBot || name === sandboxBot ? undefined : { is: 'not-set', lacks: 'rpc-url' };
  if (chain.wallet === undefined) return { is: 'not-set', lacks: 'wallet' };
  const asking = askBalance({ ...bot, chain }, chain.wallet, assetsOf(chain, assets), app, timeoutMs);
  return app.display.waiting('Asking for the wallet’s balance', asking);
}

async function askBalance(
  bot: Parameters<typeof openChain>[0],
  wallet: string,
  assets: readonly AssetOfWallet[],
  app: App,
  timeoutMs: number,
): Promise<WalletBalance> {
  let opened: OpenedChain;
  try {
    opened = await openChain(bot, app, { timeoutMs });
  } catch (thrown) {
    return { is: 'no-node', why: asFailure(thrown).message };
  }
  try {
    const { node } = opened;
    const holdings = await node.holdings(wallet, assets);
    return { is: 'asked', host: node.host, cluster: node.clusterName, holdings };
  } finally {
    await opened.close();
  }
}

function assetsOf(chain: ChainProfile, assets: readonly string[]): readonly AssetOfWallet[] {
  return [...new Set(['SOL', ...assets])].map((asset) => ({ asset, mint: mintOf(asset, chain) }));
}

/** Each asset with its amount, or why that is unknown. */
function balancesJson(balance: WalletBalance, payable: readonly Payable[] = []): object[] {
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

type AskedBot = Pick<ChainBot, 'name' | 'chain' | 'own' | 'settings'>;

export const balance: Run = async (app) => {
  const { timeoutMs = balanceTimeoutMs } = settingsOf(app.args);
  const { bot, close } = await chainBotOf(app);
  try {
    const chain = chainOf(bot);
    // Fails here, with its own words, if the URL of the node cannot be read.
    await chain.rpcUrl();
    const balance = await balanceOf(bot, Object.keys(chain.assets), app, timeoutMs);
    if (balance?.is !== 'asked') throw new Error('a profile that has all it needs is asked about');
    const { host, cluster, holdings } = balance;
    const { wallet } = chain;
    const view = card(
      app.args.command,
      undefined,
      [
        ['Bot', undefined, { bot: bot.name, cluster }],
        ['Wallet', wallet, { wallet }],
        [
          'Cluster',
          `${cluster ?? 'unknown'}, as seen by ${host}`,
          { rpc: host, balances: balancesJson(balance) },
        ],
        ...holdings.map(
          ({ asset, held }): Fact => [asset, 'because' in held ? 'unknown' : formatAmount(held)],
        ),
      ],
      balanceText(balance),
    );
    const [because] = holdings.flatMap(({ held }) => ('because' in held ? [held.because] : []));
    const problem = because && problemOf(nodeTrouble(because, host));
    const isAnyKnown = holdings.some(({ held }) => !('because' in held));
    if (problem === undefined || (isAnyKnown && app.display.face === 'human')) await app.display.show(view);
    if (problem === undefined) return 0;
    await app.display.fail(problem, { ...view.json, error: problem });
    return exitOf(problem.code);
  } finally {
    await close();
  }
};

async function chainBotOf(app: App): Promise<{ readonly bot: AskedBot; close(): Promise<void> }> {
  if (!app.args.flag('sandbox')) {
    const bot = await knownBot(botOptions(app.args), botInputs(app));
    if (bot === undefined) throw noBot();
    return { bot, close: async () => {} };
  }
  const { bot, connection } = await openBot(app);
  return { bot, close: () => connection.close() };
}

function chainOf({ name, chain, own }: AskedBot): ChainProfile {
  if (chain?.wallet !== undefined) return chain;
  const lacks = [
    ...(chain === undefined ? (['rpc-url'] as const) : []),
    ...(own?.wallet === undefined ? (['wallet'] as const) : []),
  ];
  const problem = `The bot ${name} has no ${listed(lacks, 'or')}, so its balance cannot be asked for`;
  throw chainLacks(name, lacks, problem);
}
