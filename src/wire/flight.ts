import type { Trouble } from './trouble.ts';

/** What came of one HTTP request, before anything is made of it. */
export type Flight = NoReply | Reply;

export type NoReply = {
  readonly came: 'nothing';
  /** Whether the request's headers went out: only then can it have taken effect. */
  readonly headersSent: boolean;
  readonly trouble: Trouble;
  /** The server tried to change the protocol: it answered, but with no final answer. */
  readonly upgraded?: true;
  /** The door was shut: not a byte of the request was written. */
  readonly shut?: true;
};

export type Reply = {
  readonly came: 'reply';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The body ended where it said it would. Otherwise why it did not. */
  readonly ended: 'whole' | 'broken' | 'too-long';
  /** Only where a further request could go over the connection that it came on. */
  readonly socket?: ReplySocket;
};

/** The connection of a reply. Whoever has judged the reply says once whether another request may use it. */
export interface ReplySocket {
  /** What was answered on it before this reply. */
  readonly before: Exchange | undefined;
  keep(exchange: Exchange): void;
  /** Replies may arrive on the wrong requests: whatever still comes on it is nobody's. */
  drop(): Promise<void>;
}

/** A reply that was taken for the answer to the request with this key, and the id that it named. */
export type Exchange = { readonly key: string; readonly id: string | undefined };

/** Everything one request is made of. The token is revealed only while its header is written; some need none. */
export type Shipment = {
  readonly url: string;
  readonly token: { reveal(): string } | undefined;
  readonly body: Uint8Array;
};

/** A way to the service: one request at a time, over a connection of its own. */
export interface Channel {
  fly(shipment: Shipment, limits: FlightLimits): Promise<Flight>;
  close(): Promise<void>;
}

export type FlightLimits = {
  readonly timeoutMs: number;
  /** Aborting it ends the attempt at once. */
  readonly cut: AbortSignal;
  /** Asked when the connection stands and nothing is written: why nothing may be. */
  readonly door: () => Trouble | undefined;
};
