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
import { type BotOptions, type ChainBot, type ChainProfile, chooseBot } from '../bot/chooseBot.ts';
import type { BotInputs } from '../bot/token.ts';
import { type Context, type ParsedArgs, version } from '../parse/command.ts';
import { startingSandbox, waitingForToken } from '../say/open.ts';
import { foreignToSandbox } from '../say/suggest.ts';
import type { Display } from '../show/display.ts';
import { sandboxFolder, settingsOf } from './openJournal.ts';

export function botOptions(given: ParsedArgs): BotOptions {
  return {
    profile: given.text('profile'),
    tokenFile: given.text('token-file'),
    baseUrl: given.text('base-url'),
  };
}

export function botInputs(context: Context): BotInputs {
  return {
    env: context.env,
    get stdin() {
      return context.stdin;
    },
    interrupted: context.interrupts.first,
    warn: context.display.warn,
  };
}

/** The bot of this command, without a connection or a sandbox. */
export async function botOfCommand(given: ParsedArgs, context: Context): Promise<ChainBot> {
  if (given.flag('sandbox')) {
    refuseBesideSandbox(given);
    return sandboxBotWith('', given);
  }
  const choosing = chooseBot(botOptions(given), botInputs(context));
  const bot = await sayIfSlow(waitingForToken, choosing, context.display);
  return { ...bot, settings: { ...bot.settings, ...settingsOf(given) } };
}

export type ConnectedBot = { readonly bot: ChainBot; readonly connection: Connection };

/** The bot of this command, and a connection to its service. */
export async function openBot(given: ParsedArgs, context: Context, keepAlive = false): Promise<ConnectedBot> {
  if (given.flag('sandbox')) return openSandboxBot(given, context, keepAlive);
  const bot = await botOfCommand(given, context);
  context.display.step(`bot ${bot.name} (token from ${bot.tokenSource}) to ${bot.spelledUrl}`);
  return { bot, connection: connectionTo(bot, channelOptions(context, keepAlive)) };
}

export function channelOptions({ env }: Context, keepAlive: boolean): ChannelOptions {
  return { env, keepAlive, userAgent: `botctl/${version}` };
}

export function refuseBesideSandbox(given: ParsedArgs): void {
  const other = foreignToSandbox.find((name) => given.text(name) !== undefined);
  if (other !== undefined)
    throw told('usage')`--sandbox uses only the built-in service, so it cannot be combined with --${other}
      Leave out --sandbox, or --${other}.`;
}

function sandboxBotWith(token: string, given: ParsedArgs): Bot {
  return {
    name: sandboxBot,
    baseUrl: sandboxBaseUrl,
    spelledUrl: sandboxBaseUrl,
    token: { reveal: () => token },
    tokenSource: sandboxToken,
    settings: settingsOf(given),
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
async function openSandboxBot(
  given: ParsedArgs,
  context: Context,
  keepAlive: boolean,
): Promise<ConnectedBot> {
  refuseBesideSandbox(given);
  const { ensurePossibleInSandbox, openSandbox } = await import('./sandbox.ts');
  const starting = openSandbox({ dataDir: sandboxFolder(context.env), port: 0 });
  const running = await context.display.waiting(startingSandbox, starting);
  const channel = channelTo(running.baseUrl, { ...channelOptions(context, keepAlive), direct: true });
  return {
    bot: { ...sandboxBotWith(running.tokens.full, given), chain: chainOfSandbox(running) },
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
