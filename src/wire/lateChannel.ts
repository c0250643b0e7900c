import type { Channel, Flight, FlightLimits, Shipment } from './flight.ts';
import { troubleOf } from './trouble.ts';

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
