import type { Flight, NoReply, Reply } from './flight.ts';

/** What passes between the thread of the journal and the thread of the line. */
export type ToLine = { readonly departing: Departure[]; readonly cut: number[] };

export type Departure = {
  readonly n: number;
  readonly url: string;
  readonly token: string;
  readonly body: Packed;
  readonly timeoutMs: number;
};

export type FromLine = Landing[];

export type Landing = { readonly n: number; readonly flight: NoReply | PackedReply };

type PackedReply = Omit<Reply, 'body'> & { readonly body: Packed };

/** Bytes as text, one character each: to another thread that travels for a fraction of what a buffer costs. */
type Packed = string;

export function pack({ buffer, byteOffset, byteLength }: Uint8Array): Packed {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
}

export function unpack(packed: Packed): Uint8Array {
  return Buffer.from(packed, 'latin1');
}

export function packFlight(flight: Flight): Landing['flight'] {
  return flight.came === 'reply' ? { ...flight, body: pack(flight.body) } : flight;
}

export function unpackFlight(flight: Landing['flight']): Flight {
  return flight.came === 'reply' ? { ...flight, body: unpack(flight.body) } : flight;
}
