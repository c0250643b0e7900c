import type { Bot, ChainProfile } from '../../../once/connection.ts';
import { envBot } from '../../../once/connection.ts';
import { exitOf } from '../../../once/failures.ts';
import { formatAmount } from '../../../once/intent/amount.ts';
import { chainOfChoice } from '../../bot/chooseBot.ts';
import { profileOf, profilesPaths, readProfiles } from '../../bot/profiles.ts';
import type { Context, ParsedArgs, Run } from '../../parse/command.ts';
import { balanceText, balanceUnknown, cannotAskBalance } from '../../say/balance.ts';
import { noRpcUrl } from '../../say/chain.ts';
import { problemOf } from '../../say/told.ts';
import { labelled } from '../../show/report.ts';
import { balanceOf, balancesJson, balanceTimeoutMs } from '../balances.ts';
import { botInputs, botOptions, openBot } from '../openBot.ts';
import { settingsOf } from '../openJournal.ts';

type ChainBot = Pick<Bot, 'name' | 'chain' | 'settings'>;

export const run: Run = async (given, context) => {
  const { timeoutMs = balanceTimeoutMs } = settingsOf(given);
  const { bot, close } = await chainBotOf(given, context);
  try {
    const chain = chainOf(bot, context);
    // Fails here, with its own words, if the URL of a node cannot be read.
    await chain.rpcUrls();
    const balance = await balanceOf(bot, Object.keys(chain.assets), given, context, timeoutMs);
    if (balance?.is !== 'asked') throw new Error('a profile that has all it needs is asked about');
    const { hosts, holdings } = balance;
    const json = {
      schema: 'botctl/1',
      command: given.command,
      bot: bot.name,
      cluster: chain.cluster.name,
      wallet: chain.wallet,
      rpc: hosts,
      balances: balancesJson(balance),
    };
    const [because] = holdings.flatMap(({ held }) => ('because' in held ? [held.because] : []));
    const problem = because && problemOf(balanceUnknown(because, hosts));
    const isAnyKnown = holdings.some(({ held }) => !('because' in held));
    if (problem === undefined || (isAnyKnown && context.display.face === 'human'))
      await context.display.show({
        json,
        human: (canvas) =>
          labelled(
            [
              ['Wallet', chain.wallet],
              ['Cluster', `${chain.cluster.name}, as seen by ${hosts.join(' and ')}`],
              ...holdings.map(({ asset, held }): [string, string] => [
                asset,
                'because' in held ? 'unknown' : formatAmount(held),
              ]),
            ],
            canvas,
          ),
        quiet: balanceText(balance),
      });
    if (problem === undefined) return 0;
    await context.display.fail(problem, { ...json, error: problem });
    return exitOf(problem.code);
  } finally {
    await close();
  }
};

async function chainBotOf(
  given: ParsedArgs,
  context: Context,
): Promise<{ readonly bot: ChainBot; close(): Promise<void> }> {
  if (!given.flag('sandbox'))
    return { bot: await chainOfChoice(botOptions(given), botInputs(context)), close: async () => {} };
  const { bot, connection } = await openBot(given, context);
  return { bot, close: () => connection.close() };
}

function chainOf({ name, chain }: ChainBot, { env }: Context): ChainProfile {
  if (chain?.wallet !== undefined) return chain;
  if (name === envBot) throw noRpcUrl(name);
  const { wallet } = profileOf(readProfiles(profilesPaths(env)), name) ?? {};
  throw cannotAskBalance(name, [
    ...(chain === undefined ? (['rpc-url'] as const) : []),
    ...(wallet === undefined ? (['wallet'] as const) : []),
  ]);
}
