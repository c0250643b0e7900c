import { formatAmount } from '../../once/entry/amount.ts';
import { exitOf } from '../../once/failures.ts';
import type { Run } from '../parse/command.ts';
import { balanceOf, balancesJson, balanceTimeoutMs, botWithWallet } from '../run/balance.ts';
import { card, type Fact } from '../show/card.ts';
import { balanceText } from '../wording/balance.ts';
import { nodeTrouble } from '../wording/chain.ts';
import { problemOf } from '../wording/problem.ts';

export const balance: Run = async (app) => {
  const { timeoutMs = balanceTimeoutMs } = app.settings();
  const bot = await botWithWallet(app, 'its balance cannot be asked for');
  const { chain } = bot;
  // Read here so that its own failure is shown if the node's URL cannot be read.
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
      ...holdings.map(({ asset, held }): Fact => [asset, 'because' in held ? 'unknown' : formatAmount(held)]),
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
};
