import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import type { Row } from './timing.ts';

// By its path: what a version manager puts first in PATH starts a shell before it starts Python.
export const python3 = '/usr/bin/python3';

type Target = {
  readonly url: string;
  /** Over https: whom to trust, and where `localhost` is, which curl does not look up. */
  readonly secure?: { readonly authority: string; readonly address: string };
  readonly env: NodeJS.ProcessEnv;
};

type Peers = { readonly present: Row[]; readonly absent: string[] };

const json = 'content-type: application/json';
const body = JSON.stringify({ content: 'hello' });

/** Programs that send the same to the same service, without remembering anything. */
export function presentPeers({ url, secure, env }: Target): Peers {
  const trust = secure === undefined ? {} : { SSL_CERT_FILE: secure.authority };
  const { host } = new URL(url);
  const httpie = secure === undefined ? [] : ['--verify', secure.authority];
  const curl =
    secure === undefined ? [] : ['--cacert', secure.authority, '--resolve', `${host}:${secure.address}`];
  const gh = { GH_HOST: host, GH_ENTERPRISE_TOKEN: 'bench', GH_NO_UPDATE_NOTIFIER: '1' };
  const rows: Row[] = [
    { name: 'gh', command: () => ['gh', 'api', '--method', 'POST', url, '-f', 'content=hello'], env: gh },
    {
      name: 'http (HTTPie)',
      command: () => ['http', '--ignore-stdin', ...httpie, 'POST', url, 'content=hello'],
    },
    {
      name: `${python3}, urllib`,
      command: () => [python3, resolve('bench/peers/urllib_post.py'), url, 'hello'],
    },
    { name: 'curl', command: () => ['curl', '-sS', ...curl, '-H', json, '-d', body, url] },
  ];
  const isPresent = ({ command }: Row): boolean => spawnSync(command(0)[0], ['--version']).status === 0;
  return {
    present: rows
      .filter(isPresent)
      .map((row) => ({ ...row, env: { ...process.env, ...env, ...trust, ...row.env } })),
    absent: rows.filter((row) => !isPresent(row)).map(({ name }) => name),
  };
}

export const fetching = 'a script with fetch';

/** The least that a script for the same Node takes. */
export function fetchScript(node: string, url: string, env: NodeJS.ProcessEnv): Row {
  return {
    name: fetching,
    command: () => [node, resolve('bench/peers/fetch.mjs'), url, 'hello'],
    env,
  };
}
