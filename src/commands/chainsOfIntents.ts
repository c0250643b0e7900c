import { type Bot, envBot, sandboxBot } from '../bot/bot.ts';
import { chainOfProfile } from '../bot/chooseBot.ts';
import type { Given } from '../cli/given.ts';
import type { Context } from '../context.ts';
import type { Pace } from '../engine/ports.ts';
import { Failure } from '../errors.ts';
import type { Intent } from '../journal/journal.ts';
import { ofTheSandbox } from '../words/botsOfIntents.ts';
import { nodeOfGoneProfile, noRpcUrl } from '../words/chain.ts';
import { inWords } from '../words/inWords.ts';
import { journalLocation, shownLocation } from './journalPath.ts';
import { botInputs, openBot } from './openBot.ts';
import { type OpenedChain, openChain, refuseOtherCluster } from './openChain.ts';

type Opened = { readonly chain: OpenedChain; close(): Promise<void> };

/** The chains that show the transfers of many intents, each opened and checked once. */
export class ChainsOfIntents {
  readonly #given: Given;
  readonly #context: Context;
  readonly #pace: Pace;
  readonly #open = new Map<string, Promise<Opened>>();

  constructor(given: Given, context: Context, pace: Pace) {
    this.#given = given;
    this.#context = context;
    this.#pace = pace;
  }

  /** By the profile that is named, else by the bot's own. */
  async of(intent: Intent): Promise<OpenedChain> {
    const name = this.#given.text('profile') ?? intent.bot;
    const opened = this.#open.get(name) ?? this.#connect(name, intent);
    this.#open.set(name, opened);
    return (await opened).chain;
  }

  async close(): Promise<void> {
    for (const opened of await Promise.allSettled(this.#open.values()))
      if (opened.status === 'fulfilled') await opened.value.close();
  }

  async #connect(name: string, { id }: Intent): Promise<Opened> {
    const { bot, close } = await this.#botOf(name, id);
    const chain = await openChain(bot, this.#given, this.#context, this.#pace);
    const closeBoth = async (): Promise<void> => {
      await chain.close();
      await close();
    };
    try {
      await refuseOtherCluster(chain);
    } catch (thrown) {
      // A node that cannot be asked now decides nothing: each transfer says so for itself.
      if (!(thrown instanceof Failure) || thrown.code !== 'node-unusable') {
        await closeBoth();
        throw thrown;
      }
      this.#context.display.warn((await inWords(thrown)).message);
    }
    return { chain, close: closeBoth };
  }

  async #botOf(
    name: string,
    id: string,
  ): Promise<{ bot: Pick<Bot, 'name' | 'chain' | 'settings'>; close(): Promise<void> }> {
    if (this.#given.flag('sandbox')) {
      const { bot, connection } = await openBot(this.#given, this.#context);
      return { bot, close: () => connection.close() };
    }
    if (name === sandboxBot)
      throw ofTheSandbox(id, await shownLocation(await journalLocation(this.#given, this.#context)));
    const bot = await chainOfProfile(name, botInputs(this.#context));
    if (bot === undefined) throw name === envBot ? noRpcUrl(name) : nodeOfGoneProfile(name);
    return { bot, close: async () => {} };
  }
}
