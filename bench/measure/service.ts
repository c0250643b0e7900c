import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

export type Service = { readonly url: string; stop(): Promise<void> };

export const noNginx =
  'nginx is not installed (Debian: nginx-light): there is no service to measure against.';

export function hasNginx(): boolean {
  return spawnSync('nginx', ['-v']).error === undefined;
}

// Each with an id of its own: the same twice on one connection would be a reply on the wrong request.
const replies = {
  '/': '{"message":{"id":"$request_id"},"request_id":"req_1"}',
  '/api/bot/v1/wallet/transfers':
    '{"transfer_id":"$request_id","status":"confirmed","signature":"s$request_id","request_id":"req_1"}',
} as const;

/** A service that is not ours and does next to nothing. */
export async function startNginx(parent: string): Promise<Service> {
  const folder = join(parent, 'nginx');
  mkdirSync(folder);
  const port = await freePort();
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const temp = paths.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ');
  const locations = Object.entries(replies).map(
    ([path, reply]) => `location ${path} { default_type application/json; return 200 '${reply}'; }`,
  );
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; pid ${folder}/pid; error_log ${folder}/error.log; worker_processes 1;
     events { worker_connections 512; }
     http { access_log off; keepalive_requests 100000000; ${temp}
       server { listen 127.0.0.1:${port}; ${locations.join('\n')} } }`,
  );
  const words = ['-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')];
  const nginx = spawn('nginx', words, { stdio: 'ignore' });
  await new Promise((resolveLater) => setTimeout(resolveLater, 300));
  return { url: `http://127.0.0.1:${port}`, stop: () => stop(nginx) };
}

async function stop(nginx: ChildProcess): Promise<void> {
  if (nginx.exitCode !== null || nginx.signalCode !== null) return;
  nginx.kill('SIGTERM');
  await once(nginx, 'close');
}

function freePort(): Promise<number> {
  return new Promise((resolvePort) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolvePort(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
