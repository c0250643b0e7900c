import { nextTurn } from '../machine/process.ts';
import type { AssetNames } from './entry/assetNames.ts';
import type { BaseUrl } from './entry/baseUrl.ts';
import type { OwnAddresses } from './entry/unusual.ts';
import type { Kind } from './entry/wanted.ts';
import type { Channel, Flight, FlightLimits, Shipment } from './wire/flight.ts';
import { troubleOf } from './wire/trouble.ts';
import type { ChannelSettings } from './wire/undiciChannel.ts';

export type Bot = {
  /** The profile's name; `env` if the token is not from a profile; `sandbox` for the built-in bot. */
  readonly name: string;
  /**
   * The URL used for identity and key. All loopback names count as one; the sandbox counts as one whatever its port.
   */
  readonly baseUrl: BaseUrl;
  /** The URL as the user wrote it. Requests go there. */
  readonly spelledUrl: BaseUrl;
  /** Revealed only to hash or to send it. */
  readonly token: { reveal(): string };
  /** Where the token came from, as a phrase for people. Never the token itself. */
  readonly tokenSource: string;
  readonly settings: Settings;
  readonly own?: OwnAddresses | undefined;
  /** The names that the user's profiles together give to tokens. */
  readonly assetNames?: AssetNames | undefined;
};

/** The bot's name if the token is not from a profile. */
export const envBot = 'env';

/** The built-in bot, which is known by this name even while its service is not running. */
export const sandboxBot = 'sandbox';

/** A profile's settings. A command's options override them, except the policy: no option can change that. */
export type Settings = {
  timeoutMs?: number;
  maxWaitMs?: number;
  policy?: string;
};

/** How a bot's requests reach its service. */
export type Connection = {
  readonly url: string;
  readonly channel: Channel;
  /** Called before a person is asked. Throws if this service cannot do it at all. */
  ensurePossible(kind: Kind): void;
  /** Called before anything that will be sent is journaled. */
  ready(): Promise<void>;
  /**
   * Like `ready`, when something will certainly be sent: DNS, TCP and TLS run while the claim is committed. With 20 ms
   * of delay each way, a send over TLS waits 14 ms less (Node 20) and 15 ms (Node 24); medians of 21 pairs.
   */
  reachOut(): Promise<void>;
  close(): Promise<void>;
};

export type ChannelOptions = Omit<ChannelSettings, 'origin'>;

/** A bot's connection. It opens nothing until it is needed. */
export function connectionTo({ spelledUrl }: Bot, choice: ChannelOptions): Connection {
  const channel = channelTo(new URL(spelledUrl).origin, choice);
  return {
    url: spelledUrl,
    channel,
    ensurePossible: () => {},
    ready: () => channel.ready(),
    reachOut: () => channel.reachOut(),
    close: () => channel.close(),
  };
}

export function channelTo(origin: string, options: ChannelOptions): LateChannel {
  const settings = { origin, ...options };
  return new LateChannel(async (reachesOut) => {
    if (options.keepAlive) {
      const { openChannel } = await import('./wire/undiciChannel.ts');
      return poolChannels(() => openChannel(settings));
    }
    const { connecting } = await import('./wire/connecting.ts');
    const first = connecting(settings);
    if (reachesOut) first.begin();
    const { openChannel } = await import('./wire/undiciChannel.ts');
    // The first packet must leave before the commit takes its time.
    if (reachesOut) await nextTurn();
    return openChannel(settings, first);
  });
}

/**
 * A channel that opens when something is about to be sent: undici is a third of what a send loads, and a replay sends
 * nothing. Open it before journaling, so that opening cannot fail afterwards.
 */
export class LateChannel implements Channel {
  readonly #open: (reachesOut: boolean) => Promise<Channel>;
  #channel: Promise<Channel> | undefined;

  constructor(open: (reachesOut: boolean) => Promise<Channel>) {
    this.#open = open;
  }

  /** Opens it, or throws the reason why it cannot be opened. */
  async ready(): Promise<void> {
    await this.#opened();
  }

  /** Also starts connecting. For callers that are about to journal what they will send. */
  async reachOut(): Promise<void> {
    await this.#opened(true);
  }

  async fly(shipment: Shipment, limits: FlightLimits): Promise<Flight> {
    let channel: Channel;
    try {
      channel = await this.#opened();
    } catch (error) {
      return { came: 'nothing', headersSent: false, trouble: troubleOf(error) };
    }
    return channel.fly(shipment, limits);
  }

  async close(): Promise<void> {
    const channel = await this.#channel?.catch(() => undefined);
    await channel?.close();
  }

  #opened(reachesOut = false): Promise<Channel> {
    this.#channel ??= this.#open(reachesOut);
    return this.#channel;
  }
}

/**
 * Many requests at a time, each on its own channel. A channel is reused only after its reply has been judged: until
 * then we do not know whether its connection is fit for another request.
 */
export function poolChannels(open: () => Channel): Channel {
  // Open one now: whatever makes a channel impossible must fail before anything is sent.
  const all = [open()];
  const free = [...all];
  const openAnother = (): Channel => {
    const channel = open();
    all.push(channel);
    return channel;
  };
  return {
    fly: async (shipment, limits) => {
      const channel = free.pop() ?? openAnother();
      const giveBack = (): void => {
        free.push(channel);
      };
      try {
        return whenJudged(await channel.fly(shipment, limits), giveBack);
      } catch (error) {
        giveBack();
        throw error;
      }
    },
    close: async () => {
      await Promise.all(all.map((channel) => channel.close()));
    },
  };
}

function whenJudged(flight: Flight, giveBack: () => void): Flight {
  if (flight.came === 'nothing' || flight.socket === undefined) {
    giveBack();
    return flight;
  }
  const { socket } = flight;
  return {
    ...flight,
    socket: {
      keep: () => {
        socket.keep();
        giveBack();
      },
      drop: async () => {
        await socket.drop();
        giveBack();
      },
    },
  };
}
