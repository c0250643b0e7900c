import type { Kind } from '../intent/wanted.ts';
import type { Env } from '../machine/folders.ts';
import { poolChannels } from '../wire/channelPool.ts';
import type { Channel } from '../wire/flight.ts';
import { LateChannel } from '../wire/lateChannel.ts';
import { nextTurn } from '../wire/turn.ts';
import type { Bot } from './bot.ts';

/** How a bot's requests reach its service. */
export type Connection = {
  /** The base URL that requests go to. */
  readonly url: string;
  readonly channel: Channel;
  /** Before a person is asked about it: throws where it cannot be done there at all. */
  ensurePossible(kind: Kind): void;
  /** Before anything is journaled that is to be sent. */
  ready(): Promise<void>;
  /** The same where it is known that something will be sent: names, TCP and TLS take their time beside the claim. */
  reachOut(): Promise<void>;
  close(): Promise<void>;
};

export type ConnectedBot = { readonly bot: Bot; readonly connection: Connection };

export type ChannelOptions = {
  readonly env: Env;
  readonly userAgent: string;
  /** Its connections carry one request after another. */
  readonly keepAlive: boolean;
};

/** The way to where a bot speaks; nothing is opened before it is needed. */
export function connectionTo({ spelledUrl }: Bot, choice: ChannelOptions): Connection {
  const channel = channelTo(new URL(spelledUrl).origin, { ...choice, direct: false });
  return {
    url: spelledUrl,
    channel,
    ensurePossible: () => {},
    ready: () => channel.ready(),
    reachOut: () => channel.reachOut(),
    close: () => channel.close(),
  };
}

/** `direct` goes past any proxy. */
export function channelTo(
  origin: string,
  options: ChannelOptions & { readonly direct: boolean },
): LateChannel {
  const settings = { origin, ...options };
  return new LateChannel(async (reachesOut) => {
    if (options.keepAlive) {
      const { openChannel } = await import('../wire/undiciChannel.ts');
      return poolChannels(() => openChannel(settings));
    }
    const { connecting } = await import('../wire/connecting.ts');
    const first = connecting(settings);
    if (reachesOut) await first.begin();
    const { openChannel } = await import('../wire/undiciChannel.ts');
    // What came back while undici was loading is answered before the commit takes its time.
    if (reachesOut) await nextTurn();
    return openChannel(settings, first);
  });
}
