import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server in front of a service, with many paths that lead to the service. */
export type ManySpelled = { readonly baseUrl: string; close(): Promise<void> };

/** A small server that ignores everything before `/api/`. */
export async function startPrefixProxy(target: string): Promise<ManySpelled> {
  const { hostname, port } = new URL(target);
  const server = http.createServer((request, response) => {
    const path = request.url?.replace(/^.*?(?=\/api\/)/u, '');
    const { method, headers } = request;
    const passed = http.request({ hostname, port, path, method, headers }, (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(response);
    });
    passed.on('error', () => response.destroy());
    request.pipe(passed);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
