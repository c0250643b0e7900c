import { RpcUrl } from '../../chain/cluster.ts';
import {
  type Bot,
  type ChannelOptions,
  type Connection,
  channelTo,
  connectionTo,
  sandboxBot,
} from '../../once/connection.ts';
import { sandboxBaseUrl } from '../../once/entry/baseUrl.ts';
import { told } from '../../once/failures.ts';
import type { RunningSandbox } from '../../sandbox/start.ts';
import type { App } from '../app.ts';
import { type BotOptions, type ChainBot, type ChainProfile, chooseBot } from '../bot/chooseBot.ts';
import type { BotInputs } from '../bot/token.ts';
import type { Args } from '../parse/args.ts';
import { version } from '../parse/command.ts';
import { startingSandbox, waitingForToken } from '../say/open.ts';
import { foreignToSandbox } from '../say/suggest.ts';
import type { Display } from '../show/display.ts';
import { sandboxFolder, settingsOf } from './openJournal.ts';

export function botOptions(args: Args): BotOptions {
  return {
    profile: args.text('profile'),
    tokenFile: args.text('token-file'),
    baseUrl: args.text('base-url'),
  };
}

export function botInputs(app: App): BotInputs {
  return {
    env: app.env,
    get stdin() {
      return app.stdin;
    },
    interrupted: app.interrupts.first,
    warn: app.display.warn,
  };
}

/** The bot of this command, without a connection or a sandbox. */
export async function botOfCommand(app: App): Promise<ChainBot> {
  if (app.args.flag('sandbox')) {
    refuseBesideSandbox(app.args);
    return sandboxBotWith('', app.args);
  }
  const choosing = chooseBot(botOptions(app.args), botInputs(app));
  const bot = await sayIfSlow(waitingForToken, choosing, app.display);
  return { ...bot, settings: { ...bot.settings, ...settingsOf(app.args) } };
}

export type ConnectedBot = { readonly bot: ChainBot; readonly connection: Connection };

/** The bot of this command, and a connection to its service. */
export async function openBot(app: App, keepAlive = false): Promise<ConnectedBot> {
  if (app.args.flag('sandbox')) return openSandboxBot(app, keepAlive);
  const bot = await botOfCommand(app);
  app.display.step(`bot ${bot.name} (token from ${bot.tokenSource}) to ${bot.spelledUrl}`);
  return { bot, connection: connectionTo(bot, channelOptions(app, keepAlive)) };
}

export function channelOptions({ env }: App, keepAlive: boolean): ChannelOptions {
  return { env, keepAlive, userAgent: `botctl/${version}` };
}

export function refuseBesideSandbox(args: Args): void {
  const other = foreignToSandbox.find((name) => args.text(name) !== undefined);
  if (other !== undefined)
    throw told('usage')`--sandbox uses only the built-in service, so it cannot be combined with --${other}
      Leave out --sandbox, or --${other}.`;
}

function sandboxBotWith(token: string, args: Args): Bot {
  return {
    name: sandboxBot,
    baseUrl: sandboxBaseUrl,
    spelledUrl: sandboxBaseUrl,
    token: { reveal: () => token },
    tokenSource: sandboxToken,
    settings: settingsOf(args),
  };
}

/** The sandbox's chain shows its transfers. */
function chainOfSandbox({ node }: RunningSandbox): ChainProfile {
  return {
    cluster: { genesis: node.genesisHash, name: sandboxBot },
    wallet: node.wallet,
    assets: node.assets,
    rpcUrl: async () => RpcUrl.from(node.rpcUrl, sandboxToken),
  };
}

/** The built-in bot: its service runs inside this command, on a free port of this machine. */
async function openSandboxBot(app: App, keepAlive: boolean): Promise<ConnectedBot> {
  refuseBesideSandbox(app.args);
  const { ensurePossibleInSandbox, openSandbox } = await import('../commands/sandbox.ts');
  const starting = openSandbox({ dataDir: sandboxFolder(app.env), port: 0 });
  const running = await app.display.waiting(startingSandbox, starting);
  const channel = channelTo(running.baseUrl, { ...channelOptions(app, keepAlive), direct: true });
  return {
    bot: { ...sandboxBotWith(running.tokens.full, app.args), chain: chainOfSandbox(running) },
    connection: {
      url: running.baseUrl,
      channel,
      ensurePossible: ensurePossibleInSandbox,
      ready: () => channel.ready(),
      reachOut: () => channel.reachOut(),
      close: async () => {
        await channel.close();
        await running.close();
      },
    },
  };
}

const noticeableMs = 300;

/**
 * Says once what the command waits for, if a person is watching. There is no spinner, because something else may be
 * using the terminal: a vault that asks for its password.
 */
export async function sayIfSlow<Result>(
  why: string,
  work: Promise<Result>,
  display: Pick<Display, 'watched' | 'quiet' | 'notice'>,
): Promise<Result> {
  if (!display.watched || display.quiet) return work;
  const timer = setTimeout(() => display.notice(why), noticeableMs);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
  }
}

const sandboxToken = 'the sandbox';
