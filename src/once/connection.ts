import type { Env } from '../machine/folders.ts';
import { nextTurn } from '../machine/process.ts';
import type { Cluster, RpcUrl } from './chain/cluster.ts';
import type { BaseUrl } from './intent/baseUrl.ts';
import type { Kind } from './intent/wanted.ts';
import type { Channel, Flight, FlightLimits, Shipment } from './wire/flight.ts';
import { troubleOf } from './wire/trouble.ts';

/** A bot, and the service that it speaks to. */
export type Bot = {
  /** The profile's name; `env` where the token is not a profile's, `sandbox` for the built-in one. */
  readonly name: string;
  /** As intents keep it: there the names of loopback are one, and the sandbox's is its name, whatever its port. */
  readonly baseUrl: BaseUrl;
  /** As it was given: where the token goes. */
  readonly spelledUrl: BaseUrl;
  /** Revealed only to be hashed and to be sent. */
  readonly token: { reveal(): string };
  /** A phrase for people; never the token. */
  readonly tokenSource: string;
  readonly settings: Settings;
  /** Absent where no node is named that could show its transfers. */
  readonly chain?: ChainProfile | undefined;
};

/** The bot of a token that is no profile's. */
export const envBot = 'env';

/** The built-in bot, as far as it is known while its service is not running. */
export const sandboxBot = 'sandbox';

/** What a profile may say about trying; an option of the command outranks it. What it may spend no option changes. */
export type Settings = {
  keyAgeMs?: number;
  timeoutMs?: number;
  retries?: number;
  maxWaitMs?: number;
  /** The file of its policy. */
  policy?: string;
};

/** Which chain a bot's transfers are on, and who can show them. */
export type ChainProfile = {
  readonly cluster: Cluster;
  /** The bot's own address, where it is known. */
  readonly wallet: string | undefined;
  /** The mints of assets, by their names. */
  readonly assets: Readonly<Record<string, string>>;
  /** Asked for only where a node is: it may take a person to unlock them. */
  rpcUrls(): Promise<readonly RpcUrl[]>;
};

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
      const { openChannel } = await import('./wire/undiciChannel.ts');
      return poolChannels(() => openChannel(settings));
    }
    const { connecting } = await import('./wire/connecting.ts');
    const first = connecting(settings);
    if (reachesOut) await first.begin();
    const { openChannel } = await import('./wire/undiciChannel.ts');
    // What came back while undici was loading is answered before the commit takes its time.
    if (reachesOut) await nextTurn();
    return openChannel(settings, first);
  });
}

/**
 * A channel that is opened when something is about to be sent. undici is a third of all that a send loads, and a
 * replay sends nothing. Whoever journals opens it first, so that nothing of it can go wrong afterwards.
 */
export class LateChannel implements Channel {
  readonly #open: (reachesOut: boolean) => Promise<Channel>;
  #channel: Promise<Channel> | undefined;

  constructor(open: (reachesOut: boolean) => Promise<Channel>) {
    this.#open = open;
  }

  /** Opens it, or says why it cannot be opened. */
  async ready(): Promise<void> {
    await this.#opened();
  }

  /** Begins its connection too: for who is about to put on record what will be sent. */
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
 * Many requests at a time, each on a channel of its own; a channel is used again once its reply was judged: until
 * then nobody knows whether its connection is fit for another.
 */
export function poolChannels(open: () => Channel): Channel {
  // What forbids a channel must be known before anything is to be sent on it.
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
      before: socket.before,
      keep: (exchange) => {
        socket.keep(exchange);
        giveBack();
      },
      drop: async () => {
        await socket.drop();
        giveBack();
      },
    },
  };
}
