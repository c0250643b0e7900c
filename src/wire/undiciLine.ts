import { setFlagsFromString } from 'node:v8';
import type { Dispatcher } from 'undici';
import Client from 'undici/lib/dispatcher/client.js';
import { Failure } from '../errors.ts';
import type { Flight, FlightLimits, Line, Shipment } from './flight.ts';
import { followPhase, type Phase } from './phase.ts';
import { isUpgrade, troubleOf } from './trouble.ts';
import { withoutToken } from './withoutToken.ts';

export const maxReplyBytes = 1024 * 1024;

// Node 20 optimises undici's HTTP parser (WebAssembly) on other threads while the one reply is being read: 65 ms
// of processor time and 35 MB that a short run never earns back. Later Nodes wait until it pays by themselves.
if (process.versions.node.startsWith('20.')) setFlagsFromString('--liftoff-only');

type Env = Readonly<Record<string, string | undefined>>;

export type LineSettings = {
  readonly origin: string;
  readonly env: Env;
  /** A batch keeps its connections; a single command never reuses one that may just have been closed. */
  readonly keepAlive: boolean;
  readonly userAgent: string;
  /** The embedded sandbox is on this machine: no proxy can help to reach it. */
  readonly direct: boolean;
};

class TimedOut extends Error {}
class Cut extends Error {}
class TooLong extends Error {}

/** A line to the service over undici: HTTP/1.1, no redirects, no retries, nothing that sends a body twice. */
export function openLine(settings: LineSettings): Line {
  refuseBlindTls(settings);
  let dispatcher: Dispatcher | undefined;
  const drop = async (): Promise<void> => {
    const dropped = dispatcher;
    dispatcher = undefined;
    await dropped?.destroy().catch(() => {});
  };
  return {
    fly: async (shipment, limits) => {
      dispatcher ??= await connect(settings, limits.timeoutMs);
      const flight = await flyOnce(dispatcher, shipment, limits, settings);
      if (!settings.keepAlive || flight.came === 'nothing' || flight.ended !== 'whole') await drop();
      return flight;
    },
    close: drop,
  };
}

function isLoopbackOrigin(origin: string): boolean {
  return /^https?:\/\/(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/u.test(origin);
}

function refuseBlindTls({ env, origin }: LineSettings): void {
  if (env.NODE_TLS_REJECT_UNAUTHORIZED !== '0' || isLoopbackOrigin(origin)) return;
  throw new Failure(
    'insecure-tls',
    'NODE_TLS_REJECT_UNAUTHORIZED=0 is set: anyone on the way could read the token. Nothing was sent.',
    { hint: 'Unset it. For a private certificate authority set NODE_EXTRA_CA_CERTS to its certificate.' },
  );
}

function proxyOf({ env, origin, direct }: LineSettings): string | undefined {
  if (direct) return undefined;
  const proxy = origin.startsWith('https:')
    ? (env.https_proxy ?? env.HTTPS_PROXY)
    : (env.http_proxy ?? env.HTTP_PROXY);
  return proxy === '' ? undefined : proxy;
}

async function connect(settings: LineSettings, timeoutMs: number): Promise<Dispatcher> {
  const options = {
    headersTimeout: 0,
    bodyTimeout: 0,
    pipelining: settings.keepAlive ? 1 : 0,
    allowH2: false,
    connect: { timeout: timeoutMs },
  };
  const proxy = proxyOf(settings);
  if (proxy === undefined) return new Client(settings.origin, options);
  const { default: EnvHttpProxyAgent } = await import('undici/lib/dispatcher/env-http-proxy-agent.js');
  return new EnvHttpProxyAgent({
    ...options,
    httpProxy: proxy,
    httpsProxy: proxy,
    noProxy: settings.env.no_proxy ?? settings.env.NO_PROXY ?? '',
  });
}

/** One attempt: every way it can end resolves, and says whether the headers had gone out. */
function flyOnce(
  dispatcher: Dispatcher,
  shipment: Shipment,
  limits: FlightLimits,
  settings: LineSettings,
): Promise<Flight> {
  return new Promise((resolve) => {
    const received = new Received();
    let phase: Phase = { headersSent: false };
    let controller: Dispatcher.DispatchController | undefined;
    let reason: Error | undefined;

    const give = (why: Error): void => {
      reason ??= why;
      if (controller === undefined) void dispatcher.destroy(why).catch(() => {});
      else controller.abort(why);
    };
    const timer = setTimeout(() => give(new TimedOut()), limits.timeoutMs);
    const onCut = (): void => give(new Cut());
    limits.cut.addEventListener('abort', onCut, { once: true });
    const settle = (error?: Error): void => {
      clearTimeout(timer);
      limits.cut.removeEventListener('abort', onCut);
      resolve(withoutToken(received.flight(phase, reason ?? error), shipment.token.reveal()));
    };
    if (limits.cut.aborted) {
      settle(new Cut());
      return;
    }

    const url = new URL(shipment.url);
    followPhase((followed) => {
      phase = followed;
      dispatcher.dispatch(
        {
          origin: url.origin,
          path: `${url.pathname}${url.search}`,
          method: 'POST',
          headers: {
            authorization: `Bot ${shipment.token.reveal()}`,
            'content-type': 'application/json',
            accept: 'application/json',
            'user-agent': settings.userAgent,
          },
          body: Buffer.from(shipment.body.buffer, shipment.body.byteOffset, shipment.body.byteLength),
        },
        {
          onRequestStart: (started) => {
            controller = started;
            if (reason !== undefined) started.abort(reason);
          },
          onResponseStart: (_controller, status, headers) => received.begin(status, headers),
          onResponseData: (_controller, chunk) => {
            if (!received.add(chunk)) give(new TooLong());
          },
          onResponseEnd: () => {
            received.ended = 'whole';
            settle();
          },
          onResponseError: (_controller, error) => settle(error),
        },
      );
    });
  });
}

/** What has come back so far. */
class Received {
  ended: 'whole' | 'broken' | 'too-long' = 'broken';
  #status: number | undefined;
  #headers: Record<string, string> = {};
  readonly #chunks: Uint8Array[] = [];
  #bytes = 0;

  begin(status: number, headers: Readonly<Record<string, string | string[] | undefined>>): void {
    // An informational reply may come first; the final one replaces it.
    this.#status = status;
    this.#headers = {};
    for (const [name, value] of Object.entries(headers)) {
      if (value !== undefined) this.#headers[name.toLowerCase()] = [value].flat().join(', ');
    }
  }

  add(chunk: Uint8Array): boolean {
    const room = maxReplyBytes - this.#bytes;
    const kept = chunk.subarray(0, room);
    this.#bytes += kept.length;
    this.#chunks.push(kept);
    return chunk.length <= room;
  }

  flight({ headersSent }: Phase, error: Error | undefined): Flight {
    if (this.#status === undefined) {
      return {
        came: 'nothing',
        headersSent,
        trouble: this.#trouble(error),
        ...(isUpgrade(error) ? { upgraded: true } : {}),
      };
    }
    const ended = error instanceof TooLong ? 'too-long' : this.ended;
    const body = Buffer.concat(this.#chunks);
    return { came: 'reply', status: this.#status, headers: this.#headers, body, ended };
  }

  #trouble(error: Error | undefined): string {
    if (error instanceof TimedOut) return 'no whole reply came in time';
    if (error instanceof Cut) return 'it was interrupted';
    return troubleOf(error);
  }
}
