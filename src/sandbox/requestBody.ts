import type { IncomingMessage } from 'node:http';

const bodyLimitBytes = 1024 * 1024;
const drainLimitBytes = 64 * bodyLimitBytes;

export type ReadBody = { kind: 'whole'; bytes: Buffer } | { kind: 'too-large' } | { kind: 'broken-off' };

/** Reads past the limit without keeping: a client that is still writing would never see the 413. */
export async function readBody(request: IncomingMessage): Promise<ReadBody> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size <= bodyLimitBytes) chunks.push(chunk);
      else chunks.length = 0;
      if (size > drainLimitBytes) return { kind: 'too-large' };
    }
  } catch {
    return { kind: 'broken-off' };
  }
  return size > bodyLimitBytes ? { kind: 'too-large' } : { kind: 'whole', bytes: Buffer.concat(chunks) };
}
