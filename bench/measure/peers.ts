import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import type { Row } from './timing.ts';

// By its path: what a version manager puts first in PATH starts a shell before it starts Python.
const python3 = '/usr/bin/python3';

/** Programs that send the same to the same service, without remembering anything. */
export function presentPeers(
  url: string,
  node: string,
  env: NodeJS.ProcessEnv,
): { present: Row[]; absent: string[] } {
  const body = JSON.stringify({ content: 'hello' });
  const json = 'content-type: application/json';
  const peers: Row[] = [
    { name: 'node script, fetch', command: () => [node, resolve('bench/peers/fetch.mjs'), url, 'hello'] },
    { name: 'http (HTTPie)', command: () => ['http', '--ignore-stdin', 'POST', url, 'content=hello'] },
    {
      name: `${python3}, urllib`,
      command: () => [python3, resolve('bench/peers/urllib_post.py'), url, 'hello'],
    },
    { name: 'curl', command: () => ['curl', '-sS', '-H', json, '-d', body, url] },
  ];
  const isPresent = ({ command }: Row): boolean => spawnSync(command(0)[0], ['--version']).status === 0;
  return {
    present: peers.filter(isPresent).map((peer) => ({ ...peer, env })),
    absent: peers.filter((peer) => !isPresent(peer)).map(({ name }) => name),
  };
}
