import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Home } from '../testing/home.ts';
import { controlOf, recipient } from '../testing/sandbox.ts';
import { startSandboxProcess } from '../testing/sandboxProcess.ts';
import { runtime } from './measure/programs.ts';
import { type Measure, memoryLine } from './measure/table.ts';
import { runBotctl, type WholeRun } from './measure/wholeRun.ts';

export const measure: Measure = async (given) => {
  const transfers = given.number('transfers');
  const home = new Home();
  const sandbox = await startSandboxProcess(['--data', join(home.path, 'sandbox')]);
  const { base_url: baseUrl, tokens, wallet, ...node } = sandbox.greeting;
  await controlOf(baseUrl).money({ amount: '100000' });
  await controlOf(baseUrl).readings({ slot_ms: 0 });
  const counter = await startCounter(node.rpc_url);
  home.writeConfig({
    ...{ version: 1, 'in-use': 'payer' },
    profiles: {
      payer: {
        ...{ 'base-url': baseUrl, token: { kind: 'stored', secret: tokens.full } },
        'rpc-url': { kind: 'stored', secret: counter.url },
        ...{ cluster: node.genesis_hash, wallet: wallet.address, assets: node.assets },
      },
    },
  });
  let paid = 0;
  // Each payment is another one: the same again is not paid.
  const line = (): string => {
    paid += 1;
    return `r${paid},${recipient},SOL,0.0${100_000 + paid}`;
  };
  const pay = async (name: string, rows: number): Promise<void> => {
    const file = join(home.path, `${name}.csv`);
    const lines = Array.from({ length: rows }, line);
    writeFileSync(file, `id,to_address,asset,amount\n${lines.join('\n')}\n`);
    const words = ['batch', 'transfer', file, '--once', name, '--yes', '--concurrency', '16'];
    await runBotctl(words, home.env);
  };
  const verify = async (): Promise<WholeRun & { readonly requests: number }> => {
    const before = counter.requests();
    const run = await runBotctl(['verify', '--all'], home.env);
    return { ...run, requests: counter.requests() - before };
  };
  try {
    const tenth = Math.ceil(transfers / 10);
    await pay('few', tenth);
    const few = await verify();
    await pay('all', transfers);
    const all = await verify();
    const again = await verify();
    const each = all.requests / transfers;
    return {
      about: `${transfers.toLocaleString('en')} transfers of the sandbox, proven at its node, which does not limit the rate`,
      columns: [runtime()],
      lines: [
        { what: 'verify --all', figure: `${all.seconds.toFixed(1)} s` },
        { what: 'requests a transfer', figure: each.toFixed(3), value: each },
        { what: 'requests when all is proven', figure: String(again.requests), value: again.requests },
        memoryLine('memory: all, beside a tenth', all, few),
      ],
    };
  } finally {
    await sandbox.end('SIGINT');
    counter.close();
    home.remove();
  }
};

/** Between botctl and the node: counts what is asked. */
async function startCounter(rpcUrl: string) {
  let requests = 0;
  const agent = new Agent({ keepAlive: true });
  const server = createServer((incoming, reply) => {
    requests += 1;
    const { method = 'POST', headers } = incoming;
    const outgoing = request(rpcUrl, { method, headers, agent }, (answer) => {
      reply.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(reply);
    });
    incoming.pipe(outgoing);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/rpc`,
    requests: () => requests,
    close: () => {
      agent.destroy();
      server.close();
    },
  };
}
