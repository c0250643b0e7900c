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
import { failureWith } from '../../once/failures.ts';
import type { RunningSandbox } from '../../sandbox/start.ts';
import {
  type BotOptions,
  type ChainBot,
  type ChainProfile,
  chooseBot,
  type KnownBot,
  knownBot,
} from '../bot/chooseBot.ts';
import type { Args } from '../parse/args.ts';
import { version } from '../parse/version.ts';
import type { Display } from '../show/display.ts';
import { startingSandbox, waitingForToken } from '../wording/open.ts';
import { foreignToSandbox } from '../wording/suggest.ts';
import { sandboxFolder } from './journal.ts';
import type { Opening } from './process.ts';

function botOptions(args: Args): BotOptions {
  return {
    profile: args.text('profile'),
    tokenFile: args.text('token-file'),
    baseUrl: args.text('base-url'),
  };
}

export async function knownBotOf(app: Opening): Promise<KnownBot | undefined> {
  if (app.args.flag('sandbox')) return { name: sandboxBot, settings: {} };
  return knownBot(botOptions(app.args), app);
}

export async function botWithToken(app: Opening): Promise<ChainBot> {
  if (app.args.flag('sandbox')) {
    refuseBesideSandbox(app.args);
    return sandboxBotWith('');
  }
  return sayIfSlow(waitingForToken, chooseBot(botOptions(app.args), app), app.display);
}

/** A bot and its connection, which is closed when the command ends. */
export type ConnectedBot = { readonly bot: ChainBot; readonly connection: Omit<Connection, 'close'> };

export function connectBot(bot: ChainBot, app: Opening, keepAlive?: true): ConnectedBot {
  return { bot, connection: app.owns(connectionTo(bot, channelOptions(app, keepAlive))) };
}

export function channelOptions({ env }: Opening, keepAlive?: true): ChannelOptions {
  return { env, keepAlive: keepAlive === true, userAgent: `botctl/${version}` };
}

export function refuseBesideSandbox(args: Args): void {
  const other = foreignToSandbox.find((name) => args.text(name) !== undefined);
  if (other !== undefined)
    throw failureWith(
      'usage',
    )`--sandbox uses only the built-in service, so it cannot be combined with --${other}
      Leave out --sandbox, or --${other}.`;
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

function chainOfSandbox({ node }: RunningSandbox): ChainProfile {
  return {
    cluster: { genesis: node.genesisHash, name: sandboxBot },
    wallet: node.wallet,
    assets: node.assets,
    rpcUrl: async () => RpcUrl.from(node.rpcUrl, sandboxToken),
  };
}

/** The built-in bot: its service runs inside this command, on a free port of this machine. */
export async function startSandboxBot(app: Opening, keepAlive?: true): Promise<ConnectedBot> {
  refuseBesideSandbox(app.args);
  const { ensurePossibleInSandbox, openSandbox } = await import('./sandbox.ts');
  const starting = openSandbox({ dataDir: sandboxFolder(app.env), port: 0 });
  const running = app.owns(await app.display.waiting(startingSandbox, starting));
  const channel = app.owns(channelTo(running.baseUrl, channelOptions(app, keepAlive)));
  return {
    bot: { ...sandboxBotWith(running.tokens.full), chain: chainOfSandbox(running) },
    connection: {
      url: running.baseUrl,
      channel,
      ensurePossible: ensurePossibleInSandbox,
      ready: () => channel.ready(),
      reachOut: () => channel.reachOut(),
    },
  };
}

const noticeableMs = 300;

/**
 * Says once what the command waits for, if a person is watching. It shows no spinner, because a vault may be asking for
 * its password on the same terminal.
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
