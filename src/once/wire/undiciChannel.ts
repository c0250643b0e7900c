import { subscribe } from 'node:diagnostics_channel';
import type { Dispatcher } from 'undici';
// Only this file: all of undici, with fetch and caches, would cost a send 20 ms more.
import Client from 'undici/lib/dispatcher/client.js';
import { readLeftovers } from '../../machine/process.ts';
import { type Connecting, type ConnectingSettings, connecting } from './connecting.ts';
import type { Channel, Flight, FlightLimits, Shipment } from './flight.ts';
import { isUpgrade, TroubleError, troubleOf } from './trouble.ts';
import { withoutToken } from './withoutToken.ts';

export const maxReplyBytes = 1024 * 1024;

export type ChannelSettings = ConnectingSettings & {
  /** A batch keeps its connections. A single command never reuses one, because it may just have been closed. */
  readonly keepAlive: boolean;
  readonly userAgent: string;
};

class TooLong extends Error {}

/**
 * A channel to the service over undici: HTTP/1.1, no redirects, no retries, nothing that sends a body twice. `first`
 * may have begun the first connection.
 */
export function openChannel(settings: ChannelSettings, first: Connecting = connecting(settings)): Channel {
  if (!settings.keepAlive) keepParserAsLoaded();
  let next: Connecting | undefined = first;
  let way: OpenWay | undefined;
  const drop = async (): Promise<void> => {
    const dropped = way;
    way = undefined;
    (dropped?.connecting ?? next)?.abandon();
    next = undefined;
    await dropped?.client.destroy().catch(() => {});
  };
  return {
    fly: async (shipment, limits) => {
      const phase: RequestPhase = { headersSent: false };
      try {
        if (way !== undefined) await readLeftovers();
        way ??= wayTo(settings, next ?? connecting(settings));
        next = undefined;
        const flight = await flyOnce(way, shipment, limits, settings, phase);
        if (!settings.keepAlive || flight.came === 'nothing' || flight.ended !== 'whole') {
          await drop();
          return flight;
        }
        return { ...flight, socket: { keep: () => {}, drop } };
      } catch (error) {
        // Nothing is ever thrown from here: whatever fails, the caller must learn what may have happened.
        await drop();
        return { came: 'nothing', headersSent: phase.headersSent, trouble: troubleOf(error) };
      }
    },
    close: drop,
  };
}

/**
 * On Node 20 the exit waits 100 ms while V8 optimises undici's parser. This flag stops that. Set it after undici loads,
 * or loading takes three times as long.
 */
function keepParserAsLoaded(): void {
  if (process.versions.node.startsWith('20.'))
    process.getBuiltinModule('node:v8').setFlagsFromString('--liftoff-only');
}

type OpenWay = { readonly client: Client; readonly connecting: Connecting };

function wayTo(settings: ChannelSettings, ways: Connecting): OpenWay {
  const client = new Client(settings.origin, {
    headersTimeout: 0,
    bodyTimeout: 0,
    pipelining: settings.keepAlive ? 1 : 0,
    allowH2: false,
    connect: ways.connect,
  });
  return { client, connecting: ways };
}

// A longer timer would fire at once.
const longestTimerMs = 2 ** 31 - 1;

type ChannelDestination = { readonly url: string; readonly origin: string; readonly path: string };

/** All rows of a batch go to the same place. Parsing the URL for each would take as long as reading a reply. */
let lastDestination: ChannelDestination | undefined;

/** Where the request goes. A token is sent only to the origin of its channel. */
function destination({ url }: Shipment, { origin }: ChannelSettings): ChannelDestination {
  if (lastDestination?.url !== url) {
    const { origin: itsOrigin, pathname, search } = new URL(url);
    lastDestination = { url, origin: itsOrigin, path: `${pathname}${search}` };
  }
  if (lastDestination.origin !== origin && lastDestination.origin !== new URL(origin).origin)
    throw new TroubleError({ is: 'other-origin' });
  return lastDestination;
}

/** One attempt. It always resolves, however it ends, and says whether the headers were sent. */
function flyOnce(
  { client, connecting: ways }: OpenWay,
  shipment: Shipment,
  limits: FlightLimits,
  settings: ChannelSettings,
  phase: RequestPhase,
): Promise<Flight> {
  return new Promise((resolve) => {
    const request = requestOf(shipment, settings);
    const received = new Received();
    let controller: Dispatcher.DispatchController | undefined;
    let reason: Error | undefined;

    const give = (why: Error): void => {
      reason ??= why;
      if (controller !== undefined) controller.abort(why);
      else {
        ways.abandon();
        void client.destroy(why).catch(() => {});
      }
    };
    const afterMs = Math.min(limits.timeoutMs, longestTimerMs);
    const timer = setTimeout(() => give(new TroubleError({ is: 'timed-out', afterMs })), afterMs);
    const onCut = (): void => give(new TroubleError({ is: 'interrupted' }));
    limits.cut.addEventListener('abort', onCut, { once: true });
    const finish = (error?: Error): void => {
      clearTimeout(timer);
      limits.cut.removeEventListener('abort', onCut);
      const flight = decoded(received.flight(phase, reason ?? error));
      resolve(shipment.token === undefined ? flight : withoutToken(flight, shipment.token.reveal()));
    };
    if (limits.cut.aborted) {
      finish(new TroubleError({ is: 'interrupted' }));
      return;
    }

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: (started) => {
        controller = started;
        const blocked = reason === undefined ? limits.lastCheck() : undefined;
        if (blocked !== undefined) reason = new TroubleError(blocked);
        if (reason !== undefined) started.abort(reason);
      },
      onResponseStart: (_controller, status, headers) => received.begin(status, headers),
      onResponseData: (_controller, chunk) => {
        if (!received.add(chunk)) give(new TooLong());
      },
      onResponseEnd: () => {
        received.ended = 'whole';
        finish();
      },
      onResponseError: (_controller, error) => finish(error),
    };
    try {
      followPhase(phase, () => client.dispatch(request, handler));
    } catch (error) {
      finish(error instanceof Error ? error : new Error(String(error)));
    }
  });
}

function requestOf(shipment: Shipment, settings: ChannelSettings): Dispatcher.DispatchOptions {
  const { origin, path } = destination(shipment, settings);
  const { body, token } = shipment;
  return {
    origin,
    path,
    method: 'POST',
    headers: {
      ...(token === undefined ? {} : { authorization: `Bot ${token.reveal()}` }),
      'content-type': 'application/json',
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': settings.userAgent,
    },
    body: Buffer.from(body.buffer, body.byteOffset, body.byteLength),
  };
}

class Received {
  ended: 'whole' | 'broken' | 'too-long' = 'broken';
  #status: number | undefined;
  #headers: Record<string, string> = {};
  readonly #chunks: Uint8Array[] = [];
  #bytes = 0;

  begin(status: number, headers: Readonly<Record<string, string | string[] | undefined>>): void {
    // An informational reply may come first. The final one replaces it.
    this.#status = status;
    this.#headers = {};
    for (const name in headers) {
      const value = headers[name];
      if (value !== undefined)
        this.#headers[name.toLowerCase()] = typeof value === 'string' ? value : value.join(', ');
    }
  }

  add(chunk: Uint8Array): boolean {
    const room = maxReplyBytes - this.#bytes;
    const kept = chunk.subarray(0, room);
    this.#bytes += kept.length;
    this.#chunks.push(kept);
    return chunk.length <= room;
  }

  flight({ headersSent }: RequestPhase, error: Error | undefined): Flight {
    if (this.#status === undefined) {
      return {
        came: 'nothing',
        headersSent,
        trouble: troubleOf(error),
        ...(isUpgrade(error) ? { upgraded: true } : {}),
      };
    }
    const ended = error instanceof TooLong ? 'too-long' : this.ended;
    const body = Buffer.concat(this.#chunks);
    return { came: 'reply', status: this.#status, headers: this.#headers, body, ended };
  }
}

type Zlib = typeof import('node:zlib');
type Decoder = 'gunzipSync' | 'inflateSync' | 'brotliDecompressSync';

const decoders: Readonly<Record<string, Decoder>> = {
  gzip: 'gunzipSync',
  deflate: 'inflateSync',
  br: 'brotliDecompressSync',
};

/** Decompresses a reply, although we asked for no compression: the token could hide in what we cannot read. */
function decoded(flight: Flight): Flight {
  if (flight.came === 'nothing' || flight.body.length === 0) return flight;
  const method = flight.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  const decoder = Object.hasOwn(decoders, method) ? decoders[method] : undefined;
  if (decoder === undefined) return flight;
  const zlib: Zlib = process.getBuiltinModule('node:zlib');
  try {
    return { ...flight, body: zlib[decoder](flight.body, { maxOutputLength: maxReplyBytes }) };
  } catch (error) {
    const ended = error instanceof RangeError ? 'too-long' : 'broken';
    return { ...flight, body: new Uint8Array(), ended: flight.ended === 'whole' ? ended : flight.ended };
  }
}

/** Whether the headers of one request were sent. Only this decides what was sent, never an error's code. */
type RequestPhase = { headersSent: boolean };

const phases = new WeakMap<object, RequestPhase>();
let beginningPhase: RequestPhase | undefined;
let listening = false;

type RequestMessage = { request: object };

function listen(): void {
  if (listening) return;
  listening = true;
  subscribe('undici:request:create', (message) => {
    const { request } = message as RequestMessage;
    if (beginningPhase !== undefined) phases.set(request, beginningPhase);
  });
  // Published just before the socket is written, so it may say yes too early but never too late.
  subscribe('undici:client:sendHeaders', (message) => {
    const phase = phases.get((message as RequestMessage).request);
    if (phase !== undefined) phase.headersSent = true;
  });
}

/** Runs `dispatch`, which creates one request, and records that request's phase. */
function followPhase(phase: RequestPhase, dispatch: () => unknown): void {
  listen();
  beginningPhase = phase;
  try {
    dispatch();
  } finally {
    beginningPhase = undefined;
  }
}
