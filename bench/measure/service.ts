import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { Refusal } from '../../scripts/refusal.ts';
import { freePort } from '../../test/support/postgres/freePort.ts';

export type Service = { readonly url: string; stop(): Promise<void> };

// Each with an id of its own: the same twice on one connection would be a reply on the wrong request.
const replies = {
  '/': '{"message":{"id":"$request_id"},"request_id":"req_1"}',
  '/api/bot/v1/wallet/transfers':
    '{"transfer_id":"$request_id","status":"confirmed","signature":"s$request_id","request_id":"req_1"}',
} as const;

/** A service that is not ours and does next to nothing. */
export async function startNginx(parent: string): Promise<Service> {
  if (spawnSync('nginx', ['-v']).error !== undefined)
    throw new Refusal('nginx, the service, is not installed (Debian: nginx-light)');
  const folder = join(parent, 'nginx');
  mkdirSync(folder);
  const url = `http://127.0.0.1:${await freePort()}`;
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
       server { listen ${url.slice('http://'.length)}; ${locations.join('\n')} } }`,
  );
  const words = ['-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')];
  const nginx = spawn('nginx', words, { stdio: 'ignore' });
  const stop = async (): Promise<void> => {
    if (nginx.exitCode !== null || nginx.signalCode !== null) return;
    nginx.kill('SIGTERM');
    await once(nginx, 'close');
  };
  while (!(await answers(url))) {
    if (nginx.exitCode !== null) throw new Error(`nginx ended with ${nginx.exitCode}`);
    await after(20);
  }
  return { url, stop };
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}
