import { type Bot, sandboxBot } from '../bot/bot.ts';
import type { BotInputs } from '../bot/botInputs.ts';
import type { ChainProfile } from '../bot/chainProfile.ts';
import { type BotOptions, chooseBot } from '../bot/chooseBot.ts';
import { type ChannelOptions, type ConnectedBot, channelTo, connectionTo } from '../bot/connection.ts';
import { RpcUrl } from '../bot/rpcUrl.ts';
import type { Given } from '../cli/given.ts';
import type { Context } from '../context.ts';
import { sandboxBaseUrl } from '../intent/baseUrl.ts';
import type { RunningSandbox } from '../sandbox/start.ts';
import { version } from '../version.ts';
import { againWords } from '../words/again.ts';
import {
  besideSandbox,
  sandboxToken,
  speakingAs,
  startingSandbox,
  waitingForToken,
} from '../words/openBot.ts';
import { foreignToSandbox } from '../words/suggestion.ts';
import { sandboxFolder } from './journalPath.ts';
import { sayIfSlow } from './sayIfSlow.ts';

export function botOptions(given: Given): BotOptions {
  return {
    profile: given.text('profile'),
    tokenFile: given.text('token-file'),
    baseUrl: given.text('base-url'),
    command: againWords(given),
  };
}

export function botInputs(context: Context): BotInputs {
  return {
    env: context.env,
    get stdin() {
      return context.stdin;
    },
    interrupted: context.interrupts.first,
  };
}

/** The bot of this command: nothing is started and nothing is opened for it. */
export async function botOfCommand(given: Given, context: Context): Promise<Bot> {
  if (given.flag('sandbox')) {
    refuseBesideSandbox(given);
    return sandboxBotWith('');
  }
  const choosing = chooseBot(botOptions(given), botInputs(context));
  return sayIfSlow(waitingForToken, choosing, context.display);
}

/** The bot of this command, and the way to its service. */
export async function openBot(given: Given, context: Context, keepAlive = false): Promise<ConnectedBot> {
  if (given.flag('sandbox')) return openSandboxBot(given, context, keepAlive);
  const bot = await botOfCommand(given, context);
  context.display.step(speakingAs(bot.name, bot.tokenSource, bot.spelledUrl));
  return { bot, connection: connectionTo(bot, channelOptions(context, keepAlive)) };
}

export function channelOptions({ env }: Context, keepAlive: boolean): ChannelOptions {
  return { env, keepAlive, userAgent: `botctl/${version}` };
}

export function refuseBesideSandbox(given: Given): void {
  const other = foreignToSandbox.find((name) => given.text(name) !== undefined);
  if (other !== undefined) throw besideSandbox(other);
}

function sandboxBotWith(token: string): Bot {
  return {
    name: sandboxBot,
    baseUrl: sandboxBaseUrl,
    spelledUrl: sandboxBaseUrl,
    token: { reveal: () => token },
    tokenSource: sandboxToken,
    settings: {},
  };
}

/** Its own chain shows its transfers. */
function chainOfSandbox({ node }: RunningSandbox): ChainProfile {
  return {
    cluster: { genesis: node.genesisHash, name: sandboxBot },
    wallet: node.wallet,
    assets: node.assets,
    rpcUrls: async () => [RpcUrl.from(node.rpcUrl, sandboxToken)],
  };
}

/** The built-in bot: its service runs inside this command, on a free port of this machine. */
async function openSandboxBot(given: Given, context: Context, keepAlive: boolean): Promise<ConnectedBot> {
  refuseBesideSandbox(given);
  const { ensurePossibleInSandbox, openSandbox } = await import('./openSandbox.ts');
  const starting = openSandbox({ dataDir: sandboxFolder(context.env), port: 0 });
  const running = await context.display.waiting(startingSandbox, starting);
  const channel = channelTo(running.baseUrl, { ...channelOptions(context, keepAlive), direct: true });
  return {
    bot: { ...sandboxBotWith(running.tokens.full), chain: chainOfSandbox(running) },
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
