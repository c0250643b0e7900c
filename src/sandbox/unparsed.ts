import type { Socket } from 'node:net';

const unparsed: Record<string, [number, string]> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout'],
};

type Unparsed = { status: number; reason: string };

/** What is no HTTP request at all, or one that never ends. */
export function rejectUnparsed(error: NodeJS.ErrnoException, socket: Socket): Unparsed | undefined {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return undefined;
  }
  const [status, name] = unparsed[error.code ?? ''] ?? [400, 'Bad Request'];
  const body = JSON.stringify({ error: { code: 'invalid_http', message: name } });
  const head = `HTTP/1.1 ${status} ${name}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`;
  socket.end(head + body, () => socket.destroySoon());
  return { status, reason: name };
}
