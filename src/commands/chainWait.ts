import type { Bot } from '../bot/bot.ts';
import type { Given } from '../cli/given.ts';
import type { Context } from '../context.ts';
import type { Outcome } from '../engine/outcome.ts';
import type { Journal } from '../journal/journal.ts';
import type { ChainEnd } from './chainProblem.ts';
import { openChain, refuseNoMint, refuseOtherCluster, refuseUnprovable } from './openChain.ts';
import { waitForChain } from './waitForChain.ts';
import type { WaitOptions } from './waitOptions.ts';

/** What waiting for the chain asks for before something is sent, and does after it was accepted. */
export type ChainWait = {
  /** Refuses nodes of another cluster, and a mint that is none, while nothing is journaled. */
  ready(): Promise<void>;
  /** Nothing where there is no accepted transfer to wait for. */
  end(outcome: Outcome, journal: Journal): Promise<ChainEnd | undefined>;
  close(): Promise<void>;
};

export async function openChainWait(
  asset: string,
  bot: Bot,
  given: Given,
  context: Context,
  options: WaitOptions,
): Promise<ChainWait> {
  refuseUnprovable(asset, bot);
  const chain = await openChain(bot, given, context);
  return {
    ready: async () => {
      await refuseOtherCluster(chain);
      await refuseNoMint(asset, chain, bot);
    },
    end: async (outcome, journal) => {
      if (outcome.is !== 'concluded' || outcome.intent.state !== 'accepted') return undefined;
      const view = await waitForChain(outcome.intent, { chain, options, journal, context });
      return { view, until: options.until };
    },
    close: () => chain.close(),
  };
}
