import type { JournalUse } from '../once/journal/file/opening.ts';
import type { Journal } from '../once/journal/journal.ts';
import type { Policies } from '../policy/policy.ts';
import type { ChainBot, KnownBot } from './bot/chooseBot.ts';
import { settingsOf } from './bot/settings.ts';
import type { ConnectedBot } from './open/bot.ts';
import type { JournalLocation } from './open/journal.ts';
import type { Closable, Opening, ProcessOfCommand } from './open/process.ts';
import type { Args } from './parse/args.ts';

/**
 * What a command gets: its arguments, the process around it, and openers. An opener opens nothing before it is called.
 * It remembers what it opened, or its failure. `main` closes what was opened.
 */
export type App<Arguments = Args> = Opening<Arguments> & {
  where(): Promise<JournalLocation>;
  journal(use: JournalUse): Promise<Journal>;
  /** The bot without its token; undefined if nothing names a bot. */
  knownBot(): Promise<KnownBot | undefined>;
  /** The bot with its token, but no connection: the sandbox is not started. */
  bot(): Promise<ChainBot>;
  /** The bot with a connection to its service, for many requests if `keepAlive`. */
  connectedBot(keepAlive?: true): Promise<ConnectedBot>;
  /** Undefined if no policy applies to the bot. */
  policies(): Promise<Policies | undefined>;
  /** The same process with other arguments. */
  as<Other extends Args>(args: Other): App<Other>;
  close(): Promise<void>;
};

/** Adds the openers to `process` itself, because its `stdin` is a getter. */
export function openApp<Arguments extends Args>(process: ProcessOfCommand<Arguments>): App<Arguments> {
  const owned: Closable[] = [];
  let chosen: ChainBot | undefined;
  const app: App<Arguments> = Object.assign(process, {
    settings: () => settingsOf(process.args),
    owns: <Opened extends Closable>(opened: Opened) => {
      owned.push(opened);
      return opened;
    },
    close: async () => {
      const last = owned.pop();
      try {
        await last?.close();
      } finally {
        if (last !== undefined) await app.close();
      }
    },
    as: <Other extends Args>(args: Other) => app.owns(openApp({ ...process, args })),
    where: once(async () => (await import('./open/journal.ts')).journalLocation(app)),
    journal: once(async (use: JournalUse) =>
      (await import('./open/journal.ts')).openJournalOf(await app.where(), app, use),
    ),
    // If the bot is open, its profile need not be read again.
    knownBot: once(async () => chosen ?? (await import('./open/bot.ts')).knownBotOf(app)),
    bot: once(async () => {
      chosen = await (await import('./open/bot.ts')).botWithToken(app);
      return chosen;
    }),
    connectedBot: once(async (keepAlive?: true) => {
      const { connectBot, startSandboxBot } = await import('./open/bot.ts');
      if (app.args.flag('sandbox')) return startSandboxBot(app, keepAlive);
      const bot = await app.bot();
      app.display.step(`bot ${bot.name} (token from ${bot.tokenSource}) to ${bot.spelledUrl}`);
      return connectBot(bot, app, keepAlive);
    }),
    policies: once(async () => (await import('./open/policies.ts')).policiesOf(await app.knownBot(), app)),
  });
  return app;
}

/** Calls `make` once for each value of the first argument, and remembers the result. */
export function once<Given extends [first?: unknown, ...others: unknown[]], Made>(
  make: (...values: Given) => Promise<Made>,
): (...values: Given) => Promise<Made> {
  const made = new Map<unknown, Promise<Made>>();
  return (...values) => {
    const making = made.get(values[0]) ?? make(...values);
    made.set(values[0], making);
    return making;
  };
}
