import { Writable } from 'node:stream';

/** A stream that records what is written to it. */
export function sink(): { stream: NodeJS.WriteStream; text: () => string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk);
      done();
    },
  });
  return { stream: stream as NodeJS.WriteStream, text: () => Buffer.concat(chunks).toString() };
}
