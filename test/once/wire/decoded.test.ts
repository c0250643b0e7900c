import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { maxReplyBytes } from '../../../src/once/wire/undiciChannel.ts';
import { closedAfterTest } from '../../support/closedAfterTest.ts';
import { flyTo, reply, token } from '../../support/flights.ts';
import { httpReply, startLoopback } from '../../support/loopback.ts';

async function answered(body: Buffer, encoding: string, head?: string) {
  const server = await startLoopback((socket) =>
    socket.end(httpReply(body, head, [`content-encoding: ${encoding}`])),
  );
  closedAfterTest(server);
  return reply(await flyTo(`http://127.0.0.1:${server.port}`));
}

const text = JSON.stringify({ message: { id: 'm', echo: token } });
const plain = text.replace(token, '[token]');
const methods: readonly [string, (bytes: Buffer | string) => Buffer][] = [
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  [' GZIP ', gzipSync],
];

describe('a reply that is compressed although nobody asked for it', () => {
  test.each(methods)('is read, and the token taken out of it: %s %#', async (encoding, compress) => {
    const flight = await answered(compress(text), encoding);
    expect(flight).toMatchObject({ ended: 'whole', status: 200 });
    expect(Buffer.from(flight.body).toString()).toBe(plain);
  });

  test.each(methods)('is broken off where its stream is: %s %#', async (encoding, compress) => {
    const whole = compress(text.repeat(50));
    for (const broken of [whole.subarray(0, -6), whole.subarray(0, 3)]) {
      const flight = await answered(broken, encoding);
      expect(flight.ended).toBe('broken');
      expect(Buffer.from(flight.body).includes(token)).toBe(false);
    }
    const flight = await answered(Buffer.from('{"message":{"id":"no compression at all"}}'), encoding);
    expect(flight.ended).toBe('broken');
  });

  test.each(methods)('is too long where it grows too large: %s %#', async (encoding, compress) => {
    const bomb = compress(Buffer.alloc(8 * maxReplyBytes));
    expect(bomb.length).toBeLessThan(maxReplyBytes);
    expect(await answered(bomb, encoding)).toMatchObject({ ended: 'too-long', status: 200 });
    expect(await answered(compress(Buffer.alloc(maxReplyBytes)), encoding)).toMatchObject({ ended: 'whole' });
  });

  test('is kept as it came where the method is not known', async () => {
    for (const encoding of ['zstd', 'compress', 'gzip, aws-chunked']) {
      const flight = await answered(gzipSync('{}'), encoding);
      expect(flight).toMatchObject({ ended: 'whole' });
      expect(Buffer.from(flight.body).equals(gzipSync('{}'))).toBe(true);
    }
  });

  test('may be empty', async () => {
    const flight = await answered(Buffer.alloc(0), 'gzip');
    expect(flight).toMatchObject({ ended: 'whole' });
    expect(flight.body).toHaveLength(0);
  });
});
