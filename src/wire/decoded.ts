import type { Flight, Reply } from './flight.ts';

type Zlib = typeof import('node:zlib');
type Decoder = (bytes: Uint8Array, zlib: Zlib, options: Options) => Buffer;
type Options = { readonly maxOutputLength: number; readonly finishFlush?: number };

const decoders: Readonly<Record<string, Decoder>> = {
  gzip: (bytes, zlib, options) => zlib.gunzipSync(bytes, options),
  'x-gzip': (bytes, zlib, options) => zlib.gunzipSync(bytes, options),
  br: (bytes, zlib, { maxOutputLength }) => zlib.brotliDecompressSync(bytes, { maxOutputLength }),
  // Half the world leaves out the zlib header that HTTP asks for.
  deflate: (bytes, zlib, options) =>
    hasZlibHeader(bytes) ? zlib.inflateSync(bytes, options) : zlib.inflateRawSync(bytes, options),
};

function hasZlibHeader([first = 0, second = 0]: Uint8Array): boolean {
  return (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0;
}

/**
 * A reply without the compression that nobody asked for. What cannot be undone by a method known here stays as
 * it came; what breaks off is broken off, and what grows beyond `maxBytes` is too long.
 */
export function decoded(flight: Flight, maxBytes: number): Flight {
  if (flight.came === 'nothing' || flight.body.length === 0) return flight;
  const methods = (flight.headers['content-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .map((method) => method.trim())
    .filter((method) => method !== '' && method !== 'identity')
    .reverse();
  if (methods.length === 0 || !methods.every((method) => Object.hasOwn(decoders, method))) return flight;
  return methods.reduce((reply: Reply, method) => undo(method, reply, maxBytes), flight);
}

function undo(method: string, reply: Reply, maxBytes: number): Reply {
  const decode = decoders[method];
  if (decode === undefined) return reply;
  const zlib = process.getBuiltinModule('node:zlib');
  try {
    return { ...reply, body: decode(reply.body, zlib, { maxOutputLength: maxBytes }) };
  } catch (error) {
    const isTooLong = error instanceof RangeError;
    if (isTooLong) return { ...reply, body: new Uint8Array(), ended: 'too-long' };
    const ended = reply.ended === 'whole' ? 'broken' : reply.ended;
    return { ...reply, body: beginning(decode, reply.body, zlib, maxBytes), ended };
  }
}

/** As much as can be read of what was cut: compressed bytes of it could hide the token. */
function beginning(decode: Decoder, bytes: Uint8Array, zlib: Zlib, maxBytes: number): Uint8Array {
  try {
    return decode(bytes, zlib, {
      maxOutputLength: maxBytes,
      finishFlush: zlib.constants.Z_SYNC_FLUSH,
    });
  } catch {
    return new Uint8Array();
  }
}
