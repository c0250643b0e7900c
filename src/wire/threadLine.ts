import { Worker } from 'node:worker_threads';
import { refuseBlindTls } from './blindTls.ts';
import type { Flight, FlightLimits, Line, Shipment } from './flight.ts';
import { type FromLine, pack, type ToLine, unpackFlight } from './threadMail.ts';
import type { LineSettings } from './undiciLine.ts';

const beside = new URL('./lineThread.js', import.meta.url);

/**
 * Many requests at a time, flown on a thread of their own: what costs most beside the journal is HTTP, and
 * while the journal waits for its disk, replies go on arriving.
 */
export function openThreadLine({ env, ...settings }: LineSettings, program: URL = beside): Line {
  refuseBlindTls(settings.origin, env);
  return new ThreadLine(
    // NODE_DEBUG would write what travels, the token too.
    new Worker(program, { workerData: settings, env: { ...env, NODE_DEBUG: '', NODE_DEBUG_NATIVE: '' } }),
  );
}

class ThreadLine implements Line {
  readonly #thread: Worker;
  readonly #landing = new Map<number, (flight: Flight) => void>();
  #began = false;
  #trouble = 'the thread that sends has ended';
  #isOver = false;
  #count = 0;
  #outbox: ToLine = { departing: [], cut: [] };

  constructor(thread: Worker) {
    this.#thread = thread;
    thread.on('message', (landed: FromLine) => {
      this.#began = true;
      for (const { n, flight } of landed) this.#land(n, unpackFlight(flight));
    });
    thread.on('error', (error: Error) => {
      this.#trouble = `the thread that sends failed (${error.message})`;
    });
    // Only by now has everything arrived that it told.
    thread.on('exit', () => this.#end());
  }

  fly({ url, token, body }: Shipment, { timeoutMs, cut }: FlightLimits): Promise<Flight> {
    if (this.#isOver) {
      return Promise.resolve({ came: 'nothing', headersSent: false, trouble: this.#trouble });
    }
    this.#count += 1;
    const n = this.#count;
    this.#outboxOfThisTurn().departing.push({ n, url, token: token.reveal(), body: pack(body), timeoutMs });
    const onCut = (): void => {
      this.#outboxOfThisTurn().cut.push(n);
    };
    if (cut.aborted) onCut();
    cut.addEventListener('abort', onCut, { once: true });
    return new Promise((resolve) => {
      this.#landing.set(n, (flight) => {
        cut.removeEventListener('abort', onCut);
        resolve(flight);
      });
    });
  }

  async close(): Promise<void> {
    await this.#thread.terminate();
  }

  #land(n: number, flight: Flight): void {
    this.#landing.get(n)?.(flight);
    this.#landing.delete(n);
  }

  /** How far its flights came nobody can say any more: once it had begun, the worst is taken for true. */
  #end(): void {
    this.#isOver = true;
    const flight: Flight = { came: 'nothing', headersSent: this.#began, trouble: this.#trouble };
    for (const n of this.#landing.keys()) this.#land(n, flight);
  }

  /** What is given to the thread in one turn of the event loop travels at once. */
  #outboxOfThisTurn(): ToLine {
    if (this.#outbox.departing.length + this.#outbox.cut.length === 0) {
      process.nextTick(() => {
        this.#thread.postMessage(this.#outbox);
        this.#outbox = { departing: [], cut: [] };
      });
    }
    return this.#outbox;
  }
}
