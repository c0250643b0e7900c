import { type Bot, envBot } from '../bot/bot.ts';
import { botOfProfile, chooseBot } from '../bot/chooseBot.ts';
import { type ConnectedBot, connectionTo } from '../bot/connection.ts';
import type { Given } from '../cli/given.ts';
import type { Context } from '../context.ts';
import type { Failure } from '../errors.ts';
import { type BaseUrl, originOf, sandboxBaseUrl } from '../intent/baseUrl.ts';
import type { Intent, Journal } from '../journal/journal.ts';
import { anothersToken, botMoved, noTokenNow, ofTheSandbox, profileGone } from '../words/botsOfIntents.ts';
import { waitingForToken } from '../words/openBot.ts';
import { journalLocation, shownLocation } from './journalPath.ts';
import { botInputs, channelOptions, openBot } from './openBot.ts';
import { sayIfSlow } from './sayIfSlow.ts';

/** Why no bot can speak for an intent: told of each by its own id. */
type NoBot = (intent: Intent) => Failure;

/** The bots of many intents, each opened once: at the base URL that was stored with its intents. */
export class BotsOfIntents {
  readonly #given: Given;
  readonly #context: Context;
  readonly #journal: Pick<Journal, 'hashOf'>;
  readonly #open = new Map<string, Promise<ConnectedBot | NoBot>>();

  constructor(given: Given, context: Context, journal: Pick<Journal, 'hashOf'>) {
    this.#given = given;
    this.#context = context;
    this.#journal = journal;
  }

  async of(intent: Intent): Promise<ConnectedBot> {
    const who = `${intent.bot} ${intent.spelledUrl}`;
    const opened = this.#open.get(who) ?? this.#connect(intent);
    this.#open.set(who, opened);
    const found = await opened;
    if (typeof found === 'function') throw found(intent);
    found.connection.ensurePossible(intent.kind);
    if (this.#isAnothersToken(intent, found.bot)) throw anothersToken(intent);
    return found;
  }

  /** Where only the intent says where to, a token must not be led to a service that is not its own. */
  #isAnothersToken(intent: Intent, { token }: Bot): boolean {
    if (intent.bot !== envBot || this.#givenBaseUrl() !== undefined) return false;
    return this.#journal.hashOf(token.reveal()) !== intent.tokenHash;
  }

  #givenBaseUrl(): string | undefined {
    return this.#given.text('base-url') ?? this.#context.env.BOTCTL_BASE_URL;
  }

  async close(): Promise<void> {
    const opened = await Promise.allSettled(this.#open.values());
    for (const found of opened) {
      if (found.status === 'fulfilled' && typeof found.value !== 'function')
        await found.value.connection.close();
    }
  }

  async #connect(intent: Intent): Promise<ConnectedBot | NoBot> {
    if (intent.baseUrl === sandboxBaseUrl) return this.#sandbox();
    if (intent.bot === envBot && !this.#hasToken()) return noTokenNow;
    const bot = await (intent.bot === envBot ? this.#envBotFor(intent) : this.#profileBot(intent));
    if (bot === undefined) return profileGone;
    const spelledUrl = ownUrl(bot, intent);
    if (spelledUrl === undefined) return (other) => moved(other, bot);
    const ours = { ...bot, spelledUrl };
    const connection = connectionTo(ours, channelOptions(this.#context, false));
    await connection.ready();
    return { bot: ours, connection };
  }

  async #sandbox(): Promise<ConnectedBot | NoBot> {
    if (this.#given.flag('sandbox')) {
      const opened = await openBot(this.#given, this.#context);
      await opened.connection.ready();
      return opened;
    }
    // With --sandbox alone the journal would be another one.
    const journal = await shownLocation(await journalLocation(this.#given, this.#context));
    return ({ id }) => ofTheSandbox(id, journal);
  }

  #hasToken(): boolean {
    return this.#given.text('token-file') !== undefined || this.#context.env.BOTCTL_TOKEN !== undefined;
  }

  #profileBot(intent: Intent): Promise<Bot | undefined> {
    const resolving = botOfProfile(intent.bot, botInputs(this.#context));
    return sayIfSlow(waitingForToken, resolving, this.#context.display);
  }

  /** The token that is given now; without a base URL beside it, the stored one is meant. */
  async #envBotFor(intent: Intent): Promise<Bot> {
    const tokenFile = this.#given.text('token-file');
    const baseUrl = this.#givenBaseUrl() ?? intent.spelledUrl;
    return chooseBot({ tokenFile, baseUrl }, botInputs(this.#context));
  }
}

/** Where a bot's token may go for this intent: to its own origin, in its own spelling. */
function ownUrl(bot: Bot, { spelledUrl, baseUrl }: Intent): BaseUrl | undefined {
  if (originOf(bot.spelledUrl) === originOf(spelledUrl)) return spelledUrl;
  return bot.baseUrl === baseUrl ? bot.spelledUrl : undefined;
}

function moved(intent: Intent, bot: Bot): Failure {
  return botMoved(intent, { bots: originOf(bot.spelledUrl), intents: originOf(intent.spelledUrl) });
}
