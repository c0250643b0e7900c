import { connect } from 'node:net';

export type RawReply = { text: string; status: number | undefined; error: string | undefined; ms: number };

/** Sends raw bytes, and reads until the other side ends: for requests that no HTTP client would send. */
export function rawRequest(baseUrl: string, chunks: (string | Buffer)[], everyMs = 0): Promise<RawReply> {
  const { port } = new URL(baseUrl);
  const started = performance.now();
  return new Promise((resolve) => {
    const socket = connect(Number(port), '127.0.0.1');
    const received: Buffer[] = [];
    let error: string | undefined;
    let timer: NodeJS.Timeout | undefined;
    const queue = [...chunks];
    const next = (): void => {
      const chunk = queue.shift();
      if (chunk === undefined || socket.destroyed) return;
      socket.write(chunk, () => {
        timer = setTimeout(next, everyMs);
      });
    };
    socket.on('connect', next);
    socket.on('data', (data) => received.push(data));
    socket.on('error', (cause: NodeJS.ErrnoException) => {
      error = cause.code;
    });
    socket.on('end', () => socket.end());
    socket.on('close', () => {
      clearTimeout(timer);
      const text = Buffer.concat(received).toString('latin1');
      const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1];
      resolve({
        text,
        status: status === undefined ? undefined : Number(status),
        error,
        ms: performance.now() - started,
      });
    });
  });
}
