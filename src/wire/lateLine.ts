import type { Flight, FlightLimits, Line, Shipment } from './flight.ts';
import { troubleOf } from './trouble.ts';

/**
 * A line that is opened when something is about to be sent. undici is a third of all that a send loads, and a
 * replay sends nothing. Whoever journals opens it first, so that nothing of it can go wrong afterwards.
 */
export class LateLine implements Line {
  readonly #open: () => Promise<Line>;
  #line: Promise<Line> | undefined;

  constructor(open: () => Promise<Line>) {
    this.#open = open;
  }

  /** Opens it, or says why it cannot be opened. */
  async ready(): Promise<void> {
    await this.#opened();
  }

  async fly(shipment: Shipment, limits: FlightLimits): Promise<Flight> {
    let line: Line;
    try {
      line = await this.#opened();
    } catch (error) {
      return { came: 'nothing', headersSent: false, trouble: troubleOf(error) };
    }
    return line.fly(shipment, limits);
  }

  async close(): Promise<void> {
    const line = await this.#line?.catch(() => undefined);
    await line?.close();
  }

  #opened(): Promise<Line> {
    this.#line ??= this.#open();
    return this.#line;
  }
}
