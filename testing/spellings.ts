import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './postgres/freePort.ts';

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

export const hasNginx = spawnSync('nginx', ['-v']).status === 0;

/** The distribution's real nginx (`apt-get install nginx`) with its default settings. */
export async function startNginx(target: string): Promise<ManySpelled> {
  const folder = mkdtempSync(join(tmpdir(), 'botctl-nginx-'));
  const port = await freePort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const config = `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log;
events {}
http {
  access_log off;
  ${temporary.map((what) => `${what}_temp_path ${folder}/${what};`).join(' ')}
  server {
    listen 127.0.0.1:${port};
    location / { rewrite ^/(?:bots/)?(api/.*)$ /$1 break; proxy_pass ${target}; }
  }
}`;
  writeFileSync(join(folder, 'nginx.conf'), config);
  const child = spawn('nginx', ['-e', join(folder, 'error.log'), '-c', join(folder, 'nginx.conf')], {
    stdio: 'ignore',
  });
  await listening(port, child);
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    close: async () => {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function listening(port: number, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const socket = connect(port, '127.0.0.1');
    const isThere = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (isThere) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error('nginx ended before it listened');
}
