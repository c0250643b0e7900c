import type { Bot } from '../bot/bot.ts';
import type { Given } from '../cli/given.ts';
import type { Context } from '../context.ts';
import type { ChainBefore } from '../engine/context.ts';
import type { Outcome } from '../engine/outcome.ts';
import type { Journal } from '../journal/journal.ts';
import type { ChainEnd } from './chainProblem.ts';
import { chainNow, openChain, refuseNoMint, refuseOtherCluster, refuseUnprovable } from './openChain.ts';
import { waitForChain } from './waitForChain.ts';
import type { WaitOptions } from './waitOptions.ts';

/** What waiting for the chain asks for before something is sent, and does after it was accepted. */
export type ChainWait = {
  /** Refuses nodes of another cluster, and a mint that is none, while nothing is journaled. */
  ready(): Promise<void>;
  /** Nothing where there is no accepted transfer to wait for. */
  end(outcome: Outcome, journal: Journal): Promise<ChainEnd | undefined>;
  /** How far the chain had come when the nodes were asked. */
  before(): ChainBefore | undefined;
  close(): Promise<void>;
};

export async function openChainWait(
  asset: string,
  bot: Bot,
  given: Given,
  context: Context,
  options: WaitOptions,
): Promise<ChainWait> {
  refuseUnprovable(asset, bot, options.until);
  const chain = await openChain(bot, given, context);
  let before: ChainBefore | undefined;
  return {
    ready: async () => {
      await refuseOtherCluster(chain);
      await refuseNoMint(asset, chain, bot);
      before = await chainNow(chain);
    },
    end: async (outcome, journal) => {
      if (outcome.is !== 'concluded' || outcome.intent.state !== 'accepted') return undefined;
      const view = await waitForChain(outcome.intent, { chain, options, journal, context });
      return { view, until: options.until };
    },
    before: () => before,
    close: () => chain.close(),
  };
}
