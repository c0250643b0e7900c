import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** The URL of a node beside the sandbox's, until the test is over. */
export async function nodeBeside(listener: RequestListener, host = '127.0.0.1'): Promise<string> {
  const server = createServer(listener).listen(0, host);
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://${host}:${(server.address() as AddressInfo).port}`;
}
